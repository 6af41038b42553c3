/* How much slower kernels are with a probe, and how many more registers they use. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "probe/lib/probe-key.h"
#include "kit/declare/rows.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"

enum { TABLE_KERNELS, TABLE_ALL, TABLE_MATRIX };
enum { NOTICE_ZERO = 20 };
enum { GROUP, OP, PROBE, KERNEL, N_TEXTS };

typedef struct Sum { /* of a kernel, or of all of an op with a probe */
  uint64_t launches, failed, unprobed, n_impact;
  double kernel_ms, original_ms, impact;
  int64_t registers, probed_registers, spill; /* plus 1; 0: not said */
  /* of several kernels: */
  uint64_t n_extra;
  int64_t extra, extra_max;
} Sum;

typedef struct Slowdown {
  const MillStageHost *host;
  MillSym exec, kernel;
  Keyed *kernels; /* of Sum, by group, op, probe and kernel */
} Slowdown;

static int slowdown_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Slowdown *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->exec = symbol_of(host->common, "probe.exec");
  x->kernel = symbol_of(host->common, "probe.kernel");
  x->kernels = keyed_new(host->common, sizeof(Sum));
  *out_instance = x;
  return x->kernels ? 0 : -MILL_LIMIT;
}

static Sum *sum_of(const Slowdown *x, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  char name[4096];
  const char *texts[N_TEXTS] = { probe_tag(common, "group"), probe_tag(common, "op"),
                                 probe_tag(common, "probe"),
                                 probe_text(common, b, e, "kernel", name, sizeof name) };
  return probe_key_get(x->kernels, common, texts, N_TEXTS);
}

static void add_launch(const Slowdown *x, Sum *s, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  char result[16];
  double kernel, original, impact;
  probe_text(common, b, e, "result", result, sizeof result);
  s->failed += probe_has_failed(result);
  s->unprobed += !strcmp(result, "backup");
  if (!probe_int(common, b, e, "benchmark", 0)) return;
  s->launches++;
  if (!probe_real(common, b, e, "kernel_ms", &kernel) ||
      !probe_real(common, b, e, "original_ms", &original))
    return;
  if (!(original > 0)) {
    common->note(common, NOTICE_ZERO, b, (uint32_t)(e - b->events), NULL, 0);
    return;
  }
  s->kernel_ms += kernel;
  s->original_ms += original;
  if (!probe_real(common, b, e, "impact", &impact)) return;
  s->impact += impact;
  s->n_impact++;
}

static void take_registers(const Slowdown *x, Sum *s, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  int64_t plain = probe_int(common, b, e, "registers", -1) + 1;
  int64_t probed = probe_int(common, b, e, "probed_registers", -1) + 1;
  int64_t spill = probe_int(common, b, e, "spill", -1) + 1;
  if (plain > s->registers) s->registers = plain;
  if (probed > s->probed_registers) s->probed_registers = probed;
  if (spill > s->spill) s->spill = spill;
}

static int slowdown_process(void *instance, MillBatch *b)
{
  Slowdown *x = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->name != x->exec && e->name != x->kernel) continue;
    Sum *s = sum_of(x, b, e);
    if (!s) return -MILL_LIMIT;
    if (e->name == x->exec)
      add_launch(x, s, b, e);
    else
      take_registers(x, s, b, e);
  }
  return 0;
}

static const StateField sum_fields[] = {
  STATE_SUM(Sum, launches), STATE_SUM(Sum, failed),     STATE_SUM(Sum, unprobed),
  STATE_SUM(Sum, n_impact), STATE_SUM(Sum, kernel_ms),  STATE_SUM(Sum, original_ms),
  STATE_SUM(Sum, impact),   STATE_MOST(Sum, registers), STATE_MOST(Sum, probed_registers),
  STATE_MOST(Sum, spill),
};
static const StateType sum_state = STATE_TYPE(Sum, sum_fields);

static const StateField slowdown_fields[] = { STATE_KEYED(Slowdown, kernels, sum_state) };
static const StateType slowdown_state = STATE_TYPE(Slowdown, slowdown_fields);
STATE_RESULT(Slowdown, slowdown_state)

