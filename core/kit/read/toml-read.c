/* TOML: tables, keys, arrays and inline tables; see toml.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/toml.h"

#include <string.h>

#include "kit/read/toml-parts.h"

typedef struct Parser {
  TomlText text;
  Toml *toml;
  GTree *keys; /* "table\nkey" that there were; ordered, as hashes without a seed can be attacked */
  GTree *names; /* of tables with a header */
  char *table;
} Parser;

static void value_free(gpointer data)
{
  TomlValue *v = data;
  if (!v) return;
  g_free(v->text);
  if (v->items) g_ptr_array_unref(v->items);
  g_free(v);
}

static void entry_free(gpointer data)
{
  TomlEntry *e = data;
  g_free(e->table);
  g_free(e->key);
  value_free(e->value);
  g_free(e);
}

static void table_free(gpointer data)
{
  TomlTable *t = data;
  g_free(t->name);
  g_free(t);
}

void toml_free(Toml *t)
{
  if (!t) return;
  g_ptr_array_unref(t->tables);
  g_ptr_array_unref(t->entries);
  g_free(t);
}

const TomlEntry *toml_find(const Toml *t, const char *table, const char *key)
{
  for (guint i = 0; i < t->entries->len; i++) {
    const TomlEntry *e = t->entries->pdata[i];
    if (!strcmp(e->table, table) && !strcmp(e->key, key)) return e;
  }
  return NULL;
}

/* -------------------------------------------------------------------- keys */

static bool read_simple_key(TomlText *t, char **out)
{
  const char *at = t->p;
  if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) return toml_read_string(t, out);
  while (t->p < t->end && (g_ascii_isalnum(*t->p) || *t->p == '_' || *t->p == '-')) t->p++;
  if (t->p == at) return toml_fault_at(t, at, "a key is expected");
  *out = g_strndup(at, (gsize)(t->p - at));
  return true;
}

static char *join(const char *table, const char *key)
{
  return *table ? g_strconcat(table, ".", key, NULL) : g_strdup(key);
}

/* a.b.c: the last one is the key, those before it belong to the table. */
static bool read_key(TomlText *t, const char *table, char **out_table, char **out_key)
{
  *out_table = g_strdup(table);
  for (;;) {
    if (!read_simple_key(t, out_key)) return false;
    toml_skip_blanks(t);
    if (t->p == t->end || *t->p != '.') return true;
    t->p++;
    toml_skip_blanks(t);
    char *more = join(*out_table, *out_key);
    g_free(*out_table);
    g_clear_pointer(out_key, g_free);
    *out_table = more;
  }
}

/* ------------------------------------------------------------------ values */

static bool read_value(Parser *s, const char *table, const char *key, uint32_t depth,
                       TomlValue **out);

static bool read_items(Parser *s, TomlValue *array, uint32_t depth)
{
  TomlText *t = &s->text;
  const char *at = t->p++;
  array->items = g_ptr_array_new_with_free_func(value_free);
  for (;;) {
    TomlValue *item = NULL;
    toml_skip_empty(t);
    if (t->p == t->end) return toml_fault_at(t, at, "an array has no end");
    if (*t->p == ']') break;
    if (*t->p == '{') return toml_fault_at(t, t->p, "tables in arrays are not read");
    bool fine = read_value(s, "", "", depth + 1, &item);
    g_ptr_array_add(array->items, item);
    if (!fine) return false;
    toml_skip_empty(t);
    if (t->p < t->end && *t->p == ',')
      t->p++;
    else if (t->p == t->end || *t->p != ']')
      return toml_fault_at(t, t->p, "an array needs a comma, or its end");
  }
  t->p++;
  return true;
}

static bool read_entry(Parser *s, const char *table, uint32_t depth);

static void add_table(Parser *s, const char *at, const char *name)
{
  TomlTable *table = g_new0(TomlTable, 1);
  table->name = g_strdup(name);
  toml_place(&s->text, at, &table->line, &table->column);
  g_ptr_array_add(s->toml->tables, table);
}

static bool read_inline(Parser *s, const char *table, uint32_t depth)
{
  TomlText *t = &s->text;
  const char *at = t->p++;
  add_table(s, at, table);
  for (;;) {
    toml_skip_blanks(t);
    if (t->p < t->end && *t->p == '}') break;
    if (t->p == t->end || *t->p == '\n') return toml_fault_at(t, at, "an inline table has no end");
    if (!read_entry(s, table, depth + 1)) return false;
    toml_skip_blanks(t);
    if (t->p < t->end && *t->p == ',')
      t->p++;
    else if (t->p == t->end || *t->p != '}')
      return toml_fault_at(t, t->p, "an inline table needs a comma, or its end");
  }
  t->p++;
  return true;
}

