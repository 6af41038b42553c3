/* A YAML text becomes a tree: anchors, merge keys and limits; see yaml-doc.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/trees.h"
#include "kit/read/yaml-parts.h"

struct YamlDoc {
  GPtrArray *nodes; /* all of them: an alias is one more way to a node */
  const YamlNode *root;
};

typedef struct Builder {
  YamlDoc *doc;
  yaml_parser_t parser;
  const char *text;
  size_t len;
  GTree *anchors; /* name -> YamlNode; one that has not ended has no n_nodes */
  uint32_t depth, n_nodes;
  bool plain; /* the last scalar was plain and untagged: it may be a merge key */
  YamlFault *out;
} Builder;

/* What a list or map holds until it ends. */
typedef struct Pairs {
  GPtrArray *keys, *items;
  GPtrArray *merged;         /* maps that << brings in */
  GTree *seen;               /* text -> key, of those merged in too */
  const YamlNode *merge_key; /* << itself */
} Pairs;

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(yaml_event_t, yaml_event_delete)

static const YamlNode *read_value(Builder *b, const yaml_event_t *e);

const char *yaml_type_name(YamlType type)
{
  static const char *const names[] = { "nothing", "yes or no", "a whole number", "a number",
                                       "a text",  "a list",    "a map" };
  return names[type];
}

/* ------------------------------------------------------------------- faults */

static bool refuse(Builder *b, uint32_t line, uint32_t column, char *why)
{
  *b->out = (YamlFault){ line, column, why };
  return false;
}

