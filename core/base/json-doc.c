/* A strict JSON text as a tree, with the place of every value; see json-value.h.
 *
 * json-glib has such a tree, too.  But it brings eight libraries, which take as long to load as the rest
 * of a small run. */
/* SPDX-License-Identifier: MIT */
#include "base/json-value.h"
#include "base/num.h"

#include <string.h>

#define MARK_BYTES 64u
/* What nobody writes by hand: so that a hostile text costs little. */
#define MOST_ITEMS 4096u
#define MOST_VALUES (1u << 16)
#define INDEX_FROM 16u /* members of which an index is made */

struct JsonDoc {
  char *text;
  JsonValue *root;
  GPtrArray *values; /* all of them */
  GStringChunk *texts;
  GArray *marks; /* JsonPlace of every MARK_BYTES'th byte, as far as it was asked for */
};

typedef struct Builder {
  JsonDoc *doc;
  GPtrArray *open; /* the objects and arrays around the next value, innermost last */
  GString *key;
  const char *key_at;
  GString *scratch;
  const char *why, *why_at;
} Builder;

static bool refuse(Builder *b, const char *at, const char *why)
{
  b->why = why;
  b->why_at = at;
  return false;
}

static JsonValue *innermost(const Builder *b)
{
  return b->open->len ? b->open->pdata[b->open->len - 1] : NULL;
}

/* ------------------------------------------------------------------ members */

const JsonValue *json_member(const JsonValue *v, const char *key)
{
  if (!json_holds(v, JSON_OBJECT)) return NULL;
  if (v->index) return g_tree_lookup(v->index, key);
  for (guint i = 0; i < v->items->len; i++)
    if (!strcmp(json_item(v, i)->key, key)) return json_item(v, i);
  return NULL;
}

static gint compare_keys(gconstpointer a, gconstpointer b) { return strcmp(a, b); }

/* A tree: no keys can make it slow, and it needs no seed, which a module could not have. */
static void add_to_index(JsonValue *object, JsonValue *member)
{
  if (object->index) {
    g_tree_insert(object->index, (gpointer)member->key, member);
  } else if (object->items->len == INDEX_FROM) {
    object->index = g_tree_new(compare_keys);
    for (guint i = 0; i < object->items->len; i++) {
      JsonValue *one = object->items->pdata[i];
      g_tree_insert(object->index, (gpointer)one->key, one);
    }
  }
}

static void add_item(Builder *b, JsonValue *parent, JsonValue *v)
{
  g_ptr_array_add(parent->items, v);
  if (parent->kind != JSON_OBJECT) return;
  v->key = g_string_chunk_insert_len(b->doc->texts, b->key->str, (gssize)b->key->len);
  v->key_at = b->key_at;
  add_to_index(parent, v);
}

/* ------------------------------------------------------------------- values */

/* Texts end at a NUL, and every one is valid UTF-8. */
static bool read_text(Builder *b, const JsonToken *t, GString *out)
{
  g_string_truncate(out, 0);
  if (json_decode(t, out) & JSON_FIX_SURROGATE) return refuse(b, t->start, "unpaired surrogate");
  if (memchr(out->str, '\0', out->len)) return refuse(b, t->start, "U+0000 is not allowed");
  return true;
}

static bool read_key(Builder *b, const JsonToken *t)
{
  if (!read_text(b, t, b->key)) return false;
  b->key_at = t->start;
  if (!json_member(innermost(b), b->key->str)) return true;
  return refuse(b, t->start, "this key is duplicated in the object");
}

static bool read_number(Builder *b, const JsonToken *t, JsonValue *v)
{
  v->is_whole = num_int(t->start, t->len, &v->whole);
  v->real = (double)v->whole;
  if (v->is_whole || num_real(t->start, t->len, &v->real)) return true;
  return refuse(b, t->start, "the number is out of range");
}

static bool read_content(Builder *b, const JsonToken *t, JsonValue *v)
{
  switch (t->kind) {
  case JSON_OBJECT:
  case JSON_ARRAY: v->items = g_ptr_array_new(); return true;
  case JSON_STRING:
    if (!read_text(b, t, b->scratch)) return false;
    v->text = g_string_chunk_insert_len(b->doc->texts, b->scratch->str, (gssize)b->scratch->len);
    return true;
  case JSON_NUMBER: return read_number(b, t, v);
  default: return true;
  }
}

static bool read_value(Builder *b, const JsonToken *t)
{
  JsonValue *parent = innermost(b);
  if (json_count(parent) >= MOST_ITEMS)
    return refuse(b, t->start, "an object or list has more than 4,096 items");
  if (b->doc->values->len >= MOST_VALUES)
    return refuse(b, t->start, "it holds more than 65,536 values");
  JsonValue *v = g_new0(JsonValue, 1);
  *v = (JsonValue){ .kind = t->kind, .at = t->start, .len = t->len };
  g_ptr_array_add(b->doc->values, v);
  if (!read_content(b, t, v)) return false;
  if (parent)
    add_item(b, parent, v);
  else
    b->doc->root = v;
  if (v->items) g_ptr_array_add(b->open, v);
  return true;
}