/* *out stays NULL for an inline table, whose entries are added. */
static bool read_value(Parser *s, const char *table, const char *key, uint32_t depth,
                       TomlValue **out)
{
  TomlText *t = &s->text;
  if (depth > TOML_MAX_DEPTH) return toml_fault_at(t, t->p, "values are nested too deeply");
  if (t->p < t->end && *t->p == '{') {
    g_autofree char *name = join(table, key);
    return read_inline(s, name, depth);
  }
  *out = g_new0(TomlValue, 1);
  if (t->p < t->end && *t->p == '[') {
    (*out)->type = TOML_ARRAY;
    return read_items(s, *out, depth);
  }
  if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) return toml_read_string(t, &(*out)->text);
  return toml_read_word(t, *out);
}

static int compare_texts(const void *a, const void *b, void *unused)
{
  (void)unused;
  return strcmp(a, b);
}

static bool is_new(GTree *set, char *name)
{
  if (g_tree_lookup(set, name)) {
    g_free(name);
    return false;
  }
  g_tree_insert(set, name, set);
  return true;
}

static bool take_entry(Parser *s, const char *at, char *table, char *key, uint32_t depth)
{
  TomlText *t = &s->text;
  TomlValue *value = NULL;
  toml_skip_blanks(t);
  if (t->p == t->end || *t->p != '=') return toml_fault_at(t, t->p, "a key needs a \"=\"");
  t->p++;
  toml_skip_blanks(t);
  if (!is_new(s->keys, g_strconcat(table, "\n", key, NULL)))
    return toml_fault_at(t, at, "the key %s is there twice", key);
  bool fine = read_value(s, table, key, depth, &value);
  if (!fine || !value) {
    value_free(value);
    return fine;
  }
  TomlEntry *e = g_new0(TomlEntry, 1);
  *e = (TomlEntry){ .table = g_strdup(table), .key = g_strdup(key), .value = value };
  toml_place(t, at, &e->line, &e->column);
  g_ptr_array_add(s->toml->entries, e);
  return true;
}

static bool read_entry(Parser *s, const char *table, uint32_t depth)
{
  g_autofree char *whole = NULL, *key = NULL;
  const char *at = s->text.p;
  return read_key(&s->text, table, &whole, &key) && take_entry(s, at, whole, key, depth);
}

/* ------------------------------------------------------------------- lines */

static bool read_header(Parser *s)
{
  TomlText *t = &s->text;
  g_autofree char *table = NULL, *key = NULL;
  const char *at = t->p++;
  if (t->p < t->end && *t->p == '[') return toml_fault_at(t, at, "arrays of tables are not read");
  toml_skip_blanks(t);
  if (!read_key(t, "", &table, &key)) return false;
  if (t->p == t->end || *t->p != ']') return toml_fault_at(t, t->p, "a table's name needs a \"]\"");
  t->p++;
  g_free(s->table);
  s->table = join(table, key);
  if (!is_new(s->names, g_strdup(s->table)))
    return toml_fault_at(t, at, "the table %s is there twice", s->table);
  add_table(s, at, s->table);
  return true;
}

static bool read_line(Parser *s)
{
  TomlText *t = &s->text;
  if (!(*t->p == '[' ? read_header(s) : read_entry(s, s->table, 0))) return false;
  toml_skip_blanks(t);
  if (t->p < t->end && *t->p != '#' && *t->p != '\n')
    return toml_fault_at(t, t->p, "more follows on the line");
  return true;
}

/* Also in comments; a byte 0 is none either, nor is a CR without its LF. */
static bool is_text(Parser *s)
{
  const char *bad;
  TomlText *t = &s->text;
  if (!g_utf8_validate_len(t->begin, (gsize)(t->end - t->begin), &bad))
    return toml_fault_at(t, bad, "a byte is not of UTF-8");
  for (const char *p = t->begin; p < t->end && (p = memchr(p, '\r', (size_t)(t->end - p))); p++)
    if (p + 1 == t->end || p[1] != '\n') return toml_fault_at(t, p, "a CR needs an LF behind it");
  return true;
}

Toml *toml_read(const char *text, size_t len, TomlFault *out)
{
  *out = (TomlFault){ 0 };
  Parser s = { .text = { text, text, text + len, out },
               .toml = g_new0(Toml, 1),
               .keys = g_tree_new_full(compare_texts, NULL, g_free, NULL),
               .names = g_tree_new_full(compare_texts, NULL, g_free, NULL),
               .table = g_strdup("") };
  s.toml->tables = g_ptr_array_new_with_free_func(table_free);
  s.toml->entries = g_ptr_array_new_with_free_func(entry_free);
  bool fine = is_text(&s);
  if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) s.text.p += 3;
  for (toml_skip_empty(&s.text); fine && s.text.p < s.text.end; toml_skip_empty(&s.text))
    fine = read_line(&s);
  g_tree_unref(s.keys);
  g_tree_unref(s.names);
  g_free(s.table);
  if (fine) return s.toml;
  toml_free(s.toml);
  return NULL;
}
