/* Debug annotations become attributes: plain values as they are, lists and objects as JSON. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <math.h>
#include <string.h>

#include "base/json-write.h"
#include "base/json.h"

#define MAX_DEPTH JSON_WRITER_DEPTH

enum { NESTED_OBJECT = 1, NESTED_LIST = 2 };

/* ------------------------------------------------------------------- JSON */
typedef struct Writer {
  Source *source;
  const Sequence *sequence;
  JsonWriter json;
} Writer;

static void put_bytes(Writer *w, const char *key, const ProtobufCBinaryData *text)
{
  g_autofree char *valid = source_valid_text(w->source, text);
  if (valid)
    json_put_text(&w->json, key, valid);
  else
    json_put_string(&w->json, key, text->len ? (const char *)text->data : "", text->len);
}

static void put_symbol(Writer *w, const char *key, MillSym sym)
{
  size_t len;
  const char *text = w->source->common->symbol_text(w->source->common, sym, &len);
  json_put_string(&w->json, key, text, len);
}

/* JSON has no word for what is no number. */
static const char *odd_real(double value)
{
  if (isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

static void put_real(Writer *w, const char *key, double value)
{
  if (isfinite(value))
    json_put_real(&w->json, key, value);
  else
    json_put_text(&w->json, key, odd_real(value));
}

static void put_pointer(Writer *w, const char *key, uint64_t value)
{
  g_autofree char *text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", value);
  json_put_text(&w->json, key, text);
}

static bool is_json(const ProtobufCBinaryData *text)
{
  return text->len && json_check((const char *)text->data, text->len, NULL, NULL);
}

/* What cannot be read, or is too deep. */
static void put_nothing(Writer *w, const char *key)
{
  source_note(w->source, PFT_BAD_ANNOTATION);
  json_put_text(&w->json, key, NULL);
}

static void put_nested(Writer *w, const char *key, const ProtobufCBinaryData *bytes,
                       unsigned depth);

static void put_nested_parts(Writer *w, const char *key, const Pft__Nested *n, unsigned depth)
{
  bool is_list = n->nested_type == NESTED_LIST;
  size_t n_parts = is_list ? n->n_array_values : n->n_dict_values;
  json_put_open(&w->json, key, is_list ? '[' : '{');
  for (size_t i = 0; i < n_parts; i++) {
    g_autofree char *name = NULL;
    if (!is_list && i < n->n_dict_keys && n->dict_keys[i].len)
      name = g_utf8_make_valid((const char *)n->dict_keys[i].data, (gssize)n->dict_keys[i].len);
    put_nested(w,
               is_list ? NULL
               : name  ? name
                       : "",
               is_list ? &n->array_values[i] : &n->dict_values[i], depth + 1);
  }
  json_put_close(&w->json);
}

static void put_nested(Writer *w, const char *key, const ProtobufCBinaryData *bytes, unsigned depth)
{
  const Pft__Nested *n = depth < MAX_DEPTH ? source_unpack(w->source, &pft__nested__descriptor,
                                                           bytes->data, bytes->len)
                                           : NULL;
  if (!n)
    put_nothing(w, key);
  else if (n->nested_type == NESTED_OBJECT || n->nested_type == NESTED_LIST)
    put_nested_parts(w, key, n, depth);
  else if (n->has_int_value)
    json_put_int(&w->json, key, n->int_value);
  else if (n->has_double_value)
    put_real(w, key, n->double_value);
  else if (n->has_bool_value)
    json_put_bool(&w->json, key, n->bool_value);
  else if (n->has_string_value)
    put_bytes(w, key, &n->string_value);
  else
    json_put_text(&w->json, key, NULL);
}

static MillSym key_of(Source *s, const Sequence *q, const Pft__Annotation *a)
{
  if (a->has_name) return source_symbol_of(s, &a->name);
  return a->has_name_iid ? sequence_text(s, q, TEXT_ANNOTATION_NAME, a->name_iid) : 0;
}

static void put_value(Writer *w, const char *key, const Pft__Annotation *a, unsigned depth);

static void put_packed(Writer *w, const ProtobufCBinaryData *bytes, bool has_key, unsigned depth)
{
  Source *s = w->source;
  const Pft__Annotation *a =
      depth < MAX_DEPTH ? source_unpack(s, &pft__annotation__descriptor, bytes->data, bytes->len)
                        : NULL;
  if (!a) {
    put_nothing(w, has_key ? "" : NULL);
    return;
  }
  size_t len;
  const char *key = s->common->symbol_text(s->common, key_of(s, w->sequence, a), &len);
  put_value(w, has_key ? key : NULL, a, depth);
}

static void put_parts(Writer *w, const char *key, const Pft__Annotation *a, unsigned depth)
{
  bool is_list = a->n_array_values;
  size_t n = is_list ? a->n_array_values : a->n_dict_entries;
  const ProtobufCBinaryData *parts = is_list ? a->array_values : a->dict_entries;
  json_put_open(&w->json, key, is_list ? '[' : '{');
  for (size_t i = 0; i < n; i++) put_packed(w, &parts[i], !is_list, depth + 1);
  json_put_close(&w->json);
}

static void put_text(Writer *w, const char *key, const Pft__Annotation *a)
{
  if (a->has_string_value)
    put_bytes(w, key, &a->string_value);
  else if (a->has_string_value_iid)
    put_symbol(w, key, sequence_text(w->source, w->sequence, TEXT_ANNOTATION, a->string_value_iid));
  else if (a->has_legacy_json_value && is_json(&a->legacy_json_value))
    json_put_raw(&w->json, key, (const char *)a->legacy_json_value.data, a->legacy_json_value.len);
  else if (a->has_legacy_json_value)
    put_bytes(w, key, &a->legacy_json_value);
  else
    json_put_text(&w->json, key, NULL);
}

static void put_value(Writer *w, const char *key, const Pft__Annotation *a, unsigned depth)
{
  if (a->n_array_values || a->n_dict_entries)
    put_parts(w, key, a, depth);
  else if (a->has_nested_value)
    put_nested(w, key, &a->nested_value, depth);
  else if (a->has_bool_value)
    json_put_bool(&w->json, key, a->bool_value);
  else if (a->has_int_value)
    json_put_int(&w->json, key, a->int_value);
  else if (a->has_uint_value)
    json_put_uint(&w->json, key, a->uint_value);
  else if (a->has_double_value)
    put_real(w, key, a->double_value);
  else if (a->has_pointer_value)
    put_pointer(w, key, a->pointer_value);
  else
    put_text(w, key, a);
}

/* ------------------------------------------------------------- attributes */
typedef struct Target {
  Source *source;
  MillBatch *batch;
  MillSym key;
} Target;

static MillAttr *add(const Target *t, uint32_t type)
{
  MillBatch *b = t->batch;
  MillAttr *a = &mill_attrs(b)[b->n_attrs++];
  a->key = t->key;
  a->type = type;
  mill_events(b)[b->n_events - 1].n_attrs++;
  return a;
}

static void add_int(const Target *t, uint32_t type, int64_t value) { add(t, type)->u.i = value; }

static void add_bytes(const Target *t, uint32_t type, const char *text, size_t len)
{
  Source *s = t->source;
  uint32_t off = s->host->own_text(s->host, t->batch, text, len);
  MillAttr *a = add(t, type | MILL_ATTR_OWN);
  a->u.text.off = off;
  a->u.text.len = (uint32_t)len;
  s->text_len += len;
}

static void add_text(const Target *t, const ProtobufCBinaryData *text)
{
  g_autofree char *valid = source_valid_text(t->source, text);
  if (valid)
    add_bytes(t, MILL_TEXT, valid, strlen(valid));
  else
    add_bytes(t, MILL_TEXT, (const char *)text->data, text->len);
}

static void add_real(const Target *t, double value)
{
  if (isfinite(value))
    add(t, MILL_REAL)->u.r = value;
  else
    add_bytes(t, MILL_TEXT, odd_real(value), strlen(odd_real(value)));
}

static void add_pointer(const Target *t, uint64_t value)
{
  g_autofree char *text = g_strdup_printf("0x%" G_GINT64_MODIFIER "x", value);
  add_bytes(t, MILL_TEXT, text, strlen(text));
}

static void add_json(const Target *t, const Sequence *q, const Pft__Annotation *a)
{
  g_autoptr(GString) text = g_string_new(NULL);
  Writer w = { t->source, q, { .text = text, .layout = JSON_DENSE } };
  put_value(&w, NULL, a, 0);
  add_bytes(t, MILL_JSON, text->str, text->len);
}

void annotation_add(Source *s, const Sequence *q, MillBatch *b, const Pft__Annotation *a)
{
  const Target t = { s, b, key_of(s, q, a) };
  if (!t.key) { /* a text that is missing was counted */
    if (!a->has_name_iid || a->has_name) source_note(s, PFT_BAD_ANNOTATION);
    return;
  }
  bool is_large = a->has_uint_value && a->uint_value > INT64_MAX;
  bool is_deep = a->n_array_values || a->n_dict_entries || a->has_nested_value;
  if (is_deep || is_large || (a->has_legacy_json_value && is_json(&a->legacy_json_value)))
    add_json(&t, q, a);
  else if (a->has_bool_value)
    add_int(&t, MILL_BOOL, a->bool_value);
  else if (a->has_int_value)
    add_int(&t, MILL_INT, a->int_value);
  else if (a->has_uint_value)
    add_int(&t, MILL_INT, (int64_t)a->uint_value);
  else if (a->has_double_value)
    add_real(&t, a->double_value);
  else if (a->has_string_value)
    add_text(&t, &a->string_value);
  else if (a->has_string_value_iid)
    add(&t, MILL_SYM)->u.sym = sequence_text(s, q, TEXT_ANNOTATION, a->string_value_iid);
  else if (a->has_pointer_value)
    add_pointer(&t, a->pointer_value);
  else if (a->has_legacy_json_value)
    add_text(&t, &a->legacy_json_value);
}
