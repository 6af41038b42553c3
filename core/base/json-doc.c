/* A strict JSON text as json-glib's tree, with the place of every value; see json.h. */
#include "base/json.h"
#include "base/num.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define MARK_BYTES 1024u
/* The tables of json-glib's objects have no seed: names that collide are compared with all before them. */
#define MOST_ITEMS 4096u
#define MOST_VALUES (1u << 16)

/* Where a value lies in the text; its key too when it is a member. */
typedef struct Spot {
  size_t value, key;
} Spot;

struct JsonDoc {
  char *text;
  JsonNode *root;
  GHashTable *spots; /* JsonNode -> Spot */
  GArray *marks;     /* JsonPlace of every MARK_BYTES'th byte, as far as it was asked for */
};

typedef struct Builder {
  JsonDoc *doc;
  GPtrArray *open; /* the objects and arrays around the next value, innermost last */
  GString *key;
  size_t key_offset;
  GString *scratch;
  const char *why;
  size_t why_offset;
} Builder;

static bool refuse(Builder *b, size_t offset, const char *why)
{
  b->why = why;
  b->why_offset = offset;
  return false;
}

/* json-glib's strings end at a NUL, and every string of the tree is valid UTF-8. */
static bool read_text(Builder *b, const JsonToken *t, size_t offset, GString *out)
{
  g_string_truncate(out, 0);
  if (json_decode(t, out) & JSON_FIX_SURROGATE) return refuse(b, offset, "unpaired surrogate");
  if (memchr(out->str, '\0', out->len)) return refuse(b, offset, "U+0000 is not allowed");
  return true;
}

static bool read_key(Builder *b, const JsonToken *t, size_t offset)
{
  JsonNode *parent = b->open->pdata[b->open->len - 1];
  if (!read_text(b, t, offset, b->key)) return false;
  b->key_offset = offset;
  if (!json_object_has_member(json_node_get_object(parent), b->key->str)) return true;
  return refuse(b, offset, "this key is duplicated in the object");
}

static JsonNode *number_node(const JsonToken *t)
{
  int64_t whole;
  double real;
  if (num_int(t->start, t->len, &whole)) return json_node_init_int(json_node_alloc(), whole);
  if (num_real(t->start, t->len, &real)) return json_node_init_double(json_node_alloc(), real);
  return NULL;
}

static JsonNode *container_node(JsonKind kind)
{
  if (kind == JSON_OBJECT) {
    g_autoptr(JsonObject) object = json_object_new();
    return json_node_init_object(json_node_alloc(), object);
  }
  g_autoptr(JsonArray) array = json_array_new();
  return json_node_init_array(json_node_alloc(), array);
}

static JsonNode *value_node(Builder *b, const JsonToken *t, size_t offset)
{
  switch (t->kind) {
  case JSON_OBJECT:
  case JSON_ARRAY: return container_node(t->kind);
  case JSON_TRUE:
  case JSON_FALSE: return json_node_init_boolean(json_node_alloc(), t->kind == JSON_TRUE);
  case JSON_NULL: return json_node_init_null(json_node_alloc());
  case JSON_STRING:
    if (!read_text(b, t, offset, b->scratch)) return NULL;
    return json_node_init_string(json_node_alloc(), b->scratch->str);
  default: {
    JsonNode *node = number_node(t);
    if (!node) refuse(b, offset, "the number is out of range");
    return node;
  }
  }
}

/* Gives the node to the innermost open object or array, or makes it the root. */
static void attach(Builder *b, JsonNode *node)
{
  if (b->open->len == 0) {
    b->doc->root = node;
    return;
  }
  JsonNode *parent = b->open->pdata[b->open->len - 1];
  json_node_set_parent(node, parent);
  if (JSON_NODE_HOLDS_OBJECT(parent))
    json_object_set_member(json_node_get_object(parent), b->key->str, node);
  else
    json_array_add_element(json_node_get_array(parent), node);
}

static bool is_full(const Builder *b)
{
  JsonNode *parent = b->open->len ? b->open->pdata[b->open->len - 1] : NULL;
  if (!parent) return false;
  return JSON_NODE_HOLDS_OBJECT(parent)
             ? json_object_get_size(json_node_get_object(parent)) >= MOST_ITEMS
             : json_array_get_length(json_node_get_array(parent)) >= MOST_ITEMS;
}

