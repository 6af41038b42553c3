/* By which tags lanes are put into groups; see lane-groups.h. */
/* SPDX-License-Identifier: MIT */
#include "model/lane-groups.h"

#include <string.h>

#include "base/hash-seed.h"
#include "base/num-digits.h"
#include "base/tag-text.h"
#include "model/lane-names.h"

#define AUTO "auto"
#define NONE "none"

enum { DIGITS_OF_A_DAY = 8 }; /* 20251128, and more of them for times and seconds since 1970 */

/* The values of a tag, one for each lane that counts. */
typedef struct Values {
  const char *tag;
  GPtrArray *lanes; /* const LaneInfo * */
  GPtrArray *texts; /* const char *; "": the lane lacks it */
  guint n_distinct;
} Values;

static const char *text_at(const Values *v, guint i) { return v->texts->pdata[i]; }

static void values_clear(Values *v)
{
  g_ptr_array_unref(v->lanes);
  g_ptr_array_unref(v->texts);
}

/* Values of tags and labels live as long as their lanes. */
static Values values_of(const GPtrArray *lanes, const char *tag)
{
  Values v = { .tag = tag, .lanes = g_ptr_array_new(), .texts = g_ptr_array_new() };
  g_autoptr(GHashTable) seen = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < lanes->len; i++) {
    const LaneInfo *lane = lanes->pdata[i];
    if (lane->side || lane->skipped) continue;
    const char *text = tags_get(lane->tags, tag);
    if (!text && !strcmp(tag, "label")) text = lane->label;
    if (!text) text = "";
    g_hash_table_add(seen, (gpointer)text);
    g_ptr_array_add(v.lanes, (gpointer)lane);
    g_ptr_array_add(v.texts, (gpointer)text);
  }
  v.n_distinct = g_hash_table_size(seen);
  return v;
}

static bool same_values(const Values *a, const Values *b)
{
  for (guint i = 0; i < a->texts->len; i++)
    if (strcmp(text_at(a, i), text_at(b, i))) return false;
  return true;
}

/* ------------------------------------------------------- what tells no configurations apart */

/* Of "rep0" the "0": behind what all values begin with, and no digit. */
static size_t alike(const Values *v)
{
  const char *first = text_at(v, 0);
  size_t len = strcspn(first, "0123456789");
  for (guint i = 1; i < v->texts->len; i++)
    while (len && strncmp(first, text_at(v, i), len)) len--;
  return len;
}

/* 0, 1, 2, ...: a count of what was done again. */
static bool is_index(const Values *v, size_t from)
{
  g_autofree bool *seen = g_new0(bool, v->n_distinct + 1);
  int64_t number;
  for (guint i = 0; i < v->texts->len; i++) {
    const char *text = text_at(v, i) + from;
    if (!digits_read(text, strlen(text), &number)) return false;
    if (number < 0 || number >= v->n_distinct) return false;
    seen[number] = true;
  }
  for (guint i = 0; i < v->n_distinct; i++)
    if (!seen[i]) return false;
  return true;
}

static bool is_time_text(const char *text)
{
  guint digits = 0;
  for (const char *c = text; *c; c++) {
    digits += g_ascii_isdigit(*c);
    if (!g_ascii_isdigit(*c) && !strchr("-_:. TZ+", *c)) return false;
  }
  return digits >= DIGITS_OF_A_DAY;
}

static bool is_time(const Values *v, size_t from)
{
  for (guint i = 0; i < v->texts->len; i++)
    if (!is_time_text(text_at(v, i) + from)) return false;
  return true;
}

/* Two values may as well be off and on. */
static bool counts_lanes(const Values *v)
{
  const size_t from = alike(v);
  if (v->n_distinct < v->texts->len) return false;
  return is_time(v, from) || (v->n_distinct > 2 && is_index(v, from));
}

/* A folder above the file, or its name with or without what stands after the dot. */
static bool is_part_of(const char *text, const char *path)
{
  const size_t len = strlen(text);
  for (const char *at = path; len && at; at = strchr(at, '/')) {
    at += *at == '/';
    const char end = !strncmp(at, text, len) ? at[len] : 'x';
    if (!end || end == '/' || (end == '.' && !strchr(at, '/'))) return true;
  }
  return false;
}

static bool is_path(const Values *v)
{
  for (guint i = 0; i < v->texts->len; i++) {
    const LaneInfo *lane = v->lanes->pdata[i];
    if (!strchr(text_at(v, i), '/') && !(lane->path && is_part_of(text_at(v, i), lane->path)))
      return false;
  }
  return true;
}

/* ----------------------------------------------------------------- choosing */

