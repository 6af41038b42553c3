/* A YAML text becomes a tree: anchors, merge keys and limits; see yaml-doc.h. */
#include <string.h>

#include "lib/yaml-parts.h"

struct YamlDoc {
  GPtrArray *nodes; /* all of them: an alias is one more way to a node */
  const YamlNode *root;
};

/* A list or map that has not ended. */
typedef struct Open {
  YamlNode *node;
  GPtrArray *keys, *items;
  GPtrArray *merged;   /* values of the merge key */
  GHashTable *seen;    /* of a map: the keys so far, merged ones too */
  const YamlNode *key; /* waits for its value */
  bool key_is_merge;
  const YamlNode *merge_key; /* the first one */
} Open;

typedef struct Builder {
  YamlDoc *doc;
  yaml_parser_t parser;
  Open open[YAML_DOC_MAX_DEPTH];
  uint32_t n_open;
  GHashTable *anchors; /* name -> YamlNode; one that is still open has no n_nodes */
  uint32_t n_nodes;
  bool plain_key; /* the last scalar was plain and untagged: it may be a merge key */
  bool refused;
  YamlFault *out;
} Builder;

const char *yaml_type_name(YamlType type)
{
  static const char *const names[] = { "nothing", "yes or no", "a whole number", "a number",
                                       "a text",  "a list",    "a map" };
  return names[type];
}

static bool refuse(Builder *b, uint32_t line, uint32_t column, char *why)
{
  b->out->line = line;
  b->out->column = column;
  b->out->why = why;
  b->refused = true;
  return false;
}

static bool refuse_at(Builder *b, const yaml_mark_t *mark, char *why)
{
  return refuse(b, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1, why);
}

/* -------------------------------------------------------------------- nodes */

static void node_free(gpointer data)
{
  YamlNode *node = data;
  g_free((char *)node->text);
  g_free(node->keys);
  g_free(node->items);
  g_free(node);
}

static YamlNode *new_node(Builder *b, YamlType type, const yaml_mark_t *mark)
{
  YamlNode *node = g_new0(YamlNode, 1);
  node->type = type;
  node->line = (uint32_t)mark->line + 1;
  node->column = (uint32_t)mark->column + 1;
  g_ptr_array_add(b->doc->nodes, node);
  return node;
}

static bool count(Builder *b, uint32_t n, const yaml_mark_t *mark)
{
  b->n_nodes += n;
  if (b->n_nodes <= YAML_DOC_MAX_NODES) return true;
  return refuse_at(b, mark,
                   g_strdup_printf("more than %d values, counting each alias as what it stands for",
                                   YAML_DOC_MAX_NODES));
}

static bool check_height(Builder *b, uint32_t height, const yaml_mark_t *mark)
{
  if (b->n_open + height <= YAML_DOC_MAX_DEPTH) return true;
  return refuse_at(b, mark,
                   g_strdup_printf("lists and maps more than %d levels deep", YAML_DOC_MAX_DEPTH));
}

static guint key_hash(gconstpointer data) { return g_str_hash(((const YamlNode *)data)->text); }

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
  return !strcmp(((const YamlNode *)a)->text, ((const YamlNode *)b)->text);
}

/* --------------------------------------------------------------------- maps */

static void push(Open *o, const YamlNode *key, const YamlNode *value)
{
  g_ptr_array_add(o->keys, (gpointer)key);
  g_ptr_array_add(o->items, (gpointer)value);
}

static bool refuse_twice(Builder *b, const YamlNode *key, const YamlNode *first)
{
  return refuse(b, key->line, key->column,
                g_strdup_printf("the key \"%s\" stands twice, first at %u:%u", key->text,
                                first->line, first->column));
}

static bool take_key(Builder *b, Open *o, const YamlNode *key)
{
  if (key->type == YAML_IS_LIST || key->type == YAML_IS_MAP)
    return refuse(b, key->line, key->column,
                  g_strdup_printf("%s stands where a key is expected", yaml_type_name(key->type)));
  o->key = key;
  o->key_is_merge = b->plain_key && !strcmp(key->text, "<<");
  if (o->key_is_merge) {
    if (o->merge_key) return refuse_twice(b, key, o->merge_key);
    o->merge_key = key;
    return true;
  }
  const YamlNode *first = g_hash_table_lookup(o->seen, key);
  if (first) return refuse_twice(b, key, first);
  g_hash_table_add(o->seen, (gpointer)key);
  return true;
}

static bool check_merged(Builder *b, const YamlNode *value)
{
  if (value->type == YAML_IS_MAP) return true;
  return refuse(b, value->line, value->column,
                g_strdup_printf("<< merges maps, and this is %s", yaml_type_name(value->type)));
}

