/* What moved most, in sentences; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "compare/parts.h"

#define MOST_METRICS 6
#define MOST_ROWS 2      /* of each table */
#define MOST_FINDINGS 30 /* of each side: tables may be many */
#define LONGEST_NAME 200 /* bytes, of keys */

/* ------------------------------------------------------------------ numbers */

/* Whole thousands with commas, else three or four digits. */
static void put_plain(GString *out, double v)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double size = fabs(v);
  if (size >= 1000 && size < 9e15) {
    num_format_count(text, (int64_t)rint(v));
  } else if (size != 0 && (size < 0.01 || size >= 9e15)) {
    g_ascii_formatd(text, sizeof text, "%.3g", v);
  } else {
    g_ascii_formatd(text, sizeof text, size < 1 ? "%.3f" : size < 10 ? "%.2f" : "%.1f", v);
  }
  g_string_append(out, text);
}

static void put_value(GString *out, double v, const char *unit)
{
  char text[NUM_BUF];
  bool fits = fabs(v) < 9e18;
  if (!strcmp(unit, "ns") && fits) {
    num_format_duration(text, (int64_t)rint(v));
    g_string_append(out, text);
  } else if (!strcmp(unit, "bytes") && fits && v >= 0) {
    num_format_size(text, (uint64_t)rint(v));
    g_string_append(out, text);
  } else {
    put_plain(out, v);
  }
}

/* Those that a value carries itself are not said again. */
static bool says_unit(const char *unit)
{
  return *unit && strcmp(unit, "ns") && strcmp(unit, "bytes") && strcmp(unit, "count");
}

static void put_percent(GString *out, double percent)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(text, sizeof text, fabs(percent) < 0.1 ? "%.3f" : "%.1f", percent);
  g_string_append_printf(out, "%s %%", text);
}

/* -------------------------------------------------------------------- names */

static void put_key(GString *out, const MillValue *cell)
{
  char text[NUM_BUF];
  if (cell->type == MILL_TEXT)
    g_string_append_len(out, cell->u.text, MIN(cell->len, LONGEST_NAME));
  else if (cell->type == MILL_REAL)
    g_string_append_len(out, text, (gssize)num_format_real(text, cell->u.r));
  else
    g_string_append_len(out, text, (gssize)num_format_int(text, cell->u.i));
}

static const MillValue *key_cell(const Diff *d, uint32_t group, uint32_t key)
{
  return diff_either(d, group, &d->keys[key]);
}

/* ttft.p99 (rank 3, mode=a) */
static void put_metric_name(GString *out, const Diff *d, uint32_t group)
{
  g_autofree char *place = diff_place(d, group);
  put_key(out, key_cell(d, group, FRAME_METRIC));
  const MillValue *stat = key_cell(d, group, FRAME_STAT);
  if (stat) {
    g_string_append_c(out, '.');
    put_key(out, stat);
  }
  if (*place) g_string_append_printf(out, " (%s)", place);
}

/* total of gemm, 64 */
static void put_row_name(GString *out, const Diff *d, uint32_t group, const DiffCell *cell)
{
  uint32_t n = d->n_keys + (d->match->needs_more ? d->n_more_keys : 0), shown = 0;
  bool alone = cell->column == DIFF_NONE;
  if (!alone) g_string_append(out, d->values[cell->column].column->name);
  for (uint32_t k = 0; k < n; k++) {
    const MillValue *key = key_cell(d, group, k);
    if (!key) continue;
    g_string_append(out, shown ? ", " : alone ? "" : " of ");
    if (key->type != MILL_TEXT) g_string_append_printf(out, "%s ", d->keys[k].column->name);
    put_key(out, key);
    shown++;
  }
}

/* ---------------------------------------------------------------- sentences */

static const char *unit_of(const Diff *d, uint32_t group, const DiffCell *cell, GString *hold)
{
  const MillValue *unit = d->of_metrics ? key_cell(d, group, FRAME_UNIT) : NULL;
  if (unit) g_string_append_len(hold, unit->u.text, unit->len);
  if (!d->of_metrics && cell->column != DIFF_NONE) {
    const char *own = d->values[cell->column].column->unit;
    g_string_append(hold, own ? own : "");
  }
  return hold->str;
}

static void put_change(GString *out, const Writing *w, const Measure *m, const char *unit)
{
  g_string_append(out, m->change < 0 ? " fell" : " rose");
  if (isfinite(m->percent)) {
    g_string_append(out, " by ");
    put_percent(out, fabs(m->percent));
  }
  g_string_append(out, " (from ");
  put_value(out, m->base, unit);
  g_string_append(out, " to ");
  put_value(out, m->changed, unit);
  if (says_unit(unit)) g_string_append_printf(out, " %s", unit);
  if (isfinite(m->low_percent) && isfinite(m->high_percent)) {
    g_string_append(out, "; with confidence ");
    put_percent(out, w->options->confidence * 100);
    g_string_append(out, " by ");
    put_percent(out, m->low_percent);
    g_string_append(out, " to ");
    put_percent(out, m->high_percent);
  }
  g_string_append_c(out, ')');
}

