/* Runs against each other; see compare.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/compare.h"

#include <string.h>

#include "base/hash-seed.h"
#include "base/num.h"
#include "compare/parts.h"

/* ------------------------------------------------------------------- frames */

static uint32_t n_frames(const CompareSide *base, const CompareSide *other)
{
  return base->runs->len + other->runs->len;
}

static Results *run_at(const CompareSide *base, const CompareSide *other, uint32_t index)
{
  return index < base->runs->len ? base->runs->pdata[index]
                                 : other->runs->pdata[index - base->runs->len];
}

/* Runs without the table get one like those that have it. */
static void fill_gaps(Frame **frames, uint32_t n)
{
  const Frame *like = NULL;
  for (uint32_t i = 0; i < n && !like; i++) like = frames[i];
  for (uint32_t i = 0; i < n; i++)
    if (!frames[i]) frames[i] = frame_empty(like);
}

static Frame **make_frames(const Writing *w, const CompareSide *other, const char *table)
{
  uint32_t n = n_frames(&w->sides[0], other);
  Frame **frames = g_new0(Frame *, n);
  for (uint32_t i = 0; i < n; i++) {
    Results *run = run_at(&w->sides[0], other, i);
    const MillResults *r = results_view(run);
    uint32_t index = table ? frame_find_table(r, table) : 0;
    if (!table)
      frames[i] = frame_of_metrics(run, r, w->out);
    else if (index != UINT32_MAX)
      frames[i] = frame_of_table(r, index);
  }
  fill_gaps(frames, n);
  return frames;
}

static Compared *compared_new(const Writing *w, const CompareSide *other, const char *table)
{
  Compared *c = g_new0(Compared, 1);
  uint32_t n = n_frames(&w->sides[0], other);
  Meter *meter = meter_new(w->options->min_change, w->options->confidence, n);
  c->name = table;
  c->side = w->n_sides > 2 ? other->name : NULL;
  c->frames = make_frames(w, other, table);
  c->diff = diff_new((const Frame *const *)c->frames, n, w->sides[0].runs->len, !table);
  diff_measure(c->diff, meter, w->options->all);
  meter_free(meter);
  return c;
}

static void compared_free(gpointer data)
{
  Compared *c = data;
  for (uint32_t i = 0; i < c->diff->n_frames; i++) frame_free(c->frames[i]);
  diff_free(c->diff);
  g_free(c->frames);
  g_free(c);
}

/* Of one table, or the metrics, one for each other side where some run has it. */
static GPtrArray *compare_all(const Writing *w, const char *table)
{
  GPtrArray *list = g_ptr_array_new_with_free_func(compared_free);
  for (uint32_t i = 1; i < w->n_sides; i++) {
    bool found = !table;
    for (uint32_t r = 0; r < n_frames(&w->sides[0], &w->sides[i]) && !found; r++)
      found = frame_find_table(results_view(run_at(&w->sides[0], &w->sides[i], r)), table) !=
              UINT32_MAX;
    if (found) g_ptr_array_add(list, compared_new(w, &w->sides[i], table));
  }
  return list;
}

static void add_names(GPtrArray *names, const CompareSide *side)
{
  MillTableResult t = { .size = sizeof t };
  for (guint k = 0; k < side->runs->len; k++) {
    const MillResults *r = results_view(side->runs->pdata[k]);
    for (uint32_t i = 0; r->table(r, i, &t); i++)
      if (!g_ptr_array_find_with_equal_func(names, t.name, g_str_equal, NULL))
        g_ptr_array_add(names, (gpointer)t.name);
  }
}

/* ------------------------------------------------------------------ notices */

static const MillNotice apart = {
  .number = 46,
  .level = MILL_LEVEL_WARNING,
  .what = "the column {column} of {table} is not compared",
};

static void add_notice(const Writing *w, const char *table, const char *column)
{
  g_autofree char *what = g_strdup_printf(
      "the column %s of %s is not compared: one side lacks it, or has it in another unit", column,
      table);
  MillNoticeResult n = { .size = sizeof n,
                         .notice = &apart,
                         .code = "RUN-46",
                         .count = 1,
                         .what = results_text(w->out, what, strlen(what)) };
  results_add_notice(w->out, &n);
}

static const MillNotice unjudged = {
  .number = 47,
  .level = MILL_LEVEL_WARNING,
  .what = "{count} headline metric[|s] [is|are] not judged",
};

static char *unjudged_text(const Writing *w, uint64_t n)
{
  if (!w->headlines->len) return g_strdup("these runs have no headline metric");
  return g_strdup_printf("%" G_GUINT64_FORMAT " headline metric%s not judged: %s", n,
                         n == 1 ? " is" : "s are", compare_unjudged(w));
}