static bool take_merged(Builder *b, Open *o, const YamlNode *value)
{
  if (value->type != YAML_IS_LIST) {
    g_ptr_array_add(o->merged, (gpointer)value);
    return check_merged(b, value);
  }
  for (uint32_t i = 0; i < value->n; i++) {
    g_ptr_array_add(o->merged, (gpointer)value->items[i]);
    if (!check_merged(b, value->items[i])) return false;
  }
  return true;
}

/* What the map says itself wins, then the earlier of those that are merged in. */
static void merge_all(Open *o)
{
  for (guint i = 0; i < o->merged->len; i++) {
    const YamlNode *from = o->merged->pdata[i];
    for (uint32_t k = 0; k < from->n; k++)
      if (g_hash_table_add(o->seen, (gpointer)from->keys[k]))
        push(o, from->keys[k], from->items[k]);
  }
}

/* ------------------------------------------------------------------- values */

/* A value has ended: it goes where the innermost open list or map expects it. */
static bool place(Builder *b, const YamlNode *node)
{
  if (!b->n_open) {
    b->doc->root = node;
    return true;
  }
  Open *o = &b->open[b->n_open - 1];
  if (o->node->type == YAML_IS_LIST) {
    g_ptr_array_add(o->items, (gpointer)node);
    return true;
  }
  if (!o->key) return take_key(b, o, node);
  const YamlNode *key = o->key;
  o->key = NULL;
  if (o->key_is_merge) return take_merged(b, o, node);
  push(o, key, node);
  return true;
}

static void name_node(Builder *b, const yaml_char_t *anchor, YamlNode *node)
{
  if (anchor) g_hash_table_insert(b->anchors, g_strdup((const char *)anchor), node);
}

/* As people write it: !!int. */
static char *short_tag(const char *tag)
{
  static const char prefix[] = "tag:yaml.org,2002:";
  bool standard = g_str_has_prefix(tag, prefix);
  return g_strconcat(standard ? "!!" : "", tag + (standard ? sizeof prefix - 1 : 0), NULL);
}

static bool refuse_tag(Builder *b, const yaml_mark_t *mark, const char *tag, const char *why)
{
  g_autofree char *written = short_tag(tag);
  return refuse_at(b, mark, g_strdup_printf("the tag %s %s", written, why));
}

static bool take_scalar(Builder *b, const yaml_event_t *e)
{
  const char *tag = (const char *)e->data.scalar.tag;
  bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (!count(b, 1, &e->start_mark)) return false;
  YamlNode *node = new_node(b, YAML_IS_TEXT, &e->start_mark);
  node->len = e->data.scalar.length;
  node->text = g_strndup((const char *)e->data.scalar.value, node->len);
  node->n_nodes = 1;
  if (strlen(node->text) != node->len)
    return refuse_at(b, &e->start_mark, g_strdup("the character U+0000 is not allowed"));
  if (!yaml_scalar_type(node, tag, plain))
    return refuse_tag(b, &e->start_mark, tag, "is not known or does not fit the value");
  b->plain_key = plain && !tag;
  name_node(b, e->data.scalar.anchor, node);
  return place(b, node);
}

static bool take_alias(Builder *b, const yaml_event_t *e)
{
  const char *name = (const char *)e->data.alias.anchor;
  const YamlNode *node = g_hash_table_lookup(b->anchors, name);
  if (!node)
    return refuse_at(
        b, &e->start_mark,
        g_strdup_printf("the alias *%s stands for nothing: no &%s before it", name, name));
  if (!node->n_nodes)
    return refuse_at(b, &e->start_mark,
                     g_strdup_printf("the alias *%s stands inside of what it stands for", name));
  if (!count(b, node->n_nodes, &e->start_mark) || !check_height(b, node->height, &e->start_mark))
    return false;
  b->plain_key = false;
  return place(b, node);
}

static bool begin(Builder *b, YamlType type, const yaml_event_t *e, const yaml_char_t *anchor,
                  const yaml_char_t *tag, const char *known_tag)
{
  if (!check_height(b, 1, &e->start_mark) || !count(b, 1, &e->start_mark)) return false;
  if (tag && strcmp((const char *)tag, known_tag) != 0)
    return refuse_tag(b, &e->start_mark, (const char *)tag, "is not known here");
  Open *o = &b->open[b->n_open++];
  *o = (Open){ .node = new_node(b, type, &e->start_mark) };
  o->keys = g_ptr_array_new();
  o->items = g_ptr_array_new();
  o->merged = g_ptr_array_new();
  o->seen = g_hash_table_new(key_hash, key_equal);
  name_node(b, anchor, o->node);
  return true;
}