static void end_container(Builder *b, const JsonToken *t)
{
  JsonValue *v = innermost(b);
  v->len = (size_t)(t->start + t->len - v->at);
  g_ptr_array_set_size(b->open, (gint)b->open->len - 1);
}

static bool build(Builder *b, const char *text, size_t len)
{
  JsonCursor r;
  JsonToken token;
  json_open(&r, text, len, true);
  for (;;) {
    JsonKind kind = json_next(&r, &token);
    if (kind == JSON_END) return true;
    if (kind == JSON_ERROR) return refuse(b, r.error_at, r.error);
    if (kind == JSON_OBJECT_END || kind == JSON_ARRAY_END)
      end_container(b, &token);
    else if (!(kind == JSON_KEY ? read_key : read_value)(b, &token))
      return false;
  }
}

static void value_free(gpointer data)
{
  JsonValue *v = data;
  if (v->items) g_ptr_array_unref(v->items);
  if (v->index) g_tree_unref(v->index);
  g_free(v);
}

JsonDoc *json_doc_parse(const char *text, size_t len, JsonPlace *out_place, char **out_why)
{
  JsonDoc *doc = g_new0(JsonDoc, 1);
  Builder b = {
    .doc = doc, .open = g_ptr_array_new(), .key = g_string_new(NULL), .scratch = g_string_new(NULL)
  };
  doc->text = g_malloc(len + 1);
  if (len) memcpy(doc->text, text, len);
  doc->text[len] = '\0';
  doc->marks = g_array_new(FALSE, FALSE, sizeof(JsonPlace));
  doc->values = g_ptr_array_new_with_free_func(value_free);
  doc->texts = g_string_chunk_new(1024);

  bool done = build(&b, doc->text, len);
  g_ptr_array_unref(b.open);
  g_string_free(b.key, TRUE);
  g_string_free(b.scratch, TRUE);
  if (done) return doc;

  if (out_place) *out_place = json_place(doc->text, (size_t)(b.why_at - doc->text));
  if (out_why) *out_why = g_strdup(b.why);
  json_doc_free(doc);
  return NULL;
}

void json_doc_free(JsonDoc *doc)
{
  if (!doc) return;
  g_ptr_array_unref(doc->values);
  g_string_chunk_free(doc->texts);
  g_array_unref(doc->marks);
  g_free(doc->text);
  g_free(doc);
}

const JsonValue *json_doc_root(const JsonDoc *doc) { return doc->root; }

/* ------------------------------------------------------------------- places */

/* Counts from the mark before, so that asking for each value's place takes no longer than reading. */
static JsonPlace place_of(JsonDoc *doc, const char *at)
{
  GArray *marks = doc->marks;
  JsonPlace first = { 1, 1 };
  size_t offset = (size_t)(at - doc->text);
  if (!marks->len) g_array_append_val(marks, first);
  while (marks->len <= offset / MARK_BYTES) {
    guint last = marks->len - 1;
    JsonPlace next = json_place_after(g_array_index(marks, JsonPlace, last),
                                      doc->text + (size_t)last * MARK_BYTES, MARK_BYTES);
    g_array_append_val(marks, next);
  }
  size_t from = offset / MARK_BYTES;
  return json_place_after(g_array_index(marks, JsonPlace, from), doc->text + from * MARK_BYTES,
                          offset % MARK_BYTES);
}

/* One step of a JSON Pointer, "~0" and "~1" undone. */
static void unescape_step(const char *p, const char *end, GString *out)
{
  g_string_truncate(out, 0);
  for (; p < end; p++) {
    bool escaped = *p == '~' && p + 1 < end && (p[1] == '0' || p[1] == '1');
    if (escaped) p++;
    g_string_append_c(out, !escaped ? *p : *p == '0' ? '~' : '/');
  }
}

static const JsonValue *child_of(const JsonValue *v, const GString *step)
{
  int64_t index;
  if (v->kind == JSON_OBJECT) return json_member(v, step->str);
  if (v->kind != JSON_ARRAY || !num_int(step->str, step->len, &index)) return NULL;
  return index >= 0 && index < json_count(v) ? json_item(v, (guint)index) : NULL;
}

JsonPlace json_doc_place(JsonDoc *doc, const char *pointer)
{
  bool of_key = g_str_has_suffix(pointer, "#key");
  const char *end = pointer + strlen(pointer) - (of_key ? 4 : 0);
  g_autoptr(GString) step = g_string_new(NULL);
  const JsonValue *v = doc->root;
  while (pointer < end && *pointer == '/') {
    const char *slash = memchr(pointer + 1, '/', (size_t)(end - pointer - 1));
    const char *step_end = slash ? slash : end;
    unescape_step(pointer + 1, step_end, step);
    const JsonValue *child = child_of(v, step);
    if (!child) {
      of_key = false;
      break;
    }
    v = child;
    pointer = step_end;
  }
  return place_of(doc, of_key && v->key_at ? v->key_at : v->at);
}
