/* The gemm-csv sink: the tables of gemm-variance as the CSV files of aorta's GEMM analysis, in its columns and units. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/trees.h"
#include "kit/sink/cells.h"
#include "kit/sink/results-sink.h"
#include "table.h"

enum { NO_VARIANCE = 1, NO_TIMELINE, NO_COLLECTIVES, NO_REPORTS, TWO_SWEEPS };

/* ---- the variance table */

typedef struct Column {
  const char *header, *column;
  Form form;
  bool of_ops; /* of gemm-ops, else of gemm-variance */
} Column;

#define STATS(header, column, form)                                                             \
  { header "_max", column "_max", form, true }, { header "_mean", column "_mean", form, true }, \
      { header "_median", column "_median", form, true },                                       \
      { header "_min", column "_min", form, true },                                             \
  {                                                                                             \
    header "_std", column "_std", form, true                                                    \
  }

static const Column columns[] = {
  { "threads", "threads", AS_IS, false },
  { "channel", "channels", AS_IS, false },
  { "rank", "rank", AS_IS, false },
  { "kernel_name", "kernel", AS_IS, false },
  { "kernel_time_min_us", "min", IN_US, false },
  { "kernel_time_max_us", "max", IN_US, false },
  { "time_diff_us", "diff", IN_US, false },
  { "col_Concrete Inputs_first", "concrete", TUPLE, true },
  { "col_Data Moved (MB)_first", "bytes", IN_MIB, true },
  { "col_FLOPS/Byte_first", "flop_per_byte", AS_IS, true },
  { "col_GFLOPS_first", "flop", IN_GIGA, true },
  { "col_Input Dims_first", "dims", TUPLE, true },
  { "col_Input Strides_first", "strides", TUPLE, true },
  { "col_Input type_first", "types", TUPLE, true },
  STATS("col_Kernel Time (µs)", "time", IN_US),
  { "col_Kernel Time (µs)_sum", "total", IN_US, true },
  STATS("col_TB/s", "tbps", AS_IS),
  STATS("col_TFLOPS/s", "tflops", AS_IS),
  { "col_UID_first", "ordinal", AS_IS, true },
  { "col_kernel_details__summarize_kernel_stats", "kernel_details", DETAILS, true },
  { "col_name", "op", AS_IS, true },
  { "col_name_count", "calls", AS_IS, true },
  { "col_param: B", "batch", AS_IS, true },
  { "col_param: K", "k", AS_IS, true },
  { "col_param: M", "m", AS_IS, true },
  { "col_param: N", "n", AS_IS, true },
  { "col_param: bias", "bias", YES_NO, true },
  { "col_param: dtype_A_B", "dtype", PAIR, true },
  { "col_param: stride_A", "stride_a", TUPLE, true },
  { "col_param: stride_B", "stride_b", TUPLE, true },
  { "col_param: transpose", "transpose", FLAGS, true },
  { "min_duration_timestamp_ms", "min_ts", IN_MS, false },
  { "max_duration_timestamp_ms", "max_ts", IN_MS, false },
  { "time_between_min_max_ms", "between", IN_MS, false },
  { "min_duration_found_us", "min_found", IN_US, false },
  { "max_duration_found_us", "max_found", IN_US, false },
  { "overlapping_collective_count", "overlap_count", AS_IS, false },
  { "overlapping_collective_names", "overlap_names", AS_IS, false },
  { "max_overlap_percentage", "overlap_max", AS_IS, false },
  { "max_overlap_collective", "overlap_max_name", AS_IS, false },
  { "total_overlap_duration_ms", "overlap", IN_MS, false },
};
enum { N_COLUMNS = MILL_COUNT(columns), N_OVERLAP = 5, N_TIMES = 5 };

static const struct {
  const char *name, *line_end;
  uint32_t n;
} files[] = {
  { "top5_gemm_kernels_time_variance.csv", "\r\n", N_COLUMNS - N_OVERLAP - N_TIMES },
  { "top5_gemm_kernels_time_variance_with_timestamps.csv", "\n", N_COLUMNS - N_OVERLAP },
  { "top5_gemm_kernels_time_variance_with_collective_overlap.csv", "\n", N_COLUMNS },
};

