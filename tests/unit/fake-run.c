/* The results of one small run; see fake-run.h. */
/* SPDX-License-Identifier: MIT */
#include "fake-run.h"

#include <math.h>
#include <string.h>

const FakeLane fake_run_lanes[2] = {
  { .rank = 0,
    .base_ns = 1712195495519689047,
    .name = "/some/folder/rank0.json.gz",
    .label = "a\"b",
    .dialect = "kineto",
    .tag_name = "threads",
    .tag_value = "256" },
  { .rank = 1, .base_ns = 1712195495519690047, .name = "rank1.json" },
};
const FakeLane fake_run_one_lane[1] = { { .rank = -1, .base_ns = MILL_NO_BASE, .name = "-" } };

static const FakeColumn kernel_columns[] = {
  { { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, NULL } },
  { MILL_CELL_COLUMN("total", "ns", MILL_INT, MILL_COLUMN_BRIEF, "Time in all calls") },
  { MILL_CELL_COLUMN("share", "percent", MILL_REAL, MILL_COLUMN_BRIEF, NULL) },
  { MILL_CELL_COLUMN("calls", "count", MILL_INT, MILL_COLUMN_BRIEF, NULL) },
  { MILL_CELL_COLUMN("traffic", "bytes", MILL_INT, MILL_COLUMN_BRIEF, NULL) },
  { MILL_CELL_COLUMN("hidden", NULL, MILL_BOOL, 0, NULL) },
};
static const MillTable kernels = { .per = MILL_PER_RUN,
                                   .brief_rows = 3,
                                   .name = "kernel-time",
                                   .help = "Time by name",
                                   .columns = FAKE_COLUMNS(kernel_columns) };

/* As the program gives it: rank, label and tags before the declared columns. */
static const FakeColumn lane_columns[] = {
  { MILL_CELL_COLUMN("rank", NULL, MILL_INT, MILL_COLUMN_KEY, NULL) },
  { MILL_CELL_COLUMN("label", NULL, MILL_TEXT, MILL_COLUMN_KEY, NULL) },
  { MILL_CELL_COLUMN("busy", "ns", MILL_INT, MILL_COLUMN_BRIEF, NULL) },
};
static const MillTable lanes_table = { .per = MILL_PER_LANE,
                                       .brief_rows = 8,
                                       .name = "busy-time",
                                       .help = "Busy time",
                                       .columns = { &lane_columns[2].column, 1,
                                                    sizeof(FakeColumn) } };
static const MillTable silent_table = { .per = MILL_PER_RUN,
                                        .name = "../silent",
                                        .help = "",
                                        .columns = { &kernel_columns[0].column, 2,
                                                     sizeof(FakeColumn) } };

#define TEXT_CELL(t)                                     \
  {                                                      \
    .type = MILL_TEXT, .len = sizeof(t) - 1, .u.text = t \
  }
#define INT_CELL(v)            \
  {                            \
    .type = MILL_INT, .u.i = v \
  }
#define REAL_CELL(v)            \
  {                             \
    .type = MILL_REAL, .u.r = v \
  }
#define BOOL_CELL(v)            \
  {                             \
    .type = MILL_BOOL, .u.i = v \
  }
#define NO_CELL       \
  {                   \
    .type = MILL_NONE \
  }

static const MillValue kernel_cells[] = {
  TEXT_CELL(FAKE_RUN_FORMULA),
  INT_CELL(12345678),
  REAL_CELL(41.04),
  INT_CELL(1482113),
  INT_CELL(3145728),
  BOOL_CELL(1),
  TEXT_CELL(FAKE_RUN_ESCAPE),
  INT_CELL(999),
  REAL_CELL(0.1),
  INT_CELL(1),
  INT_CELL(0),
  BOOL_CELL(0),
  TEXT_CELL("a, \"b\"\r\nc"),
  INT_CELL(-5),
  REAL_CELL(NAN),
  NO_CELL,
  INT_CELL(INT64_MAX),
  NO_CELL,
  TEXT_CELL("+1"),
  INT_CELL(0),
  REAL_CELL(1e300),
  INT_CELL(2),
  INT_CELL(1),
  NO_CELL,
};
static const MillValue lane_cells[] = {
  INT_CELL(0), TEXT_CELL(""), INT_CELL(1500), INT_CELL(1), TEXT_CELL(""), INT_CELL(2000000000),
};
static const FakeTable tables[] = {
  { &kernels, "kernel-time", FAKE_COLUMNS(kernel_columns), kernel_cells, 4 },
  { &lanes_table, "busy-time", FAKE_COLUMNS(lane_columns), lane_cells, 2 },
  { &silent_table, "../silent", { &kernel_columns[0].column, 2, sizeof(FakeColumn) }, NULL, 0 },
};

static const MillMetric latency = { .better = MILL_LOWER,
                                    .kind = MILL_INT,
                                    .name = "ttft",
                                    .unit = "ns",
                                    .stats = "p50,p99",
                                    .help = "Time to first token" };
static const MillMetric rate = {
  .better = MILL_HIGHER, .kind = MILL_REAL, .name = "throughput", .unit = "tok/s"
};
static const MillMetric absent = { .kind = MILL_REAL, .name = "comm" };
static const MillMetric by_lane = { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "by_lane" };
static const MillMetric object = { .kind = MILL_JSON, .name = "bins" };

static const FakeMetric metrics[] = {
  { &latency, "p50", INT_CELL(96400000), 24000, MILL_NO_LANE, NULL },
  { &latency, "p99", INT_CELL(410800000), 24000, MILL_NO_LANE, NULL },
  { &rate, NULL, REAL_CELL(2140.25), 12, MILL_NO_LANE, NULL },
  { &rate, NULL, REAL_CELL(INFINITY), 12, 0, NULL },
  { &rate, NULL, REAL_CELL(7.5), 3, 1, NULL },
  { &by_lane, NULL, INT_CELL(4), 1, 0, NULL },
  { &absent, NULL, NO_CELL, 0, MILL_NO_LANE, "no collectives in \033this trace" },
  { &object,
    NULL,
    { .type = MILL_JSON, .len = 9, .u.text = "{\"a\":[1]}" },
    1,
    MILL_NO_LANE,
    NULL },
  { &object, NULL, { .type = MILL_JSON, .len = 5, .u.text = "{\"a\":" }, 1, 0, NULL },
};

static const MillNotice warning = MILL_WARNING(0, "odd \x01 times", "wrong", "do", NULL);
static const MillNotice info = MILL_INFO(0, "just so", NULL, NULL, NULL);
static const FakeNotice notices[] = { { &warning, "OVC-02", 30 },
                                      { &info, "JSN-09", 4 },
                                      { &warning, "JSN-01", 1207 } };

static const char *const facts[] = { "program", "stagemill", "version",       "0.1.0", "profile",
                                     "kernels", "tags",      "model,threads", NULL };

void fake_run_init(FakeResults *r)
{
  *r = (FakeResults){ .tables = tables, .metrics = metrics, .notices = notices, .info = facts };
  r->results.n_tables = G_N_ELEMENTS(tables);
  r->results.n_metrics = G_N_ELEMENTS(metrics);
  r->results.n_notices = G_N_ELEMENTS(notices);
  fake_results_init(r);
}

void fake_run_empty(FakeResults *r)
{
  *r = (FakeResults){ .info = facts };
  fake_results_init(r);
}
