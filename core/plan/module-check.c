/* Checking a descriptor: every promise that can be read from its data; see module-check.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-check.h"

#include <string.h>

#include "base/hash-seed.h"
#include "model/option.h"
#include "model/rows.h"
#include "plan/figure-check.h"
#include "plan/module.h"

#define KNOWN_STAGE_FLAGS                                                                     \
  ((uint32_t)(MILL_READ_ONLY | MILL_MAY_DROP | MILL_MAY_EMIT | MILL_MERGES | MILL_ANY_ORDER | \
              MILL_MOVES_BASE))
#define KNOWN_SINK_FLAGS                                                               \
  ((uint32_t)(MILL_READS_RAW | MILL_USUAL | MILL_SUMMARY | MILL_DOCUMENT | MILL_PAGE | \
              MILL_DRAWS | MILL_CONVERTS))
#define KNOWN_COLUMN_FLAGS                                                                   \
  ((uint32_t)(MILL_COLUMN_KEY | MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER | MILL_COLUMN_HIGHER | \
              MILL_COLUMN_FINDING))
#define MOST_UNIT 16u /* bytes */

static void fault(GPtrArray *out, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void fault(GPtrArray *out, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_ptr_array_add(out, g_strdup_vprintf(format, args));
  va_end(args);
}

static bool is_empty(const char *text) { return !text || !*text; }

static bool is_tag(const char *tag)
{
  size_t len = tag ? strlen(tag) : 0;
  return len >= 2 && len <= 6 && strspn(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == len;
}

/* Row i of a table of `what`. */
static bool is_named(const char *what, uint32_t i, const char *name, char joint, GPtrArray *out)
{
  if (module_is_joined(name, joint)) return true;
  fault(out, "%s %u: name \"%s\": expected lower-case words joined by '%c'", what, i + 1,
        name ? name : "", joint);
  return false;
}

/* "ns", "tok/s": one short word.  Without a unit is fine, too. */
static void check_unit(const char *what, const char *name, const char *unit, GPtrArray *out)
{
  bool fine = !unit || (*unit && strlen(unit) <= MOST_UNIT && g_utf8_validate(unit, -1, NULL));
  for (const char *p = unit; fine && p && *p; p++)
    fine = !g_ascii_isspace(*p) && !g_ascii_iscntrl(*p);
  if (!fine) fault(out, "%s \"%s\" has a unit \"%s\" that is not a short word", what, name, unit);
}

/* True when an earlier row has the same name: `names` is a set. */
static bool seen_before(GHashTable *names, const char *name)
{
  return !g_hash_table_add(names, (gpointer)name);
}

static void check_identity(const Descriptor *s, GPtrArray *out)
{
  if (!module_is_name(s->name))
    fault(out,
          "name \"%s\": expected lower-case words joined by '-', after at most one vendor prefix "
          "with a dot",
          s->name ? s->name : "");
  if (s->kind != MILL_KIND_SOURCE && !module_is_kebab(s->family)) /* of a source it is the name */
    fault(out, "family \"%s\": expected lower-case words joined by '-'",
          s->family ? s->family : "");
  if (!is_tag(s->tag)) fault(out, "tag \"%s\": expected 2 to 6 capitals", s->tag ? s->tag : "");
  if (is_empty(s->version) || strpbrk(s->version, " \t\n"))
    fault(out, "version: expected a text such as 1.0.0");
  if (is_empty(s->title) || strchr(s->title, '\n')) fault(out, "title: expected one line of text");
  if (is_empty(s->help)) fault(out, "help: expected a paragraph");
}

/* A pair of calls, of which one without the other would lose what it is given. */
static void check_pair(bool save, bool load, const char *names, GPtrArray *out)
{
  if (save != load) fault(out, "operations: %s: each needs the other", names);
}

static void check_stage_kind(const Descriptor *s, GPtrArray *out)
{
  const MillStageOps *ops = s->stage_ops;
  bool run = s->scope == MILL_SCOPE_RUN;
  if (s->scope < MILL_SCOPE_EVENT || s->scope > MILL_SCOPE_WHOLE)
    fault(out, "scope: unknown value %u", s->scope);
  if (!ops) return fault(out, "operations: there are none");
  if (!ops->open) fault(out, "operations: open is needed");
  if (!ops->process && !ops->observe)
    fault(out, "operations: one of process and observe is needed");
  if (s->scope == MILL_SCOPE_EVENT && ops->observe)
    fault(out, "operations: observe needs scope lane, run or whole");
  check_pair(ops->save_observed, ops->merge_observed, "save_observed and merge_observed", out);
  check_pair(ops->save_decision, ops->load_decision, "save_decision and load_decision", out);
  check_pair(ops->save_result, ops->merge_result, "save_result and merge_result", out);
  if (run && ops->observe && !ops->merge_observed)
    fault(out, "operations: observe on scope run needs save_observed and merge_observed");
  if (!run && ops->merge_observed)
    fault(out, "operations: save_observed and merge_observed need scope run");
  if (s->flags & MILL_MERGES && !ops->merge_result)
    fault(out, "operations: save_result and merge_result are needed by a stage that merges");
}

static void check_source_kind(const Descriptor *s, GPtrArray *out)
{
  const MillSourceOps *ops = s->source_ops;
  if (!ops) return fault(out, "operations: there are none");
  if (!ops->open) fault(out, "operations: open is needed");
  if (s->side && !module_is_kebab(s->side)) fault(out, "side: the label is not in kebab-case");
  if (!ops->next && !ops->parse && !ops->expand)
    fault(out, "operations: one of next, parse and expand is needed");
  for (uint32_t i = 0; i < s->n_magic; i++)
    if (!s->magic[i].bytes || !s->magic[i].len || s->magic[i].len > 4096 ||
        s->magic[i].offset > 1 << 16)
      fault(out, "magic: row %u cannot be compared", i + 1);
}

static void check_sink_kind(const Descriptor *s, GPtrArray *out)
{
  const MillSinkOps *ops = s->sink_ops;
  if (!ops) return fault(out, "operations: there are none");
  if (!ops->open) fault(out, "operations: open is needed");
  if (!ops->write && !ops->results) fault(out, "operations: one of write and results is needed");
}

static uint32_t known_flags(uint32_t kind)
{
  if (kind == MILL_KIND_STAGE) return KNOWN_STAGE_FLAGS;
  return kind == MILL_KIND_SINK ? KNOWN_SINK_FLAGS : 0;
}

static void check_flags(const Descriptor *s, GPtrArray *out)
{
  uint32_t known = known_flags(s->kind);
  if (s->flags & ~known) fault(out, "flags: unknown ones, 0x%x", s->flags & ~known);
  if (s->kind != MILL_KIND_STAGE) return;
  if (s->flags & MILL_READ_ONLY && s->flags & (MILL_MAY_DROP | MILL_MAY_EMIT))
    fault(out, "flags: a read-only stage neither drops nor emits");
}

static void check_words(const char *what, const char *const *words, GPtrArray *out)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";
  for (uint32_t i = 0; words && words[i]; i++)
    if (!words[i][0] || words[i][strspn(words[i], allowed)])
      fault(out, "%s: \"%s\" is not a fact: expected lower-case words joined by dots", what,
            words[i]);
}

static void check_options(const Descriptor *s, GPtrArray *out)
{
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  g_autoptr(GHashTable) fields = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < s->n_options; i++) {
    const MillOption *row = &s->options[i];
    if (!is_named("option", i, row->name, '-', out)) continue;
    if (seen_before(names, row->name)) fault(out, "option \"%s\" is duplicated", row->name);
    if (!g_hash_table_add(fields, GUINT_TO_POINTER(row->offset)))
      fault(out, "option \"%s\" shares its field with another", row->name);
    if (is_empty(row->help)) fault(out, "option \"%s\" has no help", row->name);
    check_unit("option", row->name, row->unit, out);
    g_autofree char *why = option_row_fault(row, s->options_size);
    if (why) fault(out, "option \"%s\" %s", row->name, why);
  }
}

