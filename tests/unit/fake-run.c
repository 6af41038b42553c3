/* The results of one small run; see fake-run.h. */
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
const FakeLane fake_run_one_lane[1] = { { .rank = -1, .name = "-" } };

#define TEXT_COLUMN(name, flags)       \
  {                                    \
    name, NULL, MILL_TEXT, flags, NULL \
  }

static const MillColumn kernel_columns[] = {
  TEXT_COLUMN("name", MILL_COLUMN_KEY | MILL_COLUMN_BRIEF),
  { "total", "ns", MILL_INT, MILL_COLUMN_BRIEF, "Time in all calls" },
  { "share", "percent", MILL_REAL, MILL_COLUMN_BRIEF, NULL },
  { "calls", "count", MILL_INT, MILL_COLUMN_BRIEF, NULL },
  { "traffic", "bytes", MILL_INT, MILL_COLUMN_BRIEF, NULL },
  { "hidden", NULL, MILL_BOOL, 0, NULL },
};
static const MillTable kernels = { .size = sizeof(MillTable),
                                   .per = MILL_PER_RUN,
                                   .name = "kernel-time",
                                   .help = "Time by name",
                                   .columns = kernel_columns,
                                   .n_columns = G_N_ELEMENTS(kernel_columns),
                                   .brief_rows = 3 };

/* As the program gives it: rank, label and tags before the declared columns. */
static const MillColumn lane_columns[] = {
  { "rank", NULL, MILL_INT, MILL_COLUMN_KEY, NULL },
  TEXT_COLUMN("label", MILL_COLUMN_KEY),
  { "busy", "ns", MILL_INT, MILL_COLUMN_BRIEF, NULL },
};
static const MillTable lanes_table = { .size = sizeof(MillTable),
                                       .per = MILL_PER_LANE,
                                       .name = "busy-time",
                                       .help = "Busy time",
                                       .columns = lane_columns + 2,
                                       .n_columns = 1,
                                       .brief_rows = 8 };
static const MillTable silent_table = { .size = sizeof(MillTable),
                                        .per = MILL_PER_RUN,
                                        .name = "../silent",
                                        .help = "",
                                        .columns = kernel_columns,
                                        .n_columns = 2 };

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
  { &kernels, "kernel-time", kernel_columns, G_N_ELEMENTS(kernel_columns), kernel_cells, 4 },
  { &lanes_table, "busy-time", lane_columns, G_N_ELEMENTS(lane_columns), lane_cells, 2 },
  { &silent_table, "../silent", kernel_columns, 2, NULL, 0 },
};

static const MillMetric latency = { .size = sizeof(MillMetric),
                                    .name = "ttft",
                                    .unit = "ns",
                                    .better = MILL_LOWER,
                                    .kind = MILL_INT,
                                    .stats = "p50,p99",
                                    .help = "Time to first token" };
static const MillMetric rate = { .size = sizeof(MillMetric),
                                 .name = "throughput",
                                 .unit = "tok/s",
                                 .better = MILL_HIGHER,
                                 .kind = MILL_REAL };
static const MillMetric absent = { .size = sizeof(MillMetric), .name = "comm", .kind = MILL_REAL };
static const MillMetric by_lane = {
  .size = sizeof(MillMetric), .per = MILL_PER_LANE, .name = "by_lane", .kind = MILL_INT
};
static const MillMetric object = { .size = sizeof(MillMetric), .name = "bins", .kind = MILL_JSON };

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

static const MillNotice warning = { .size = sizeof(MillNotice),
                                    .level = MILL_LEVEL_WARNING,
                                    .what = "odd \x01 times",
                                    .effect = "wrong",
                                    .help = "do" };
static const MillNotice info = { .size = sizeof(MillNotice),
                                 .level = MILL_LEVEL_INFO,
                                 .what = "just so" };
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