static void put_lone_value(GString *out, const Measure *m, const char *unit)
{
  bool gone = m->verdict == COMPARE_VANISHED;
  double value = gone ? m->base : m->changed;
  g_string_append(out, gone ? " vanished" : " appeared");
  if (!isfinite(value)) return;
  g_string_append(out, gone ? " (was " : " (");
  put_value(out, value, unit);
  g_string_append_printf(out, "%s%s)", says_unit(unit) ? " " : "", says_unit(unit) ? unit : "");
}

static void put_judgement(GString *out, const Diff *d, const DiffRow *row, const DiffCell *cell)
{
  const Measure *m = &cell->measure;
  if (cell->column == DIFF_NONE || !isfinite(m->change) || !m->n_base || !m->n_changed) return;
  uint32_t better = diff_better(d, row->group, &d->values[cell->column]);
  if (better == MILL_NEITHER || m->change == 0) return;
  g_string_append(out, (m->change > 0) == (better == MILL_HIGHER) ? ", which is better"
                                                                  : ", which is worse");
}

void compare_say(Writing *w, const Compared *of, const char *sentence)
{
  g_autoptr(GString) whole = g_string_new(NULL);
  if (of->side) g_string_append_printf(whole, "%s: ", of->side);
  g_string_append(whole, sentence);
  *sheet_add_cells(w->findings) = compare_text(results_text(w->out, whole->str, whole->len));
}

static void put_what_happened(GString *out, const Writing *w, const Diff *d, const DiffRow *row,
                              const DiffCell *cell)
{
  const Measure *m = &cell->measure;
  g_autoptr(GString) hold = g_string_new(NULL);
  const char *unit = unit_of(d, row->group, cell, hold);
  if (m->n_base && m->n_changed && isfinite(m->change))
    put_change(out, w, m, unit);
  else if (m->verdict == COMPARE_APPEARED || m->verdict == COMPARE_VANISHED)
    put_lone_value(out, m, unit);
  else
    g_string_append(out, " changed");
  put_judgement(out, d, row, cell);
}

/* False when it was said of another table: of one lane, rows by rank are those over all. */
static bool add_finding(Writing *w, const Compared *c, const DiffRow *row, const DiffCell *cell)
{
  const Diff *d = c->diff;
  g_autoptr(GString) name = g_string_new(NULL), happened = g_string_new(NULL);
  if (d->of_metrics)
    put_metric_name(name, d, row->group);
  else
    put_row_name(name, d, row->group, cell);
  put_what_happened(happened, w, d, row, cell);
  if (!g_hash_table_add(w->said,
                        g_strconcat(c->side ? c->side : "", "\n", name->str, happened->str, NULL)))
    return false;
  if (!d->of_metrics) g_string_append_printf(name, " (%s)", c->name);
  g_string_append(name, happened->str);
  compare_say(w, c, name->str);
  return true;
}

/* Of a row the main value when it is among the cells, else the first of them that is real. */
static const DiffCell *telling_cell(const Diff *d, const DiffRow *row)
{
  const DiffCell *found = NULL;
  for (uint32_t k = 0; k < row->n_cells; k++) {
    const DiffCell *cell = &g_array_index(d->cells, DiffCell, row->first + k);
    if (cell->measure.verdict <= COMPARE_NEUTRAL) continue;
    if (!found || cell->column == d->main_value) found = cell;
  }
  return found;
}

static void put_count(GString *out, uint64_t n, const char *what)
{
  char text[NUM_BUF];
  if (!n) return;
  num_format_count(text, (int64_t)n);
  g_string_append_printf(out, "%s%s %s", out->len ? ", " : "", text, what);
}

/* "kernel-time: 2 rows appeared, 1 vanished" */
static void add_counts(Writing *w, const Compared *c)
{
  const uint64_t *n = c->diff->counts;
  g_autoptr(GString) text = g_string_new(NULL);
  put_count(text, n[COMPARE_APPEARED], "appeared");
  put_count(text, n[COMPARE_VANISHED], "vanished");
  if (!text->len) return;
  g_string_prepend(text, ": of its rows ");
  g_string_prepend(text, c->name);
  compare_say(w, c, text->str);
}

void compare_find(Writing *w, const Compared *c)
{
  const Diff *d = c->diff;
  guint most = d->of_metrics ? MOST_METRICS : MOST_ROWS, n = 0, n_new = 0;
  for (guint i = 0; i < d->rows->len && n < most && w->findings->rows->len < MOST_FINDINGS; i++) {
    const DiffRow *row = &g_array_index(d->rows, DiffRow, i);
    const DiffCell *cell = telling_cell(d, row);
    if (!cell) continue;
    n_new += add_finding(w, c, row, cell);
    n++;
  }
  if (!d->of_metrics && n_new > 0 && w->findings->rows->len < MOST_FINDINGS) add_counts(w, c);
}

Sheet *compare_findings_sheet(const Writing *w)
{
  static const MillColumn finding = { "finding", NULL, MILL_TEXT,
                                      MILL_COLUMN_BRIEF | MILL_COLUMN_FINDING, "What was found" };
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  g_array_append_val(columns, finding);
  return compare_sheet(w->out, "findings", "What moved most", 9, columns);
}
