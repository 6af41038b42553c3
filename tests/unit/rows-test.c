/* Reported rows and metrics: copied, and refused when they are not what was declared. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/rows.h"

static const MillColumn columns[] = {
  { .name = "name", .type = MILL_TEXT, .flags = MILL_COLUMN_KEY },
  { .name = "total", .unit = "ns", .type = MILL_INT },
};
static const MillTable tables[] = { { .name = "t", .columns = MILL_ROWS(columns) } };
static const MillMetric metrics[] = {
  { .kind = MILL_REAL, .name = "m", .stats = "mean,p50" },
  { .kind = MILL_INT, .name = "single" },
};
static const Descriptor stage = {
  .name = "s", .tables = tables, .n_tables = 1, .metrics = metrics, .n_metrics = 2
};

static void test_rows(void)
{
  Reported *r = reported_new(&stage);
  char text[] = "changes later";
  MillValue good[] = { mill_text(text, 7), mill_int(5) }, absent[] = { mill_none(), mill_none() };
  MillValue wrong[] = { mill_int(1), mill_int(5) };
  CHECK(reported_add_row(r, 0, good, 2) == NULL);
  memset(text, 'x', 7);
  CHECK(reported_add_row(r, 0, absent, 2) == NULL);
  CHECK(reported_add_row(r, 0, good, 1) != NULL);
  CHECK(reported_add_row(r, 1, good, 2) != NULL);
  CHECK(reported_add_row(r, 0, wrong, 2) != NULL);
  CHECK_INT(r->tables[0].n_rows, 2);
  const MillValue *cell = row_set_at(&r->tables[0], 0);
  CHECK(cell->len == 7 && !memcmp(cell->u.text, "changes", 7));
  reported_free(r);
}

static const char *text_of_row(const Reported *r, guint row)
{
  return row_set_at(&r->tables[0], row)->u.text;
}

static void test_texts_that_come_again_are_kept_once(void)
{
  static const char *const texts[] = { "one", "one", "two", "on", "one" };
  Reported *r = reported_new(&stage);
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
    const MillValue cells[] = { mill_text(texts[i], strlen(texts[i])), mill_int(5) };
    CHECK(reported_add_row(r, 0, cells, 2) == NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) CHECK_STR(text_of_row(r, i), texts[i]);
  CHECK(text_of_row(r, 0) == text_of_row(r, 1));
  CHECK(text_of_row(r, 0) != text_of_row(r, 4));
  reported_free(r);
}

/* What is written into the free cells is not in the way of any row, before and after trimming. */
static void test_cells_before_rows_are_free(void)
{
  enum { N_LEAD = 3, N = 100 };
  Reported *r = reported_new(&stage);
  const RowSet *set = &r->tables[0];
  reported_leave_lead(r, N_LEAD);
  for (int i = 0; i < N; i++) {
    const MillValue cells[] = { mill_text("one", 3), mill_int(i) };
    CHECK(reported_add_row(r, 0, cells, 2) == NULL);
  }
  reported_trim(r);
  CHECK_INT(set->max_rows, N);
  for (int i = 0; i < N; i++)
    for (int c = 1; c <= N_LEAD; c++) row_set_at(set, i)[-c] = mill_int(-1);
  for (int i = 0; i < N; i++) CHECK_INT(row_set_at(set, i)[1].u.i, i);
  for (int i = 0; i < N; i++) CHECK_STR(text_of_row(r, i), "one");
  reported_free(r);
}

static void test_metrics(void)
{
  Reported *r = reported_new(&stage);
  CHECK(reported_add_metric(r, 0, "mean", mill_real(0.5), 3, NULL) == NULL);
  CHECK(reported_add_metric(r, 0, "p50", mill_none(), 0, "too few") == NULL);
  CHECK(reported_add_metric(r, 1, NULL, mill_int(3), 1, NULL) == NULL);
  CHECK(reported_add_metric(r, 0, "p99", mill_real(1), 1, NULL) != NULL);
  CHECK(reported_add_metric(r, 2, NULL, mill_int(3), 1, NULL) != NULL);
  CHECK(reported_add_metric(r, 1, NULL, mill_real(3), 1, NULL) != NULL);
  CHECK(reported_add_metric(r, 0, "mean", mill_text("3", 1), 1, NULL) != NULL);
  CHECK_INT(r->metrics->len, 3);
  CHECK(reported_add_metric(r, 0, "mean", mill_int(3), 1, NULL) == NULL);
  CHECK_INT(r->metrics->len, 4);
  CHECK_STR(g_array_index(r->metrics, MetricValue, 1).reason, "too few");
  reported_free(r);
}

TEST_MAIN({ "rows", test_rows },
          { "texts that come again are kept once", test_texts_that_come_again_are_kept_once },
          { "cells before rows are free", test_cells_before_rows_are_free },
          { "metrics", test_metrics })