static bool refuse_at(Builder *b, const yaml_mark_t *mark, char *why)
{
  return refuse(b, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1, why);
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

static bool refuse_twice(Builder *b, const YamlNode *key, const YamlNode *first)
{
  return refuse(b, key->line, key->column,
                g_strdup_printf("the key \"%s\" is duplicated, first at %u:%u", key->text,
                                first->line, first->column));
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
  if (b->depth + height <= YAML_DOC_MAX_DEPTH) return true;
  return refuse_at(b, mark,
                   g_strdup_printf("lists and maps more than %d levels deep", YAML_DOC_MAX_DEPTH));
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

static YamlNode *new_node(Builder *b, YamlType type, const yaml_event_t *e,
                          const yaml_char_t *anchor)
{
  YamlNode *node = g_new0(YamlNode, 1);
  node->type = type;
  node->line = (uint32_t)e->start_mark.line + 1;
  node->column = (uint32_t)e->start_mark.column + 1;
  g_ptr_array_add(b->doc->nodes, node);
  if (anchor) g_tree_insert(b->anchors, g_strdup((const char *)anchor), node);
  return node;
}

/* Ends the program as GLib does where it gets none: no fault of the text. */
static void no_memory(void) { g_error("failed to allocate memory for a YAML text"); }

static bool next_event(Builder *b, yaml_event_t *out)
{
  if (yaml_parser_parse(&b->parser, out)) return true;
  if (b->parser.error == YAML_MEMORY_ERROR) no_memory();
  yaml_syntax_fault(&b->parser, b->text, b->len, b->out);
  return false;
}

/* *out is NULL at the end of the list or map.  False on failure. */
static bool next_value(Builder *b, const YamlNode **out)
{
  g_auto(yaml_event_t) e = { 0 };
  *out = NULL;
  if (!next_event(b, &e)) return false;
  if (e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT) return true;
  *out = read_value(b, &e);
  return *out != NULL;
}

/* --------------------------------------------------------------------- maps */

static bool take_merged(Builder *b, GPtrArray *merged, const YamlNode *value)
{
  bool is_list = value->type == YAML_IS_LIST;
  for (uint32_t i = 0; i < (is_list ? value->n : 1); i++) {
    const YamlNode *map = is_list ? value->items[i] : value;
    if (map->type != YAML_IS_MAP)
      return refuse(b, map->line, map->column,
                    g_strdup_printf("<< merges maps, and this is %s", yaml_type_name(map->type)));
    g_ptr_array_add(merged, (gpointer)map);
  }
  return true;
}

static void push(Pairs *p, const YamlNode *key, const YamlNode *value)
{
  g_tree_insert(p->seen, (gpointer)key->text, (gpointer)key);
  g_ptr_array_add(p->keys, (gpointer)key);
  g_ptr_array_add(p->items, (gpointer)value);
}

/* What the map says itself wins, then the earlier of those that are merged in. */
static void merge_all(Pairs *p)
{
  for (guint i = 0; i < p->merged->len; i++) {
    const YamlNode *from = p->merged->pdata[i];
    for (uint32_t k = 0; k < from->n; k++)
      if (!g_tree_lookup(p->seen, from->keys[k]->text)) push(p, from->keys[k], from->items[k]);
  }
}

static bool read_pair(Builder *b, Pairs *p, const YamlNode *key)
{
  const YamlNode *value, *first;
  if (key->type == YAML_IS_LIST || key->type == YAML_IS_MAP)
    return refuse(b, key->line, key->column,
                  g_strdup_printf("%s is where a key is expected", yaml_type_name(key->type)));
  bool merges = b->plain && !strcmp(key->text, "<<");
  first = merges ? p->merge_key : g_tree_lookup(p->seen, key->text);
  if (first) return refuse_twice(b, key, first);
  if (!next_value(b, &value)) return false;
  if (!merges) {
    push(p, key, value);
    return true;
  }
  p->merge_key = key;
  return take_merged(b, p->merged, value);
}

/* The values up to the end of a list or map. */
static bool read_items(Builder *b, YamlNode *node)
{
  g_autoptr(GPtrArray) keys = g_ptr_array_new(), items = g_ptr_array_new(),
                       merged = g_ptr_array_new();
  g_autoptr(GTree) seen = g_tree_new_full(trees_by_text, NULL, NULL, NULL);
  Pairs pairs = { keys, items, merged, seen, NULL };
  const YamlNode *value;
  for (;;) {
    if (!next_value(b, &value)) return false;
    if (!value) break;
    if (node->type == YAML_IS_LIST)
      g_ptr_array_add(items, (gpointer)value);
    else if (!read_pair(b, &pairs, value))
      return false;
  }
  merge_all(&pairs);
  node->n = items->len;
  node->keys = (const YamlNode **)g_ptr_array_steal(keys, NULL);
  node->items = (const YamlNode **)g_ptr_array_steal(items, NULL);
  return true;
}

/* ------------------------------------------------------------------- values */

static const YamlNode *read_many(Builder *b, YamlType type, const yaml_event_t *e,
                                 const yaml_char_t *anchor, const yaml_char_t *tag)
{
  const char *known = type == YAML_IS_LIST ? YAML_SEQ_TAG : YAML_MAP_TAG;
  if (!check_height(b, 1, &e->start_mark) || !count(b, 1, &e->start_mark)) return NULL;
  if (tag && strcmp((const char *)tag, known) != 0) {
    refuse_tag(b, &e->start_mark, (const char *)tag, "is not known here");
    return NULL;
  }
  YamlNode *node = new_node(b, type, e, anchor);
  b->depth++;
  if (!read_items(b, node)) return NULL;
  b->depth--;
  node->n_nodes = 1;
  for (uint32_t i = 0; i < node->n; i++) {
    node->n_nodes += node->items[i]->n_nodes + (node->keys ? node->keys[i]->n_nodes : 0);
    node->height = MAX(node->height, node->items[i]->height);
  }
  node->height++;
  return node;
}

static const YamlNode *read_scalar(Builder *b, const yaml_event_t *e)
{
  const char *tag = (const char *)e->data.scalar.tag;
  bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  if (!count(b, 1, &e->start_mark)) return NULL;
  YamlNode *node = new_node(b, YAML_IS_TEXT, e, e->data.scalar.anchor);
  node->len = e->data.scalar.length;
  node->text = g_strndup((const char *)e->data.scalar.value, node->len);
  node->n_nodes = 1;
  b->plain = plain && !tag;
  if (strlen(node->text) != node->len)
    refuse_at(b, &e->start_mark, g_strdup("the character U+0000 is not allowed"));
  else if (!yaml_scalar_type(node, tag, plain))
    refuse_tag(b, &e->start_mark, tag, "is not known or does not fit the value");
  else
    return node;
  return NULL;
}

static const YamlNode *follow_alias(Builder *b, const yaml_event_t *e)
{
  const char *name = (const char *)e->data.alias.anchor;
  const YamlNode *node = g_tree_lookup(b->anchors, name);
  b->plain = false;
  if (!node)
    refuse_at(b, &e->start_mark,
              g_strdup_printf("the alias *%s stands for nothing: no &%s before it", name, name));
  else if (!node->n_nodes)
    refuse_at(b, &e->start_mark,
              g_strdup_printf("the alias *%s is inside what it stands for", name));
  else if (count(b, node->n_nodes, &e->start_mark) && check_height(b, node->height, &e->start_mark))
    return node;
  return NULL;
}

static const YamlNode *read_value(Builder *b, const yaml_event_t *e)
{
  if (e->type == YAML_ALIAS_EVENT) return follow_alias(b, e);
  if (e->type == YAML_SCALAR_EVENT) return read_scalar(b, e);
  if (e->type == YAML_SEQUENCE_START_EVENT)
    return read_many(b, YAML_IS_LIST, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
  return read_many(b, YAML_IS_MAP, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
}

/* ----------------------------------------------------------------- document */

/* What is outside of the root. */
static bool take(Builder *b, const yaml_event_t *e)
{
  const YamlNode *root = b->doc->root;
  switch (e->type) {
  case YAML_STREAM_START_EVENT: return true;
  case YAML_STREAM_END_EVENT:
    return root ? true : refuse(b, 1, 1, g_strdup("the document is empty"));
  case YAML_DOCUMENT_START_EVENT:
    if (!root) return true;
    return refuse_at(b, &e->start_mark,
                     g_strdup("a second document begins; there may be only one"));
  case YAML_DOCUMENT_END_EVENT:
    if (root->type != YAML_IS_NULL || root->len) return true;
    return refuse_at(b, &e->start_mark, g_strdup("the document is empty"));
  default: b->doc->root = read_value(b, e); return b->doc->root != NULL;
  }
}

static bool read_all(Builder *b)
{
  yaml_event_type_t type;
  do {
    g_auto(yaml_event_t) e = { 0 };
    if (!next_event(b, &e) || !take(b, &e)) return false;
    type = e.type;
  } while (type != YAML_STREAM_END_EVENT);
  return true;
}

YamlDoc *yaml_doc_parse(const char *text, size_t len, YamlFault *out)
{
  Builder b = { .text = text, .len = len, .out = out };
  *out = (YamlFault){ 1, 1, NULL };
  if (len > YAML_DOC_MAX_BYTES) {
    out->why = g_strdup("the text is larger than 1 MiB");
    return NULL;
  }
  b.doc = g_new0(YamlDoc, 1);
  b.doc->nodes = g_ptr_array_new_with_free_func(node_free);
  b.anchors = g_tree_new_full(trees_by_text, NULL, g_free, NULL);
  if (!yaml_parser_initialize(&b.parser)) no_memory();
  yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, len);
  bool done = read_all(&b);
  yaml_parser_delete(&b.parser);
  g_tree_unref(b.anchors);
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