/* What a row of either table is known by: a tag that all ranks share is in neither's way where one of them leaves it out. */
static char *key_of(const MillHost *common, const Table *t, const MillValue *row,
                    const Table *other)
{
  static const char *const names[] = { "label", "threads",   "channels", "rank",    "op",
                                       "m",     "n",         "k",        "batch",   "bias",
                                       "dtype", "transpose", "stride_a", "stride_b" };
  GString *key = g_string_new(NULL);
  for (uint32_t i = 0; i < MILL_COUNT(names); i++) {
    const MillValue v = table_cell(t, row, names[i]);
    if (table_has(other, names[i])) cells_put(key, common, &v);
    g_string_append_c(key, '\n');
  }
  return g_string_free(key, FALSE);
}

static GTree *index_ops(const MillHost *common, const Table *ops, const Table *variance)
{
  GTree *rows = g_tree_new_full(trees_by_text, NULL, g_free, NULL);
  for (uint64_t i = 0; i < ops->t.n_rows; i++)
    g_tree_insert(rows,
                  key_of(common, ops, ops->results->row(ops->results, ops->index, i), variance),
                  GSIZE_TO_POINTER(i + 1));
  return rows;
}

static void put_line(GString *out, const MillHost *common, const Table *variance, const Table *ops,
                     GTree *rows, uint64_t i, uint32_t n)
{
  g_autofree MillValue *own = NULL;
  const MillValue *row = variance->results->row(variance->results, variance->index, i);
  own = g_memdup2(row, variance->t.columns.n * sizeof *row);
  g_autofree char *key = key_of(common, variance, own, ops);
  gsize found = GPOINTER_TO_SIZE(g_tree_lookup(rows, key));
  const MillValue *op = found ? ops->results->row(ops->results, ops->index, found - 1) : NULL;
  for (uint32_t c = 0; c < n; c++) {
    const Column *column = &columns[c];
    if (c) g_string_append_c(out, ',');
    table_put(out, common,
              column->of_ops ? table_cell(ops, op, column->column)
                             : table_cell(variance, own, column->column),
              column->form);
  }
}

static int write_variance(const MillSinkHost *host, const Table *variance, const Table *ops)
{
  g_autoptr(GTree) rows = index_ops(host->common, ops, variance);
  int status = 0;
  for (uint32_t f = 0; f < MILL_COUNT(files) && status == 0; f++) {
    g_autoptr(GString) text = g_string_new(NULL);
    for (uint32_t c = 0; c < files[f].n; c++)
      g_string_append_printf(text, "%s%s", c ? "," : "", columns[c].header);
    g_string_append(text, files[f].line_end);
    for (uint64_t i = 0; i < variance->t.n_rows; i++) {
      put_line(text, host->common, variance, ops, rows, i, files[f].n);
      g_string_append(text, files[f].line_end);
    }
    status = host->output(host, files[f].name, NULL, text->str, text->len);
  }
  return status;
}

/* ---- the timeline over configurations */

static void put_config(GString *out, const MillHost *common, const Table *t, uint64_t i,
                       const char *time)
{
  const MillValue *row = t->results->row(t->results, t->index, i);
  g_autoptr(GString) threads = g_string_new(NULL), channels = g_string_new(NULL);
  table_put(threads, common, table_cell(t, row, "threads"), AS_IS);
  table_put(channels, common, table_cell(t, row, "channels"), AS_IS);
  g_string_append_printf(out, "%sthread_%sch,%s,%sthread,%s,%sch,", threads->str, channels->str,
                         threads->str, threads->str, channels->str, channels->str);
  table_put(out, common, table_cell(t, row, "ranks"), AS_IS);
  g_string_append_c(out, ',');
  table_put(out, common, table_cell(t, row, "type"), AS_IS);
  g_string_append_c(out, ',');
  table_put(out, common, table_cell(t, row, time), IN_MS);
  g_string_append_c(out, ',');
  table_put(out, common, table_cell(t, row, "share"), AS_IS);
  g_string_append(out, "\n");
}

static int write_timeline(const MillSinkHost *host, const Table *t, const char *time)
{
  g_autoptr(GString) text = g_string_new("full_config,threads_num,thread_config,channels_num,"
                                         "channel_config,num_ranks,type,time ms,percent\n");
  g_autofree char *name = g_strdup_printf("gpu_timeline_all_configs_%s.csv", time);
  for (uint64_t i = 0; i < t->t.n_rows; i++) put_config(text, host->common, t, i, time);
  return host->output(host, name, NULL, text->str, text->len);
}