static bool read_value(Builder *b, const JsonToken *t, size_t offset)
{
  if (is_full(b)) return refuse(b, offset, "an object or list has more than 4,096 items");
  if (g_hash_table_size(b->doc->spots) >= MOST_VALUES)
    return refuse(b, offset, "it holds more than 65,536 values");
  JsonNode *node = value_node(b, t, offset);
  if (!node) return false;
  bool member = b->open->len && JSON_NODE_HOLDS_OBJECT(b->open->pdata[b->open->len - 1]);
  Spot *spot = g_new(Spot, 1);
  *spot = (Spot){ offset, member ? b->key_offset : offset };
  g_hash_table_insert(b->doc->spots, node, spot);
  attach(b, node);
  if (t->kind == JSON_OBJECT || t->kind == JSON_ARRAY) g_ptr_array_add(b->open, node);
  return true;
}

static bool build(Builder *b, const char *text, size_t len)
{
  JsonCursor r;
  JsonToken token;
  json_open(&r, text, len, true);
  for (;;) {
    JsonKind kind = json_next(&r, &token);
    size_t offset = (size_t)(token.start - text);
    if (kind == JSON_END) return true;
    if (kind == JSON_ERROR) return refuse(b, (size_t)(r.error_at - text), r.error);
    if (kind == JSON_OBJECT_END || kind == JSON_ARRAY_END)
      g_ptr_array_set_size(b->open, (gint)b->open->len - 1);
    else if (!(kind == JSON_KEY ? read_key : read_value)(b, &token, offset))
      return false;
  }
}

JsonDoc *json_doc_parse(const char *text, size_t len, JsonPlace *out_place, char **out_why)
{
  JsonDoc *doc = g_new0(JsonDoc, 1);
  Builder b = {
    .doc = doc, .open = g_ptr_array_new(), .key = g_string_new(NULL), .scratch = g_string_new(NULL)
  };
  if (!text) text = "";
  doc->text = g_strndup(text, len);
  doc->marks = g_array_new(FALSE, FALSE, sizeof(JsonPlace));
  doc->spots = g_hash_table_new_full(NULL, NULL, NULL, g_free);

  bool done = build(&b, text, len);
  g_ptr_array_unref(b.open);
  g_string_free(b.key, TRUE);
  g_string_free(b.scratch, TRUE);
  if (done) return doc;

  if (out_place) *out_place = json_place(text, b.why_offset);
  if (out_why) *out_why = g_strdup(b.why);
  json_doc_free(doc);
  return NULL;
}

void json_doc_free(JsonDoc *doc)
{
  if (!doc) return;
  g_clear_pointer(&doc->root, json_node_unref);
  g_hash_table_unref(doc->spots);
  g_array_unref(doc->marks);
  g_free(doc->text);
  g_free(doc);
}

gpointer json_doc_root(JsonDoc *doc) { return doc->root; }

/* Counts from the mark before, so that asking for each value's place takes no longer than reading. */
static JsonPlace place_of(JsonDoc *doc, size_t offset)
{
  GArray *marks = doc->marks;
  JsonPlace first = { 1, 1 };
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

static JsonNode *child_of(JsonNode *node, const GString *step)
{
  int64_t index;
  if (JSON_NODE_HOLDS_OBJECT(node))
    return json_object_get_member(json_node_get_object(node), step->str);
  if (!JSON_NODE_HOLDS_ARRAY(node) || !num_int(step->str, step->len, &index)) return NULL;
  JsonArray *array = json_node_get_array(node);
  bool found = index >= 0 && index < json_array_get_length(array);
  return found ? json_array_get_element(array, (guint)index) : NULL;
}

JsonPlace json_doc_place(JsonDoc *doc, const char *pointer)
{
  bool of_key = g_str_has_suffix(pointer, "#key");
  const char *end = pointer + strlen(pointer) - (of_key ? 4 : 0);
  g_autoptr(GString) step = g_string_new(NULL);
  JsonNode *node = doc->root;
  while (pointer < end && *pointer == '/') {
    const char *slash = memchr(pointer + 1, '/', (size_t)(end - pointer - 1));
    const char *step_end = slash ? slash : end;
    unescape_step(pointer + 1, step_end, step);
    JsonNode *child = child_of(node, step);
    if (!child) {
      of_key = false;
      break;
    }
    node = child;
    pointer = step_end;
  }
  const Spot *spot = g_hash_table_lookup(doc->spots, node);
  if (!spot) return (JsonPlace){ 1, 1 };
  return place_of(doc, of_key ? spot->key : spot->value);
}