/* The end of "{name}" or of "[one|many]" that begins at p; NULL when it has none.  A name within brackets
 * would not be filled in. */
static const char *end_of_part(const char *p)
{
  if (*p == '{') {
    const char *end = p + 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return *end == '}' && end > p + 1 ? end : NULL;
  }
  const char *end = p + 1 + strcspn(p + 1, "[]{}");
  const char *bar = memchr(p, '|', (size_t)(end - p));
  bool third = bar && memchr(bar + 1, '|', (size_t)(end - bar - 1));
  return *end == ']' && !third ? end : NULL;
}

static bool is_template(const char *text)
{
  for (const char *p = text; p && *p; p++) {
    if (*p == '}' || *p == ']') return false;
    if (*p == '{' || *p == '[') p = end_of_part(p);
    if (!p) return false;
  }
  return true;
}

static void check_notices(const Descriptor *s, GPtrArray *out)
{
  g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
  for (uint32_t i = 0; i < s->n_notices; i++) {
    const MillNotice *row = &s->notices[i];
    if (!row->number || row->number > 999)
      fault(out, "notice %u: number %u is not in 1 to 999", i + 1, row->number);
    if (!g_hash_table_add(numbers, GUINT_TO_POINTER(row->number)))
      fault(out, "notice %u: number %u is duplicated", i + 1, row->number);
    if (row->level < MILL_LEVEL_ERROR || row->level > MILL_LEVEL_TRACE)
      fault(out, "notice %u: unknown level %u", row->number, row->level);
    if (is_empty(row->what)) fault(out, "notice %u: it has no text", row->number);
    const char *const texts[] = { row->what, row->effect, row->help };
    for (size_t k = 0; k < G_N_ELEMENTS(texts); k++)
      if (!is_template(texts[k]))
        fault(out, "notice %u: \"%s\": expected each {name} and each [one|many] to be whole",
              row->number, texts[k]);
  }
}