/* ------------------------------------------------------------------ report */

static double over(double a, double b) { return b > 0 && isfinite(a / b) ? a / b : (double)NAN; }
static int64_t known(int64_t v) { return v ? v - 1 : MILL_NO_INT; }
static bool has_extra(const Sum *s) { return s->registers && s->probed_registers; }

typedef struct KernelRow {
  MillText group, op, probe, kernel;
  int64_t launches;
  double slowdown, slowdown_mean;
  int64_t registers, probed_registers, extra_registers, spill_bytes;
} KernelRow;

static int kernel_row(const Slowdown *x, const KeyedEntry *e)
{
  const Sum *s = e->state;
  if (s->launches + s->failed + s->unprobed == 0 && !has_extra(s)) return 0;
  const KernelRow row = {
    .group = probe_key_text(e, GROUP),
    .op = probe_key_text(e, OP),
    .probe = probe_key_text(e, PROBE),
    .kernel = probe_key_text(e, KERNEL),
    .launches = (int64_t)s->launches,
    .slowdown = over(s->kernel_ms, s->original_ms),
    .slowdown_mean = over(s->impact, (double)s->n_impact),
    .registers = known(s->registers),
    .probed_registers = known(s->probed_registers),
    .extra_registers = has_extra(s) ? s->probed_registers - s->registers : MILL_NO_INT,
    .spill_bytes = known(s->spill),
  };
  return mill_row(x->host, TABLE_KERNELS, &row);
}

static void add_kernel(Sum *all, const Sum *s)
{
  int64_t extra = s->probed_registers - s->registers;
  all->launches += s->launches;
  all->failed += s->failed;
  all->unprobed += s->unprobed;
  all->n_impact += s->n_impact;
  all->kernel_ms += s->kernel_ms;
  all->original_ms += s->original_ms;
  all->impact += s->impact;
  if (!has_extra(s)) return;
  if (all->n_extra == 0 || extra > all->extra_max) all->extra_max = extra;
  all->extra += extra;
  all->n_extra++;
}

typedef struct AllRow {
  MillText group, op, probe;
  int64_t launches, failed, unprobed;
  double slowdown, slowdown_mean, extra_registers_mean;
  int64_t extra_registers_max;
} AllRow;

static int all_row(const Slowdown *x, const KeyedEntry *e)
{
  const Sum *s = e->state;
  const AllRow row = {
    .group = probe_key_text(e, GROUP),
    .op = probe_key_text(e, OP),
    .probe = probe_key_text(e, PROBE),
    .launches = (int64_t)s->launches,
    .failed = (int64_t)s->failed,
    .unprobed = (int64_t)s->unprobed,
    .slowdown = over(s->kernel_ms, s->original_ms),
    .slowdown_mean = over(s->impact, (double)s->n_impact),
    .extra_registers_mean = over((double)s->extra, (double)s->n_extra),
    .extra_registers_max = s->n_extra ? s->extra_max : MILL_NO_INT,
  };
  return mill_row(x->host, TABLE_ALL, &row);
}

/* The largest double has 309 digits. */
#define LONGEST_CELL 360

/* "1.25× / +4"; each is left out where it is not known. */
static MillText matrix_text(const Sum *s, char *out, size_t size)
{
  int len = 0;
  if (!s || (!(s->original_ms > 0) && !s->n_extra)) return (MillText){ NULL, 0 };
  if (s->original_ms > 0 && isfinite(s->kernel_ms / s->original_ms))
    len = snprintf(out, size, "%.2f\xc3\x97", s->kernel_ms / s->original_ms);
  else
    len = snprintf(out, size, "-");
  if (s->n_extra)
    len += snprintf(out + len, size - (size_t)len, " / %+lld", (long long)s->extra_max);
  return (MillText){ out, (size_t)len };
}

enum { N_PROBES = 4 };

typedef struct MatrixRow {
  MillText group, op, probes[N_PROBES];
} MatrixRow;

