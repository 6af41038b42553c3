/* Results as sinks see them: what was added, by index, in structs that may be smaller than ours. */
/* SPDX-License-Identifier: MIT */
#include "results/results.h"

#include "check.h"

static const MillColumn columns[] = { MILL_CELL_COLUMN("n", "count", MILL_INT, 0, "x") };
static const MillTable table = { .name = "t", .columns = MILL_ROWS(columns) };
static const MillFigure figure = { .kind = MILL_FIGURE_BAR, .name = "f", .table = "t" };
static const MillMetric metric = { .kind = MILL_INT, .name = "m" };
static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} event[|s] of {lane}", NULL, "see {name}", "x"),
  MILL_INFO(2, "never", NULL, NULL, "x"),
};
static const Descriptor stage = { .code = "TST", .notices = notices, .n_notices = 2 };

static const char *lane_name(const void *context, uint32_t lane)
{
  return lane == 3 ? context : "another";
}

static Results *make(MetricValue *value)
{
  Results *r = results_new();
  Sheet *s = sheet_new(&table, g_strdup("x-t"));
  sheet_add_declared(s);
  for (int64_t i = 2; i > 0; i--) {
    MillValue v = mill_int(i);
    sheet_add_row(s, &v);
  }
  results_add_sheet(r, s);
  results_add_figure(r, &figure, g_strdup("x-f"), "x-t");
  *value = (MetricValue){ 0, (char *)"mean", mill_int(5), 7, NULL };
  results_add_metric(r, &metric, g_strdup("x_m"), value, MILL_NO_LANE, g_strdup("tag=a"));
  Notices sum;
  MillEvent e = { .seq = 1 };
  MillNamed named = { "name", mill_int(9) };
  notices_init(&sum, &stage);
  for (int i = 0; i < 2; i++) notices_add(&sum, 0, 3, &e, &named, 1, NULL, NULL);
  results_add_notices(r, &sum, lane_name, "lane three");
  notices_clear(&sum);
  results_set_info(r, "title", "first");
  results_set_info(r, "title", "second");
  results_set_info(r, "profile", NULL);
  return r;
}

static void test_view(void)
{
  MetricValue value;
  Results *made = make(&value);
  const MillResults *r = results_view(made);
  MillTableResult t = { .size = sizeof t };
  MillMetricResult m = { .size = sizeof m };
  MillNoticeResult n = { .size = sizeof n };
  MillFigureResult f = { .size = sizeof f };
  CHECK(r->n_figures == 1 && r->figure(r, 0, &f) && f.figure == &figure && f.table == 0);
  CHECK_STR(f.name, "x-f");
  CHECK(!r->figure(r, 1, &f));
  CHECK(r->n_tables == 1 && r->n_metrics == 1 && r->n_notices == 1 && r->size == sizeof *r);
  if (CHECK(r->table(r, 0, &t))) {
    CHECK(t.table == &table && t.n_rows == 2 && t.columns.n == 1);
    CHECK_STR(t.name, "x-t");
    CHECK_STR(MILL_AT(MillColumn, t.columns, 0)->unit, "count");
    CHECK_INT(r->row(r, 0, 0)->u.i, 2);
    CHECK_INT(r->row(r, 0, 1)->u.i, 1);
  }
  CHECK(r->row(r, 0, 2) == NULL && r->row(r, 1, 0) == NULL);
  if (CHECK(r->metric(r, 0, &m))) {
    CHECK(m.metric == &metric && m.lane == MILL_NO_LANE && m.value.u.i == 5 && m.n == 7 &&
          !m.reason);
    CHECK_STR(m.name, "x_m");
    CHECK_STR(m.stat, "mean");
    CHECK_STR(m.group, "tag=a");
  }
  if (CHECK(r->notice(r, 0, &n))) {
    CHECK(n.notice == &notices[0] && n.count == 2 && n.effect == NULL);
    CHECK_STR(n.code, "TST-01");
    CHECK_STR(n.what, "2 events of lane three");
    CHECK_STR(n.help, "see 9");
  }
  CHECK(!r->table(r, 1, &t) && !r->metric(r, 1, &m) && !r->notice(r, 1, &n));
  CHECK_STR(r->info(r, "title"), "second");
  CHECK(r->info(r, "profile") == NULL && r->info(r, "colour") == NULL);
  results_free(made);
}

static void test_smaller(void)
{
  MetricValue value;
  Results *made = make(&value);
  const MillResults *r = results_view(made);
  MillMetricResult m;
  memset(&m, 0x55, sizeof m);
  m.size = offsetof(MillMetricResult, n);
  CHECK(r->metric(r, 0, &m));
  CHECK(m.value.u.i == 5 && m.size == offsetof(MillMetricResult, n));
  CHECK_INT(m.n, 0x5555555555555555);
  results_free(made);
}

TEST_MAIN({ "all that was added", test_view }, { "structs of older modules", test_smaller })