static bool is_cell_type(uint32_t type)
{
  return type == MILL_INT || type == MILL_REAL || type == MILL_TEXT || type == MILL_BOOL;
}

static bool fits_field(const MillColumn *c)
{
  static const struct {
    uint32_t type;
    size_t size;
  } fields[] = { [MILL_FIELD_INT] = { MILL_INT, sizeof(int64_t) },
                 [MILL_FIELD_REAL] = { MILL_REAL, sizeof(double) },
                 [MILL_FIELD_BOOL] = { MILL_BOOL, sizeof(bool) },
                 [MILL_FIELD_STRING] = { MILL_TEXT, sizeof(const char *) },
                 [MILL_FIELD_TEXT] = { MILL_TEXT, sizeof(MillText) },
                 [MILL_FIELD_SYM] = { MILL_TEXT, sizeof(MillSym) },
                 [MILL_FIELD_MAYBE] = { MILL_BOOL, sizeof(int8_t) } };
  if (!c->field) return !c->row_size;
  return c->field < G_N_ELEMENTS(fields) && c->type == fields[c->field].type &&
         c->offset <= c->row_size && fields[c->field].size <= c->row_size - c->offset;
}

/* A row is one struct, or there is none. */
static void check_fields(const MillTable *table, GPtrArray *out)
{
  for (uint32_t i = 0; i < table->columns.n; i++) {
    const MillColumn *c = &table->columns.at[i];
    if (!fits_field(c) || c->row_size != table->columns.at[0].row_size)
      return fault(out, "table \"%s\": column %u is no field of its rows", table->name, i);
  }
}

static void check_columns(const MillTable *table, GPtrArray *out)
{
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  g_autofree char *what = g_strdup_printf("table \"%s\": column", table->name);
  if (!table->columns.n || !table->columns.at || table->columns.n > 1024)
    return fault(out, "table \"%s\": %u columns", table->name, table->columns.n);
  for (uint32_t i = 0; i < table->columns.n; i++) {
    const MillColumn *column = &table->columns.at[i];
    if (!is_named(what, i, column->name, '_', out)) continue;
    if (seen_before(names, column->name)) fault(out, "%s \"%s\" is duplicated", what, column->name);
    if (!is_cell_type(column->type))
      fault(out, "%s \"%s\" has an unknown type %u", what, column->name, column->type);
    if (column->flags & ~KNOWN_COLUMN_FLAGS)
      fault(out, "%s \"%s\" has unknown flags 0x%x", what, column->name,
            column->flags & ~KNOWN_COLUMN_FLAGS);
    check_unit(what, column->name, column->unit, out);
  }
  check_fields(table, out);
}

/* "-total,name" */
static void check_order(const MillTable *table, GPtrArray *out)
{
  g_auto(GStrv) names = table->order ? g_strsplit(table->order, ",", -1) : NULL;
  for (char **name = names; name && *name; name++) {
    const char *column = *name + (**name == '-');
    if (!table_has_column(table, column))
      fault(out, "table \"%s\": order: there is no column \"%s\"", table->name, column);
  }
}

/* Why no operation of a stage can report a table or metric that it declares; NULL: one can. */
static const char *not_reported(const Descriptor *s, uint32_t per)
{
  const MillStageOps *ops = s->kind == MILL_KIND_STAGE ? s->stage_ops : NULL;
  bool of_run = per == MILL_PER_RUN && s->scope != MILL_SCOPE_WHOLE;
  if (!ops) return NULL;
  if (!of_run) return ops->report ? NULL : "nothing reports it: there is no operation report";
  if (s->scope != MILL_SCOPE_RUN && !(s->flags & MILL_MERGES))
    return "it is per run, so the stage needs scope run or whole, or MILL_MERGES";
  return ops->report_run ? NULL : "nothing reports it: there is no operation report_run";
}

static void check_tables(const Descriptor *s, GPtrArray *out)
{
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (uint32_t i = 0; i < s->n_tables; i++) {
    const MillTable *table = &s->tables[i];
    if (!is_named("table", i, table->name, '-', out)) continue;
    if (seen_before(names, table->name)) fault(out, "table \"%s\" is duplicated", table->name);
    if (table->per > MILL_PER_LANE)
      fault(out, "table \"%s\": per: unknown value %u", table->name, table->per);
    const char *why = not_reported(s, table->per);
    if (why) fault(out, "table \"%s\": %s", table->name, why);
    check_columns(table, out);
    check_order(table, out);
  }
}