/* A source may make a tag of the label, too. */
static bool is_label(const GArray *chosen, const Values *v)
{
  const Values *first = chosen->len ? &g_array_index(chosen, Values, 0) : NULL;
  return first && !strcmp(first->tag, "label") && same_values(first, v);
}

static void choose(GArray *chosen, Values *v)
{
  if (v->n_distinct < 2 || is_label(chosen, v))
    values_clear(v);
  else
    g_array_append_val(chosen, *v);
}

/* Lanes that the chosen tags do not tell apart have one value of it. */
static bool is_decided(const GArray *chosen, const Values *v)
{
  g_autoptr(GHashTable) value_of = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
  for (guint i = 0; i < v->texts->len; i++) {
    GString *key = g_string_new(NULL);
    for (guint c = 0; c < chosen->len; c++)
      tag_text_add(key, "", text_at(&g_array_index(chosen, Values, c), i));
    const char *other = g_hash_table_lookup(value_of, key->str);
    const bool differs = other && strcmp(other, text_at(v, i));
    g_hash_table_replace(value_of, g_string_free(key, FALSE), (gpointer)text_at(v, i));
    if (differs) return false;
  }
  return true;
}

static bool names_configurations(const GArray *chosen, const Values *path)
{
  const size_t from = alike(path);
  return !is_decided(chosen, path) && !is_index(path, from) && !is_time(path, from);
}

static void clear_values(gpointer values) { values_clear(values); }

static void add_tag(GPtrArray *by, const char *tag)
{
  if (!g_ptr_array_find_with_equal_func(by, tag, g_str_equal, NULL))
    g_ptr_array_add(by, g_strdup(tag));
}

/* Names of folders and files count only where runs in different ones are otherwise alike.  Of two that say the same the last
 * one is what a result says of itself.  Rows are sorted by them before tags of as many values. */
static void add_paths(GArray *chosen, const GArray *paths)
{
  for (guint i = paths->len; i-- > 0;) {
    Values path = g_array_index(paths, Values, i);
    if (!names_configurations(chosen, &path)) continue;
    g_ptr_array_ref(path.lanes);
    g_ptr_array_ref(path.texts);
    g_array_prepend_val(chosen, path);
  }
}

/* Those with few values first: a row of many loads then stands below each of them. */
static gint by_number(gconstpointer a, gconstpointer b)
{
  const Values *x = a, *y = b;
  const bool x_label = !strcmp(x->tag, "label"), y_label = !strcmp(y->tag, "label");
  if (x_label != y_label) return x_label ? -1 : 1;
  return (x->n_distinct > y->n_distinct) - (x->n_distinct < y->n_distinct);
}

/* Labels were typed, and count whatever they are. */
static void add_differing(GPtrArray *by, const GPtrArray *lanes)
{
  g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(Values)),
                    paths = g_array_new(FALSE, FALSE, sizeof(Values));
  g_autofree char **tags = lane_names_tags(lanes);
  g_array_set_clear_func(chosen, clear_values);
  g_array_set_clear_func(paths, clear_values);
  Values label = values_of(lanes, "label");
  choose(chosen, &label);
  for (char **tag = tags; *tag; tag++) {
    Values v = values_of(lanes, *tag);
    if (v.n_distinct < 2 || counts_lanes(&v))
      values_clear(&v);
    else if (is_path(&v))
      g_array_append_val(paths, v);
    else
      choose(chosen, &v);
  }
  add_paths(chosen, paths);
  g_array_sort(chosen, by_number); /* which keeps the order of equals */
  for (guint i = 0; i < chosen->len; i++) add_tag(by, g_array_index(chosen, Values, i).tag);
}

static void remove_tag(GPtrArray *by, const char *tag)
{
  guint index;
  if (g_ptr_array_find_with_equal_func(by, tag, g_str_equal, &index))
    g_ptr_array_remove_index(by, index);
}

bool lane_groups_is_tag(const char *word)
{
  return *word != '-' && strcmp(word, AUTO) != 0 && strcmp(word, NONE) != 0;
}

bool lane_groups_need_lanes(const GPtrArray *words)
{
  return g_ptr_array_find_with_equal_func((GPtrArray *)words, AUTO, g_str_equal, NULL);
}

GPtrArray *lane_groups_by(const GPtrArray *words, const GPtrArray *lanes)
{
  GPtrArray *by = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < words->len; i++) {
    const char *word = words->pdata[i];
    if (!strcmp(word, AUTO)) add_differing(by, lanes);
    if (lane_groups_is_tag(word)) add_tag(by, word);
  }
  for (guint i = 0; i < words->len; i++)
    if (*(const char *)words->pdata[i] == '-') remove_tag(by, (const char *)words->pdata[i] + 1);
  return by;
}