static int write_timelines(const MillSinkHost *host, const MillResults *r)
{
  Table timeline;
  if (!table_find(r, "config-timeline", &timeline)) return mill_note(host->common, NO_TIMELINE), 0;
  int status = write_timeline(host, &timeline, "mean");
  return status == 0 ? write_timeline(host, &timeline, "geomean") : status;
}

/* Lanes leave out a tag that all of them share; configurations have it. */
static MillValue shared_channels(const MillResults *r)
{
  Table t;
  if (!table_find(r, "config-timeline", &t) || t.t.n_rows == 0) return mill_none();
  return table_cell(&t, r->row(r, t.index, 0), "channels");
}

static int write_reports(const MillSinkHost *host, const MillResults *r)
{
  Table timeline, ops;
  bool has_timeline = table_find(r, "gpu-timeline", &timeline);
  bool has_ops = table_find(r, "ops-rank", &ops);
  int status = 0;
  if (!has_timeline || !has_ops) mill_note(host->common, NO_REPORTS);
  if (has_timeline) status = write_compared(host, &timeline, true, shared_channels(r));
  return has_ops && status == 0 ? write_compared(host, &ops, false, shared_channels(r)) : status;
}

static int write_collectives(const MillSinkHost *host, const MillResults *r)
{
  Table t;
  if (table_find(r, "collective-summary", &t)) return write_nccl(host, &t);
  mill_note(host->common, NO_COLLECTIVES);
  return 0;
}

/* A label tells sweeps apart; these files have no place for it. */
static bool is_one_sweep(const MillResults *r)
{
  Table t;
  return !table_find(r, "gpu-timeline", &t) || !table_has(&t, "label");
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  Table variance, ops;
  int status = 0;
  if (table_find(r, "gemm-variance", &variance) && table_find(r, "gemm-ops", &ops))
    status = write_variance(host, &variance, &ops);
  else
    mill_note(host->common, NO_VARIANCE);
  if (status == 0) status = write_timelines(host, r);
  if (status) return status;
  if (!is_one_sweep(r)) return mill_note(host->common, TWO_SWEEPS), 0;
  status = write_collectives(host, r);
  return status == 0 ? write_reports(host, r) : status;
}

static const MillNotice notices[] = {
  MILL_WARNING(NO_VARIANCE, "the table gemm-variance or gemm-ops is missing",
               "the three files top5_gemm_kernels_time_variance*.csv were not written",
               "use the profile gemm-variance",
               "The files are joined from these tables, which the stages of these names make."),
  MILL_WARNING(NO_TIMELINE, "there is no table config-timeline",
               "gpu_timeline_all_configs_mean.csv and ..._geomean.csv were not written",
               "use the profile gemm-variance", "The stage sweep-compare makes the table."),
  MILL_WARNING(NO_COLLECTIVES, "there is no table collective-summary",
               "nccl_master_all_configs.csv was not written", "use the profile gemm-variance",
               "The stage collective-report makes the table."),
  MILL_WARNING(NO_REPORTS, "the table gpu-timeline or ops-rank is missing",
               "compare_*_across_threads_gpu_timeline.csv or ..._ops_summary.csv were not written",
               "use the profile gemm-variance",
               "The stages gpu-timeline and op-summary make the tables. Traces of rocprofv3 have "
               "no operators, so op-summary is left out for them."),
  MILL_WARNING(TWO_SWEEPS, "the inputs have labels",
               "nccl_master_all_configs.csv and compare_*.csv were not written",
               "run the profile gemm-variance for each sweep",
               "The files have columns and names for one sweep. With two sweeps, their rows could "
               "not be told apart."),
};

RESULTS_SINK(write_results, "gemm-csv", "GCSV", "Write the CSV files of aorta's GEMM analysis",
             .help = "The variance table, with times and with overlaps, the timeline over "
                     "configurations, the collectives of all of them, and reports of a rank across "
                     "threads, in the columns and units of the original.",
             .notices = MILL_ROWS(notices));
