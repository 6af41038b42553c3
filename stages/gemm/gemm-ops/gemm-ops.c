/* The GEMM report of a rank: a row for all calls of one operator with the same sizes, strides, types and transposition.
 * Rows are made at the end of the lane, from calls (56 bytes) and the device work below them (48). */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "details.h"
#include "kit/declare/rows.h"
#include "kit/devices/arch-device.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"

enum { NOTHING = 1, NO_WORK, NO_DIMS, NO_ARCH, BINNED };
enum { TABLE_GEMM };
enum { METRIC_TIME, METRIC_TFLOPS };

typedef struct Options {
  const char *arch;
  int64_t exact_up_to;
  MillList by;
} Options;

typedef struct Gemms {
  const MillStageHost *host;
  const MillHost *common;
  Arch arch;
  GemmCalls calls;
  GemmRows rows;
  Hists hists, rate_hists;
  Dist rates;             /* of all calls, operations a second */
  Moments flop, rated_ns; /* of the same */
  int64_t total_ns;
  uint64_t n_calls;
} Gemms;

static int gemms_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  const Options *o = options;
  Gemms *g = instance_new(Gemms, host, out_instance);
  if (!g) return -MILL_LIMIT;
  gemm_calls_open(&g->calls, g->common);
  g->rows = (GemmRows){ .common = g->common, .of = &g->calls, .hists = &g->hists };
  hists_init(&g->hists, g->common, (uint64_t)o->exact_up_to);
  hists_init(&g->rate_hists, g->common, (uint64_t)o->exact_up_to);
  return arch_read(g->common, o->arch, &g->arch);
}