static void open_clear(Open *o)
{
  g_ptr_array_unref(o->keys);
  g_ptr_array_unref(o->items);
  g_ptr_array_unref(o->merged);
  g_hash_table_unref(o->seen);
}

static uint32_t weigh(const YamlNode **nodes, uint32_t n, uint32_t *io_height)
{
  uint32_t sum = 0;
  for (uint32_t i = 0; nodes && i < n; i++) {
    sum += nodes[i]->n_nodes;
    *io_height = MAX(*io_height, nodes[i]->height);
  }
  return sum;
}

static bool end(Builder *b)
{
  Open *o = &b->open[--b->n_open];
  YamlNode *node = o->node;
  uint32_t height = 0;
  merge_all(o);
  node->n = o->items->len;
  node->keys = (const YamlNode **)g_ptr_array_steal(o->keys, NULL);
  node->items = (const YamlNode **)g_ptr_array_steal(o->items, NULL);
  open_clear(o);
  node->n_nodes = 1 + weigh(node->items, node->n, &height);
  if (node->type == YAML_IS_MAP) node->n_nodes += weigh(node->keys, node->n, &height);
  node->height = height + 1;
  return place(b, node);
}

/* ----------------------------------------------------------------- document */

static bool begin_document(Builder *b, const yaml_event_t *e)
{
  if (!b->doc->root) return true;
  return refuse_at(b, &e->start_mark, g_strdup("a second document begins; there may be only one"));
}

static bool end_document(Builder *b, const yaml_event_t *e)
{
  const YamlNode *root = b->doc->root;
  if (root->type != YAML_IS_NULL || root->len) return true;
  return refuse_at(b, &e->start_mark, g_strdup("the document is empty"));
}

static bool end_stream(Builder *b)
{
  return b->doc->root ? true : refuse(b, 1, 1, g_strdup("the document is empty"));
}

static bool take(Builder *b, const yaml_event_t *e)
{
  switch (e->type) {
  case YAML_DOCUMENT_START_EVENT: return begin_document(b, e);
  case YAML_DOCUMENT_END_EVENT: return end_document(b, e);
  case YAML_STREAM_END_EVENT: return end_stream(b);
  case YAML_SCALAR_EVENT: return take_scalar(b, e);
  case YAML_ALIAS_EVENT: return take_alias(b, e);
  case YAML_SEQUENCE_START_EVENT:
    return begin(b, YAML_IS_LIST, e, e->data.sequence_start.anchor, e->data.sequence_start.tag,
                 YAML_SEQ_TAG);
  case YAML_MAPPING_START_EVENT:
    return begin(b, YAML_IS_MAP, e, e->data.mapping_start.anchor, e->data.mapping_start.tag,
                 YAML_MAP_TAG);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return end(b);
  default: return true;
  }
}

static bool read_all(Builder *b, const char *text, size_t len)
{
  yaml_event_type_t type;
  do {
    yaml_event_t e;
    if (!yaml_parser_parse(&b->parser, &e)) {
      yaml_syntax_fault(&b->parser, text, len, b->out);
      return false;
    }
    type = e.type;
    bool done = take(b, &e);
    yaml_event_delete(&e);
    if (!done) return false;
  } while (type != YAML_STREAM_END_EVENT);
  return true;
}

YamlDoc *yaml_doc_parse(const char *text, size_t len, YamlFault *out)
{
  Builder b = { .out = out };
  *out = (YamlFault){ 1, 1, NULL };
  if (len > YAML_DOC_MAX_BYTES) {
    out->why = g_strdup("the text is larger than 1 MiB");
    return NULL;
  }
  b.doc = g_new0(YamlDoc, 1);
  b.doc->nodes = g_ptr_array_new_with_free_func(node_free);
  b.anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  bool done = yaml_parser_initialize(&b.parser);
  if (done) {
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, len);
    done = read_all(&b, text, len);
    yaml_parser_delete(&b.parser);
  }
  while (b.n_open) open_clear(&b.open[--b.n_open]);
  g_hash_table_unref(b.anchors);
  if (done) return b.doc;
  yaml_doc_free(b.doc);
  return NULL;
}

void yaml_doc_free(YamlDoc *doc)
{
  if (!doc) return;
  g_ptr_array_unref(doc->nodes);
  g_free(doc);
}

const YamlNode *yaml_doc_root(const YamlDoc *doc) { return doc->root; }

const YamlNode *yaml_get(const YamlNode *map, const char *key)
{
  for (uint32_t i = 0; map && map->type == YAML_IS_MAP && i < map->n; i++)
    if (!strcmp(map->keys[i]->text, key)) return map->items[i];
  return NULL;
}