static int matrix_row(const Slowdown *x, const Keyed *sums, const KeyedEntry *e)
{
  static const char *const probes[N_PROBES] = { "block_sched", "gmem_bytes", "tensorop_count",
                                                "dmat" };
  char group[1024], op[1024], texts[N_PROBES][LONGEST_CELL];
  MatrixRow row = { .group = probe_key_text(e, GROUP), .op = probe_key_text(e, OP) };
  const MillText g = row.group, o = row.op;
  snprintf(group, sizeof group, "%.*s", (int)g.len, g.len ? g.text : "");
  snprintf(op, sizeof op, "%.*s", (int)o.len, o.len ? o.text : "");
  for (int k = 0; k < N_PROBES; k++) {
    char key[2200];
    int len = snprintf(key, sizeof key, "%zu:%s%zu:%s%zu:%s", strlen(group), group, strlen(op), op,
                       strlen(probes[k]), probes[k]);
    row.probes[k] = matrix_text(keyed_find(sums, key, (size_t)len), texts[k], sizeof texts[k]);
  }
  return mill_row(x->host, TABLE_MATRIX, &row);
}

/* The state of the first n texts of a key. */
static void *sum_at(Keyed *sums, const KeyedEntry *e, uint32_t n)
{
  const char *at = e->key, *end = e->key + e->len;
  for (uint32_t i = 0; i < n; i++) fields_next(&at, end);
  return keyed_get(sums, e->key, (size_t)(at - e->key));
}

static int slowdown_report_run(void *instance)
{
  Slowdown *x = instance;
  Keyed *sums = keyed_new(x->host->common, sizeof(Sum)), *ops = keyed_new(x->host->common, 1);
  const KeyedEntry *const *sorted = keyed_sorted(x->kernels);
  int status = 0;
  if (!sums || !ops) return -MILL_LIMIT;
  for (uint32_t i = 0; sorted && i < keyed_count(x->kernels) && status == 0; i++) {
    Sum *s = sum_at(sums, sorted[i], KERNEL);
    if (!s || !sum_at(ops, sorted[i], PROBE)) return -MILL_LIMIT;
    add_kernel(s, sorted[i]->state);
    status = kernel_row(x, sorted[i]);
  }
  sorted = keyed_sorted(sums);
  for (uint32_t i = 0; sorted && i < keyed_count(sums) && status == 0; i++)
    status = all_row(x, sorted[i]);
  sorted = keyed_sorted(ops);
  for (uint32_t i = 0; sorted && i < keyed_count(ops) && status == 0; i++)
    status = matrix_row(x, sums, sorted[i]);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_ZERO, "{count} launch[|es] [has|have] an original time of 0",
      "[it is|they are] left out of the slowdown", NULL,
      "The slowdown is the time with the probe divided by the time without it. An original time of "
      "0 means that the kernel was not measured without the probe."),
};

static const MillRead reads[] = {
  RECORD_REAL("kernel_ms"), RECORD_REAL("original_ms"),     RECORD_REAL("impact"),
  RECORD_TEXT("kernel"),    RECORD_TEXT("result"),          RECORD_INT("benchmark"),
  RECORD_INT("registers"),  RECORD_INT("probed_registers"), RECORD_INT("spill"),
};

