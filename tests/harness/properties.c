/* The same case in other manners must give the same result; summaries must obey the laws of
 * merging. */
#include "harness-internal.h"

#include <string.h>

/* ---- a result as text */

static void append_notices(GString *out, const HarnessResult *r)
{
  const MillStage *stage = r->notices.stage;
  for (uint32_t i = 0; i < stage->n_notices; i++)
    if (r->notices.counts[i].count)
      g_string_append_printf(out, "notice %u: %" G_GUINT64_FORMAT "\n", stage->notices[i].number,
                             r->notices.counts[i].count);
}

static void append_rows(GString *out, const MillTable *table, const RowSet *rows, uint32_t lane)
{
  for (guint i = 0; i < rows->cells->len; i++) {
    g_autofree char *cell = harness_value_format(&g_array_index(rows->cells, MillValue, i));
    if (i % rows->n_columns == 0) g_string_append_printf(out, "%s (%d):", table->name, (int)lane);
    g_string_append_printf(out, " | %s%s", cell, (i + 1) % rows->n_columns ? "" : "\n");
  }
}

static void append_report(GString *out, const HarnessReport *report)
{
  const MillStage *stage = report->reported->stage;
  for (uint32_t t = 0; t < stage->n_tables; t++)
    append_rows(out, &stage->tables[t], &report->reported->tables[t], report->lane);
  for (guint i = 0; i < report->reported->metrics->len; i++) {
    const MetricValue *m = &g_array_index(report->reported->metrics, MetricValue, i);
    g_autofree char *value = harness_value_format(&m->value);
    g_string_append_printf(out, "%s (%d) %s: %s\n", stage->metrics[m->metric].name,
                           (int)report->lane, m->stat,
                           m->value.type == MILL_NONE ? "not applicable" : value);
  }
}

char *harness_result_text(const HarnessResult *r)
{
  GString *out = g_string_new(NULL);
  for (guint l = 0; l < r->events->len; l++) {
    const GPtrArray *events = r->events->pdata[l];
    g_string_append_printf(out, "lane %u\n", l);
    for (guint i = 0; i < events->len; i++) {
      g_autofree char *line = harness_line_format(events->pdata[i]);
      g_string_append_printf(out, "%s\n", line);
    }
  }
  for (guint i = 0; i < r->reports->len; i++) append_report(out, r->reports->pdata[i]);
  append_notices(out, r);
  if (r->status)
    g_string_append_printf(out, "status %u: %s\n", r->status, r->failure ? r->failure : "");
  return g_string_free(out, FALSE);
}

/* ---- other manners */

static char *first_difference(const char *a, const char *b)
{
  g_auto(GStrv) x = g_strsplit(a, "\n", -1);
  g_auto(GStrv) y = g_strsplit(b, "\n", -1);
  guint i = 0;
  while (x[i] && y[i] && g_str_equal(x[i], y[i])) i++;
  return g_strdup_printf("\"%s\" against \"%s\"", x[i] ? x[i] : "(end)", y[i] ? y[i] : "(end)");
}

static void check_manner(const HarnessCase *c, const char *reference, HarnessManner manner,
                         const char *what, GPtrArray *broken)
{
  HarnessResult *r = harness_drive(c, &manner);
  g_autofree char *text = harness_result_text(r);
  if (!g_str_equal(text, reference)) {
    g_autofree char *difference = first_difference(reference, text);
    g_ptr_array_add(broken, g_strdup_printf("%s changes the result: %s", what, difference));
  }
  for (guint i = 0; i < r->broken->len; i++)
    g_ptr_array_add(broken, g_strdup_printf("%s: %s", what, (char *)r->broken->pdata[i]));
  harness_result_free(r);
}

/* Little or no input is nothing that a stage may fail over. */
static void check_small(const HarnessCase *c, uint32_t max_events, GPtrArray *broken)
{
  HarnessManner manner = { .batch_size = 1024, .max_events = max_events };
  HarnessResult *r = harness_drive(c, &manner);
  if (r->status)
    g_ptr_array_add(broken,
                    g_strdup_printf("with %u events a lane it fails: %s", max_events, r->failure));
  for (guint i = 0; i < r->broken->len; i++)
    g_ptr_array_add(broken, g_strdup_printf("with %u events a lane: %s", max_events,
                                            (char *)r->broken->pdata[i]));
  harness_result_free(r);
}

/* ---- the laws of merging */

static bool same_bytes(const Summary *a, const Summary *b)
{
  return a->len == b->len && (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static void fold_two(const HarnessCase *c, const Summary *a, const Summary *b, Summary *out,
                     HarnessResult *r)
{
  const Summary *both[] = { a, b };
  harness_fold(c, both, 2, out, r);
}

static void check_merging(const HarnessCase *c, HarnessResult *r, GPtrArray *broken)
{
  guint n = r->states->len;
  if (n == 0) return;
  const Summary *x = r->states->pdata[0], *y = r->states->pdata[1 % n],
                *z = r->states->pdata[2 % n];
  Summary same = { 0 }, xy = { 0 }, xy_z = { 0 }, yz = { 0 }, x_yz = { 0 }, yx = { 0 };
  harness_fold(c, &x, 1, &same, r);
  if (!same_bytes(&same, x))
    g_ptr_array_add(broken, g_strdup("save and merge into a fresh instance is no identity"));
  fold_two(c, x, y, &xy, r);
  fold_two(c, &xy, z, &xy_z, r);
  fold_two(c, y, z, &yz, r);
  fold_two(c, x, &yz, &x_yz, r);
  if (!same_bytes(&xy_z, &x_yz)) g_ptr_array_add(broken, g_strdup("merging is not associative"));
  fold_two(c, y, x, &yx, r);
  if ((c->stage->flags & MILL_ANY_ORDER) && !same_bytes(&xy, &yx))
    g_ptr_array_add(broken, g_strdup("MILL_ANY_ORDER, but the order of merging matters"));
  Summary *const all[] = { &same, &xy, &xy_z, &yz, &x_yz, &yx };
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) summary_clear(all[i]);
}

GPtrArray *harness_broken_properties(const HarnessCase *c)
{
  GPtrArray *broken = g_ptr_array_new_with_free_func(g_free);
  HarnessManner plain = { .batch_size = 1024, .max_events = UINT32_MAX };
  HarnessManner ones = plain, sevens = plain, shuffled = plain, reversed = plain;
  ones.batch_size = 1;
  sevens.batch_size = 7;
  shuffled.shuffle_symbols = reversed.reverse_lanes = true;
  HarnessResult *r = harness_drive(c, &plain);
  g_autofree char *reference = harness_result_text(r);
  check_manner(c, reference, ones, "a batch size of 1", broken);
  check_manner(c, reference, sevens, "a batch size of 7", broken);
  check_manner(c, reference, shuffled, "another order of symbols", broken);
  if (c->lanes->len > 1 && !r->status)
    check_manner(c, reference, reversed, "serving lanes in reverse", broken);
  if (!r->status) {
    check_small(c, 0, broken);
    check_small(c, 1, broken);
    guint n = r->broken->len;
    check_merging(c, r, broken);
    for (; n < r->broken->len; n++) g_ptr_array_add(broken, g_strdup((char *)r->broken->pdata[n]));
  }
  harness_result_free(r);
  return broken;
}
