/* Families of metrics; see family.h. */
/* SPDX-License-Identifier: MIT */
#include "family.h"

#include <string.h>

#include "base/trees.h"
#include "kit/sink/result.h"

#define PREFIX "stagemill_"

/* ------------------------------------------------------------------- words */

void family_escape(GString *out, const char *text, bool in_quotes)
{
  size_t len = strlen(text);
  g_autofree char *mended = NULL;
  for (text = result_valid(text, &len, &mended); *text; text++) {
    if (*text == '\n')
      g_string_append(out, "\\n");
    else if (*text == '\\' || (*text == '"' && in_quotes))
      g_string_append_printf(out, "\\%c", *text);
    else
      g_string_append_c(out, *text);
  }
}

char *family_word(const char *text)
{
  GString *word = g_string_new(g_ascii_isdigit(*text) ? "_" : NULL);
  for (; *text; text++) {
    char c = g_ascii_isalnum(*text) ? *text : '_';
    if (c != '_' || !word->len || word->str[word->len - 1] != '_') g_string_append_c(word, c);
  }
  return g_string_free(word, FALSE);
}

/* ------------------------------------------------------------------- units */

static const struct {
  const char *unit, *base;
  double times, over;
} units[] = {
  { "ns", "seconds", 1, 1e9 },
  { "us", "seconds", 1, 1e6 },
  { "ms", "seconds", 1, 1e3 },
  { "s", "seconds", 1, 1 },
  { "min", "seconds", 60, 1 },
  { "h", "seconds", 3600, 1 },
  { "percent", "ratio", 1, 100 },
  { "pct", "ratio", 1, 100 },
  { "ppm", "ratio", 1, 1e6 },
  { "ratio", "ratio", 1, 1 },
  { "bytes", "bytes", 1, 1 },
  { "B", "bytes", 1, 1 },
  { "KiB", "bytes", 1024, 1 },
  { "MiB", "bytes", 1048576, 1 },
  { "GiB", "bytes", 1073741824, 1 },
  { "kB", "bytes", 1e3, 1 },
  { "MB", "bytes", 1e6, 1 },
  { "GB", "bytes", 1e9, 1 },
  { "TB", "bytes", 1e12, 1 },
  { "Hz", "hertz", 1, 1 },
  { "kHz", "hertz", 1e3, 1 },
  { "MHz", "hertz", 1e6, 1 },
  { "GHz", "hertz", 1e9, 1 },
  { "W", "watts", 1, 1 },
  { "J", "joules", 1, 1 },
  { "mJ", "joules", 1, 1e3 },
  { "tok", "tokens", 1, 1 },
  { "req", "requests", 1, 1 },
  { "GFLOP", "flop", 1e9, 1 },
  { "TFLOP", "flop", 1e12, 1 },
  { "count", "", 1, 1 },
  { "", "", 1, 1 },
};

static BaseUnit plain_unit(const char *unit)
{
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
    if (!strcmp(units[i].unit, unit))
      return (BaseUnit){ units[i].times, units[i].over, g_strdup(units[i].base) };
  g_autofree char *word = family_word(unit);
  return (BaseUnit){ 1, 1, g_ascii_strdown(word, -1) };
}

/* "second" of "seconds": what something is counted per. */
static char *singular(const char *name)
{
  size_t len = strlen(name);
  return g_strndup(name, len && name[len - 1] == 's' ? len - 1 : len);
}

BaseUnit base_unit_of(const char *unit)
{
  const char *slash = strchr(unit, '/');
  if (!slash || slash == unit || !slash[1]) return plain_unit(unit);
  g_autofree char *above = g_strndup(unit, (gsize)(slash - unit));
  BaseUnit top = plain_unit(above), below = plain_unit(slash + 1);
  g_autofree char *per = singular(below.name);
  BaseUnit whole = { top.times * below.over, top.over * below.times,
                     g_strdup_printf("%s%sper_%s", top.name, *top.name ? "_" : "", per) };
  g_free(top.name);
  g_free(below.name);
  return whole;
}

/* ---------------------------------------------------------------- families */

static void family_free(gpointer data)
{
  Family *f = data;
  g_free(f->name);
  g_free(f->unit);
  g_free(f->help);
  g_string_free(f->samples, TRUE);
  g_free(f);
}

void families_init(Families *f)
{
  f->list = g_ptr_array_new_with_free_func(family_free);
  f->by_key = g_tree_new_full(trees_by_text, NULL, g_free, NULL);
  f->names = text_set_new();
  f->series = text_set_new();
}

void families_clear(Families *f)
{
  g_tree_unref(f->series);
  g_tree_unref(f->names);
  g_tree_unref(f->by_key);
  g_ptr_array_unref(f->list);
}

/* The unit is the end of the name, as the format demands, and is there once. */
static char *name_with(const char *word, const char *unit, unsigned number)
{
  g_autofree char *end = g_strdup_printf("_%s", unit);
  GString *name = g_string_new(PREFIX);
  g_string_append(name, word);
  if (*unit && g_str_has_suffix(name->str, end)) g_string_truncate(name, name->len - strlen(end));
  if (number > 1) g_string_append_printf(name, "_%u", number);
  if (*unit) g_string_append(name, end);
  return g_string_free(name, FALSE);
}

/* What other types have at the end of their samples' names would be taken for theirs. */
static bool is_misleading(const char *name)
{
  static const char *const ends[] = { "_total",  "_created", "_count", "_sum",
                                      "_bucket", "_gcount",  "_gsum",  "_info" };
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
    if (g_str_has_suffix(name, ends[i])) return true;
  return false;
}

static char *take_name(Families *f, const char *metric, const char *unit)
{
  g_autofree char *plain = family_word(metric), *lower = g_ascii_strdown(plain, -1);
  g_autofree char *word =
      is_misleading(lower) && !*unit ? g_strconcat(lower, "_value", NULL) : g_strdup(lower);
  for (unsigned number = 1;; number++) {
    char *name = name_with(word, unit, number);
    if (!text_set_has(f->names, name)) {
      text_set_add(f->names, g_strdup(name));
      return name;
    }
    g_free(name);
  }
}

Family *families_find(Families *f, const char *metric, const char *unit, const char *help)
{
  g_autofree char *key = g_strdup_printf("%s\n%s", metric, unit);
  Family *family = g_tree_lookup(f->by_key, key);
  if (family) return family;
  family = g_new0(Family, 1);
  family->name = take_name(f, metric, unit);
  family->unit = g_strdup(unit);
  family->help = g_strdup(help);
  family->samples = g_string_new(NULL);
  g_ptr_array_add(f->list, family);
  g_tree_insert(f->by_key, g_steal_pointer(&key), family);
  return family;
}

bool families_add(Families *f, Family *family, const char *labels, const char *value)
{
  char *series = *labels ? g_strdup_printf("%s{%s}", family->name, labels) : g_strdup(family->name);
  if (text_set_has(f->series, series)) {
    g_free(series);
    return false;
  }
  g_string_append_printf(family->samples, "%s %s\n", series, value);
  text_set_add(f->series, series);
  return true;
}