static const MillColumn kernel_columns[] = {
  MILL_KEY(KernelRow, group, "group", NULL, "Tag from the name of the folder"),
  MILL_KEY(KernelRow, op, "op", NULL, "Tag from the name of the folder"),
  MILL_KEY(KernelRow, probe, "probe", NULL, "Tag from the name of the folder"),
  MILL_KEY(KernelRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_COLUMN(KernelRow, launches, "launches", "count", 0, "Launches that were measured"),
  MILL_COLUMN(KernelRow, slowdown, "slowdown", "ratio", 0,
              "Time with the probe divided by the time without it, over all launches"),
  MILL_COLUMN(KernelRow, slowdown_mean, "slowdown_mean", "ratio", 0,
              "Mean of the slowdowns of launches"),
  MILL_COLUMN(KernelRow, registers, "registers", "count", 0,
              "Registers of a thread without the probe"),
  MILL_COLUMN(KernelRow, probed_registers, "probed_registers", "count", 0,
              "Registers of a thread with the probe"),
  MILL_COLUMN(KernelRow, extra_registers, "extra_registers", "count", 0,
              "probed_registers - registers"),
  MILL_COLUMN(KernelRow, spill_bytes, "spill", "bytes", 0, "Spill stores and loads with the probe"),
};
static const MillColumn all_columns[] = {
  MILL_KEY_BRIEF(AllRow, group, "group", NULL, "Tag from the name of the folder"),
  MILL_KEY_BRIEF(AllRow, op, "op", NULL, "Tag from the name of the folder"),
  MILL_KEY_BRIEF(AllRow, probe, "probe", NULL, "Tag from the name of the folder"),
  MILL_BRIEF(AllRow, launches, "launches", "count", "Launches that were measured"),
  MILL_COLUMN(AllRow, failed, "failed", "count", 0, "Launches that failed or crashed the program"),
  MILL_COLUMN(AllRow, unprobed, "unprobed", "count", 0, "Launches that ran without the probe"),
  MILL_BRIEF(AllRow, slowdown, "slowdown", "ratio",
             "Time with the probe divided by the time without it, over all kernels"),
  MILL_COLUMN(AllRow, slowdown_mean, "slowdown_mean", "ratio", 0,
              "Mean of the slowdowns of launches"),
  MILL_BRIEF(AllRow, extra_registers_mean, "extra_registers_mean", "count",
             "Mean of the extra registers of kernels"),
  MILL_BRIEF(AllRow, extra_registers_max, "extra_registers_max", "count",
             "Largest number of extra registers of a kernel"),
};
static const MillColumn matrix_columns[] = {
  MILL_KEY_BRIEF(MatrixRow, group, "group", NULL, "Tag from the name of the folder"),
  MILL_KEY_BRIEF(MatrixRow, op, "op", NULL, "Tag from the name of the folder"),
  MILL_BRIEF(MatrixRow, probes[0], "block_sched", NULL,
             "Slowdown, and largest number of extra registers"),
  MILL_BRIEF(MatrixRow, probes[1], "gmem_bytes", NULL,
             "Slowdown, and largest number of extra registers"),
  MILL_BRIEF(MatrixRow, probes[2], "tensorop_count", NULL,
             "Slowdown, and largest number of extra registers"),
  MILL_BRIEF(MatrixRow, probes[3], "dmat", NULL, "Slowdown, and largest number of extra registers"),
};

static const MillTable tables[] = {
  [TABLE_KERNELS] = { .per = MILL_PER_RUN,
                      .name = "slowdown-kernels",
                      .help = "Effect of a probe on each kernel",
                      .columns = MILL_ROWS(kernel_columns) },
  [TABLE_ALL] = { .per = MILL_PER_RUN,
                  .brief_rows = 48,
                  .name = "slowdown",
                  .help = "Effect of a probe on an operation",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_MATRIX] = { .per = MILL_PER_RUN,
                     .brief_rows = 24,
                     .name = "slowdown-matrix",
                     .help = "Effect of each probe on each operation",
                     .columns = MILL_ROWS(matrix_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "slowdown",
    .title = "Slowdown by Operation and Probe",
    .table = "slowdown",
    .x = "op",
    .y = "slowdown",
    .series = "probe",
    .facet = "group",
    .flags = MILL_FIGURE_OWN_AXES },
};

static const char *const needs[] = { "probe.log", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = slowdown_open,
  .process = slowdown_process,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = slowdown_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "slowdown",
  .family = "probe",
  .version = "1.0.0",
  .tag = "SLOWD",
  .title = "Slowdown of kernels by a probe",
  .help = "Compares times with and without the probe for launches in benchmark mode, and registers "
          "from the assembler's output, for each kernel and for each operation and probe. Folders "
          "GROUP/OP/PROBE/trace/ give these tags.",
  .needs = needs,
  OWN_ROWS(notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