static int gemms_process(void *instance, MillBatch *b)
{
  Gemms *g = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!gemm_calls_see(&g->calls, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- the end of a lane */

static bool add_rates(Gemms *g)
{
  for (size_t i = 0; i < g->calls.n; i++) {
    const GemmCall *call = &g->calls.calls[i];
    const OpRates *r = &g->rows.rows[call->row].rates;
    double rate = call->time_ns > 0 ? r->flop * 1e9 / (double)call->time_ns + 0.5 : 0;
    if (!r->has_flop || call->time_ns <= 0) continue;
    moments_add(&g->flop, (int64_t)r->flop);
    moments_add(&g->rated_ns, call->time_ns);
    if (!dist_add(&g->rates, &g->rate_hists, rate < 9.2e18 ? (int64_t)rate : INT64_MAX))
      return false;
  }
  return true;
}

static void note_times(const Gemms *g, uint32_t number, uint64_t n)
{
  for (uint64_t i = 0; i < n; i++) mill_note(g->common, number);
}

static uint64_t calls_without_dims(const Gemms *g)
{
  uint64_t n = 0;
  for (size_t i = 0; i < g->rows.n; i++)
    if (!g->rows.rows[i].rates.known) n += g->rows.rows[i].n;
  return n;
}

static int gemms_flush(void *instance, MillBatch *b)
{
  Gemms *g = instance;
  (void)b;
  if (!gemm_calls_close(&g->calls) || !gemm_rows_make(&g->rows) || !add_rates(g))
    return -MILL_LIMIT;
  Moments all = { 0 };
  for (size_t i = 0; i < g->rows.n; i++) moments_merge(&all, &g->rows.rows[i].rates.time.moments);
  g->total_ns = moments_sum(&all);
  g->n_calls = all.n;
  note_times(g, NO_WORK, g->calls.n_no_work);
  note_times(g, NO_DIMS, calls_without_dims(g));
  if (g->n_calls == 0) mill_note(g->common, NOTHING);
  return 0;
}

/* ---- summaries */

static const StateField gemms_fields[] = {
  STATE_SUM(Gemms, total_ns), STATE_SUM(Gemms, n_calls),  STATE_HISTS(Gemms, rate_hists),
  STATE_DIST(Gemms, rates),   STATE_MOMENTS(Gemms, flop), STATE_MOMENTS(Gemms, rated_ns),
};
static const StateType gemms_state = STATE_TYPE(Gemms, gemms_fields);
STATE_RESULT(Gemms, gemms_state)

/* ---- results */

typedef struct GemmOpRow {
  GemmKey key;
  MillSym kernel;
  MillText dims, types, strides, concrete, kernel_details;
  int64_t ordinal, calls;
  OpWorkCells work;
  int64_t total_ns;
  OpRateCells rates;
  OpRoofCells roof;
} GemmOpRow;

static uint64_t first_ordinal(const Gemms *g, const GemmRow *row)
{
  uint64_t first = UINT64_MAX;
  for (size_t i = 0; i < row->n; i++) {
    const GemmCall *call = gemm_rows_call(&g->rows, row, i);
    if (call->seq < first) first = call->seq;
  }
  return first;
}

static int report_row(Gemms *g, GemmRow *row, GString *details)
{
  size_t len;
  const char *text = g->common->symbol_text(g->common, row->tree_row, &len);
  const TreeRow tree = tree_row(text, len);
  if (!details_write(&g->rows, row, details)) return -MILL_LIMIT;
  const GemmOpRow out = {
    .key = gemm_key(row->key, row->key_len),
    .kernel = row->kernel,
    .dims = tree.at[ROW_DIMS],
    .types = tree.at[ROW_TYPES],
    .strides = tree.at[ROW_STRIDES],
    .concrete = tree.at[ROW_CONCRETE],
    .kernel_details = { details->str, details->len },
    .ordinal = (int64_t)first_ordinal(g, row),
    .calls = (int64_t)row->n,
    .work = op_rates_work_cells(&row->rates),
    .total_ns = moments_sum(&row->rates.time.moments),
    .rates = op_rates_cells(&row->rates),
    .roof = op_rates_roof_cells(&row->rates, &g->arch, row->spec),
  };
  return mill_row(g->host, TABLE_GEMM, &out);
}

static int gemms_report(void *instance)
{
  Gemms *g = instance;
  GString *details = g_string_new(NULL);
  int status = 0;
  hists_note(&g->hists, BINNED);
  if (!g->arch.known) arch_of_device(arch_device_of_lane(g->host), &g->arch);
  if (g->n_calls > 0 && !g->arch.known) mill_note(g->common, NO_ARCH);
  for (size_t i = 0; i < g->rows.n && status == 0; i++)
    status = report_row(g, g->rows.sorted[i], details);
  g_string_free(details, TRUE);
  return status;
}

static int report_rates(Gemms *g)
{
  static const char *const stats[] = { "mean", "p50", "max" };
  const DistStats rates = dist_stats(&g->rates, 1e12);
  const double time_ns = (double)g->rated_ns.sum;
  const double whole = time_ns > 0 ? (double)g->flop.sum / (time_ns * 1e3) : 0;
  const double values[] = { whole, rates.median, rates.max };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++)
    status = g->rates.moments.n ? g->host->metric(g->host, METRIC_TFLOPS, stats[i],
                                                  mill_real(values[i]), g->rates.moments.n)
                                : g->host->no_metric(g->host, METRIC_TFLOPS, stats[i],
                                                     "no GEMM has dims and types");
  return status;
}

static int gemms_report_run(void *instance)
{
  Gemms *g = instance;
  if (!hists_settle(&g->rate_hists)) return -MILL_LIMIT;
  int status = g->n_calls
                   ? g->host->metric(g->host, METRIC_TIME, NULL, mill_int(g->total_ns), g->n_calls)
                   : g->host->no_metric(g->host, METRIC_TIME, NULL, "there is no GEMM");
  return status == 0 ? report_rates(g) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  OP_RATES_ARCH_OPTION(Options, arch),
  MILL_INT_OPTION(
      Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
      "Medians are exact up to this many values, three for each call, 8 bytes each; with more "
      "values they are within 0.1 %"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTHING, "{lane} has no GEMM", "gemm-ops leaves it out",
            "record host and device: activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
            "No host operator that multiplies matrices (aten::mm, aten::addmm, aten::bmm, ...) "
            "launched device work. Traces of the device alone have no operators, and operators of "
            "a compiled program or a graph have other names."),
  MILL_INFO(NO_WORK, "{count} GEMM operator[|s] of {lane} launched no device work",
            "gemm-ops leaves [it|them] out", NULL,
            "The operator ran on the host, its product is empty, or its kernels are not in the "
            "trace."),
  MILL_INFO(NO_DIMS, "{count} GEMM operator[|s] of {lane} [has|have] no usable dims or types",
            "[its|their] time counts, but [its|their] work is unknown",
            "record shapes: torch.profiler.profile(record_shapes=True)",
            "Sizes come from the lists Input Dims and Input type of an operator. These lists are "
            "missing, truncated or malformed."),
  MILL_INFO(
      NO_ARCH, "the kind of device of {lane} is unknown, or there are several kinds",
      "gemm-ops has no roofline", "--set gemm-ops.arch=MI300X, or a file",
      "The roofline is the time that the device would need at its peak rate or bandwidth. "
      "PyTorch's profiler lists its devices in deviceProperties. If all have the same name and its "
      "peaks are bundled, they are used."),
  HIST_NOTICE(BINNED),
};

static const MillColumn columns[] = {
  GEMM_KEY_COLUMNS(GemmOpRow, key),
  MILL_COLUMN(GemmOpRow, kernel, "kernel", NULL, 0, "Kernel that takes most time in the row"),
  MILL_COLUMN(GemmOpRow, dims, "dims", NULL, 0, "Input Dims of the first call"),
  MILL_COLUMN(GemmOpRow, types, "types", NULL, 0, "Input type of the first call"),
  MILL_COLUMN(GemmOpRow, strides, "strides", NULL, 0, "Input Strides of the first call"),
  MILL_COLUMN(GemmOpRow, concrete, "concrete", NULL, 0, "Concrete Inputs of the first call"),
  MILL_COLUMN(GemmOpRow, kernel_details, "kernel_details", NULL, 0,
              "JSON: times of each kernel of a call, by position"),
  MILL_COLUMN(GemmOpRow, ordinal, "ordinal", "count", 0,
              "Number of the first call among the trace's events"),
  MILL_BRIEF(GemmOpRow, calls, "calls", "count", "Calls with device work"),
  MILL_COLUMN(GemmOpRow, work.flop, "flop", "count", 0, "Operations of one call"),
  MILL_COLUMN(GemmOpRow, work.bytes, "bytes", "bytes", 0, "Bytes that one call must move"),
  MILL_COLUMN(GemmOpRow, work.flop_per_byte, "flop_per_byte", "count", 0, "Operations per byte"),
  MILL_BRIEF(GemmOpRow, total_ns, "total", "ns", "Device time of all calls"),
  OP_RATES_COLUMNS(GemmOpRow, rates),
  OP_RATES_ROOF_COLUMNS(GemmOpRow, roof),
};

static const MillTable tables[] = {
  [TABLE_GEMM] = { .per = MILL_PER_LANE,
                   .name = "gemm-ops",
                   .help = "Products of matrices, for each rank",
                   .order = "-total,ordinal",
                   .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  [METRIC_TIME] = { .per = MILL_PER_RUN,
                    .better = MILL_LOWER,
                    .kind = MILL_INT,
                    .name = "gemm_time",
                    .unit = "ns",
                    .help = "Device time of all GEMM operators of all ranks",
                    .headline = MILL_HEADLINE_VALUE },
  [METRIC_TFLOPS] = { .per = MILL_PER_RUN,
                      .better = MILL_HIGHER,
                      .kind = MILL_REAL,
                      .name = "gemm_tflops",
                      .unit = "TFLOP/s",
                      .stats = "mean,p50,max",
                      .help = "10^12 operations per second, for each call of a GEMM operator",
                      .headline = "p50" },
};

static const MillRead reads[] = { GEMM_CALLS_READS };
static const char *const needs[] = { "events", "operators", "torch.tree", NULL };
static const char *const provides[] = { "table.gemm-ops", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = gemms_open,
  .process = gemms_process,
  .flush = gemms_flush,
  .report = gemms_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = gemms_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "gemm-ops",
  .family = "gemm",
  .version = "1.0.0",
  .tag = "GEMM",
  .title = "Products of matrices: times, rates, kernels",
  .help = "Groups operators that multiply matrices by sizes, strides, types and transposition. "
          "Shows the time of their calls, their rates, and the kernels that they ran.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