/* A gate that judges nothing must not pass without a word. */
static void note_unjudged(const Writing *w, uint64_t n)
{
  if (!w->options->gates || (!n && w->headlines->len)) return;
  g_autofree char *what = unjudged_text(w, n);
  MillNoticeResult r = { .size = sizeof r,
                         .notice = &unjudged,
                         .code = "RUN-47",
                         .count = MAX(n, 1),
                         .what = results_text(w->out, what, strlen(what)),
                         .effect = "a regression of these metrics would not be found" };
  results_add_notice(w->out, &r);
}

static void note_apart(const Writing *w, const Compared *c)
{
  for (guint i = 0; i < c->diff->apart->len; i++)
    add_notice(w, c->name ? c->name : "metrics", c->diff->apart->pdata[i]);
}

/* -------------------------------------------------------------------- whole */

static void set_info(const Writing *w)
{
  char n[NUM_BUF];
  uint64_t n_runs = 0;
  g_autoptr(GString) title = g_string_new(NULL);
  const MillResults *base = results_view(w->sides[0].runs->pdata[0]);
  const char *profile = base->info(base, "profile");
  for (uint32_t i = 0; i < w->n_sides; i++) n_runs += w->sides[i].runs->len;
  for (uint32_t i = 1; i < w->n_sides; i++)
    g_string_append_printf(title, "%s%s", i > 1 ? ", " : "", w->sides[i].name);
  g_string_append_printf(title, " compared with %s · %s", w->sides[0].name, profile ? profile : "");
  num_format_uint(n, n_runs);
  results_set_info(w->out, "program", "stagemill");
  results_set_info(w->out, "version", STAGEMILL_VERSION);
  results_set_info(w->out, "profile", COMPARE_PROFILE);
  results_set_info(w->out, "title", title->str);
  results_set_info(w->out, "inputs", n);
  results_set_info(w->out, "lanes", "0");
}

static void add_up(const GPtrArray *list, uint64_t *io_counts)
{
  for (guint i = 0; i < list->len; i++)
    for (int v = 0; v < COMPARE_N_VERDICTS; v++)
      io_counts[v] += ((const Compared *)list->pdata[i])->diff->counts[v];
}

static bool is_repeated(const CompareSide *sides, uint32_t n_sides)
{
  for (uint32_t i = 1; i < n_sides; i++)
    if (sides[0].runs->len >= COMPARE_REPEATED && sides[i].runs->len >= COMPARE_REPEATED)
      return true;
  return false;
}

static void find_nothing(Writing *w, guint n_before, const uint64_t *counts)
{
  if (w->findings->rows->len > n_before) return;
  const char *text =
      counts[COMPARE_NEUTRAL] ? "nothing changed beyond the noise of the runs" : "nothing changed";
  *sheet_add_cells(w->findings) = compare_text(text);
}

Results *compare_sides(const CompareSide *sides, uint32_t n_sides, const CompareOptions *options,
                       CompareCounts *out_counts)
{
  Writing w = { .out = results_new(),
                .sides = sides,
                .n_sides = n_sides,
                .options = options,
                .repeated = is_repeated(sides, n_sides),
                .said = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL) };
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  for (uint32_t i = 0; i < n_sides; i++) add_names(names, &sides[i]);
  g_ptr_array_add(all, compare_all(&w, NULL));
  for (guint i = 0; i < names->len; i++) g_ptr_array_add(all, compare_all(&w, names->pdata[i]));
  w.findings = compare_findings_sheet(&w);
  Sheet *counts = compare_counts_sheet(&w);
  *out_counts = (CompareCounts){ .rows = { 0 } };
  compare_judge(&w, all->pdata[0]);
  compare_count_headlines(&w, out_counts->headlines);
  compare_say_headlines(&w, all->pdata[0]);
  guint n_said = w.findings->rows->len;
  Sheet *found = compare_found_sheet(&w, all->pdata[0]);
  for (guint i = 0; i < all->len; i++) {
    const GPtrArray *list = all->pdata[i];
    add_up(list, out_counts->rows);
    for (guint k = 0; k < list->len; k++) {
      compare_find(&w, list->pdata[k]);
      note_apart(&w, list->pdata[k]);
      if (i) compare_count_rows(&w, counts, list->pdata[k]);
    }
  }
  note_unjudged(&w, out_counts->headlines[HEADLINE_NOT_JUDGED]);
  find_nothing(&w, n_said, out_counts->rows);
  results_add_sorted(w.out, w.findings);
  if (found) results_add_sorted(w.out, found);
  g_hash_table_unref(w.said);
  compare_write_headlines(&w, all->pdata[0]);
  compare_write_table(&w, all->pdata[0]);
  results_add_sorted(w.out, counts);
  for (guint i = 1; i < all->len; i++) compare_write_table(&w, all->pdata[i]);
  for (guint i = 0; i < names->len; i++) compare_write_figures(&w, names->pdata[i]);
  set_info(&w);
  g_array_unref(w.headlines);
  return w.out;
}