/* "mean", "p50", "p99.9", or "p*". */
static bool is_stat(const char *stat)
{
  size_t n = *stat == 'p' ? strspn(stat + 1, "0123456789") : 0;
  const char *rest = stat + 1 + n;
  if (!strcmp(stat, "p*") || (n && *rest == '\0')) return true;
  if (n && *rest == '.') return rest[1] && !rest[1 + strspn(rest + 1, "0123456789")];
  return module_is_joined(stat, '_');
}

static void check_stats(const MillMetric *metric, GPtrArray *out)
{
  g_auto(GStrv) stats = metric->stats ? g_strsplit(metric->stats, ",", -1) : NULL;
  for (char **stat = stats; stat && *stat; stat++)
    if (!is_stat(*stat))
      fault(out, "metric \"%s\": \"%s\" is not a statistic: expected a word, p and a number, or p*",
            metric->name, *stat);
}

/* Words of anybody's spelling. */
static void check_aliases(const MillMetric *metric, GPtrArray *out)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  g_auto(GStrv) names = metric->aliases ? g_strsplit(metric->aliases, ",", -1) : NULL;
  for (char **name = names; name && *name; name++)
    if (!**name || (*name)[strspn(*name, allowed)])
      fault(out, "metric \"%s\": alias \"%s\": expected one word", metric->name, *name);
}

static void check_headline(const MillMetric *metric, GPtrArray *out)
{
  g_auto(GStrv) stats = metric->headline ? g_strsplit(metric->headline, ",", -1) : NULL;
  if (stats && metric->better == MILL_NEITHER)
    fault(out, "metric \"%s\": headline: neither lower nor higher is better", metric->name);
  for (char **stat = stats; stat && *stat; stat++) {
    bool known =
        metric->stats ? metric_has_stat(metric, *stat) : !strcmp(*stat, MILL_HEADLINE_VALUE);
    if (!known)
      fault(out, "metric \"%s\": headline: there is no statistic \"%s\"", metric->name, *stat);
  }
}

static void check_metrics(const Descriptor *s, GPtrArray *out)
{
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (uint32_t i = 0; i < s->n_metrics; i++) {
    const MillMetric *metric = &s->metrics[i];
    if (!is_named("metric", i, metric->name, '_', out)) continue;
    if (seen_before(names, metric->name)) fault(out, "metric \"%s\" is duplicated", metric->name);
    if (metric->kind != MILL_REAL && metric->kind != MILL_INT && metric->kind != MILL_JSON)
      fault(out, "metric \"%s\": unknown kind %u", metric->name, metric->kind);
    if (metric->per > MILL_PER_LANE || metric->better > MILL_HIGHER ||
        metric->inputs > MILL_INPUTS_PAIR)
      fault(out, "metric \"%s\": unknown value of per, better or inputs", metric->name);
    const char *why = not_reported(s, metric->per);
    if (why) fault(out, "metric \"%s\": %s", metric->name, why);
    check_unit("metric", metric->name, metric->unit, out);
    check_stats(metric, out);
    check_aliases(metric, out);
    check_headline(metric, out);
  }
}

static void check_figures(const Descriptor *s, GPtrArray *out)
{
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (uint32_t i = 0; i < s->n_figures; i++) {
    const MillFigure *figure = &s->figures[i];
    if (!is_named("figure", i, figure->name, '-', out)) continue;
    if (seen_before(names, figure->name)) fault(out, "figure \"%s\" is duplicated", figure->name);
    figure_check(s, figure, out);
  }
}

static void check_reads(const Descriptor *s, GPtrArray *out)
{
  for (uint32_t i = 0; i < s->n_reads; i++)
    if (is_empty(s->reads[i].name) || s->reads[i].as > MILL_AS_TEXT)
      fault(out, "reads: row %u is not known", i + 1);
}

GPtrArray *module_faults(const Descriptor *s)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  check_identity(s, out);
  if (s->kind == MILL_KIND_STAGE) check_stage_kind(s, out);
  if (s->kind == MILL_KIND_SOURCE) check_source_kind(s, out);
  if (s->kind == MILL_KIND_SINK) check_sink_kind(s, out);
  check_flags(s, out);
  check_words("needs", s->needs, out);
  check_words("wants", s->wants, out);
  check_words("provides", s->provides, out);
  check_words("spoils", s->spoils, out);
  check_options(s, out);
  check_notices(s, out);
  check_reads(s, out);
  check_tables(s, out);
  check_metrics(s, out);
  check_figures(s, out);
  return out;
}
