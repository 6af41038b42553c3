/* What became of the kernels and launches of a probed program, joined with what their traces counted. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/lib/probe-key.h"
#include "kit/declare/rows.h"
#include "kit/trace/probe.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"

enum { TABLE_LAUNCHES, TABLE_KERNELS };
enum { TRACE, FOLDER, NUMBER, SAVED, N_TEXTS }; /* of a launch */
enum { KERNEL = 2, N_KERNEL_TEXTS };            /* of a kernel */
enum { LAUNCH = 2, N_COUNT_TEXTS };             /* of counts */
enum { RESULT, WHY, NAME, N_WORDS };
enum { PROLOGUE, KERNEL_MS, EPILOGUE, N_TIMES };

typedef struct Launch {
  char *words[N_WORDS]; /* NULL: not said */
  double times[N_TIMES];
  bool has_times;
  int64_t number, memory; /* -1: not said */
} Launch;

typedef struct Counts { /* of a trace in a file */
  uint64_t bytes, operations;
  bool has_bytes, has_operations;
} Counts;

typedef struct Kernel {
  int64_t launches, probed, failed, unprobed, memory;
  double times[N_TIMES];
  char *state;
  int64_t registers, probed_registers; /* plus 1 */
} Kernel;

typedef struct Report {
  const MillStageHost *host;
  ProbeReader reader;
  MillSym exec, kernel;
  int64_t n;    /* launches of the lane */
  char *folder; /* of the lane's trace */
  Keyed *launches, *counts, *kernels;
} Report;

/* What tells traces of one name apart: where the log is; its data is in `result/` beside it. */
static char *folder_of_lane(const MillHost *common)
{
  static const char result[] = "/result";
  MillLane lane = { .size = sizeof lane };
  common->lane(common, MILL_NO_LANE, &lane);
  const char *name = lane.name ? lane.name : "", *last = strrchr(name, '/');
  size_t len = last ? (size_t)(last - name) : 0, cut = strlen(result);
  if (len >= cut && !memcmp(name + len - cut, result, cut))
    len -= cut;
  else if (len == cut - 1 && !memcmp(name, result + 1, len))
    len = 0;
  char *folder = mill_new(common, len + 1);
  if (folder) memcpy(folder, name, len);
  return folder;
}

static int report_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Report *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  probe_open(&x->reader, host->common);
  x->exec = symbol_of(host->common, "probe.exec");
  x->kernel = symbol_of(host->common, "probe.kernel");
  x->launches = keyed_new(host->common, sizeof(Launch));
  x->counts = keyed_new(host->common, sizeof(Counts));
  x->kernels = keyed_new(host->common, sizeof(Kernel));
  *out_instance = x;
  x->folder = folder_of_lane(host->common);
  return x->launches && x->counts && x->kernels && x->folder ? 0 : -MILL_LIMIT;
}

/* ------------------------------------------------------------------- records */

static char *copy_text(const MillHost *common, const char *text, size_t len)
{
  if (len == 0) return NULL;
  char *copy = mill_new(common, len + 1);
  if (copy) memcpy(copy, text, len);
  return copy;
}

static Kernel *kernel_named(const Report *x, const char *name)
{
  const char *texts[N_KERNEL_TEXTS] = { probe_tag(x->host->common, "trace"), x->folder, name };
  return probe_key_get(x->kernels, x->host->common, texts, N_KERNEL_TEXTS);
}

static void add_to_kernel(Kernel *k, const Launch *l)
{
  k->launches++;
  k->probed += l->words[RESULT] && !strcmp(l->words[RESULT], "succeed");
  k->failed += l->words[RESULT] && probe_has_failed(l->words[RESULT]);
  k->unprobed += l->words[RESULT] && !strcmp(l->words[RESULT], "backup");
  if (l->memory > k->memory) k->memory = l->memory;
  for (int t = 0; t < N_TIMES && l->has_times; t++) k->times[t] += l->times[t];
}

static int add_launch(Report *x, const MillBatch *b, const MillEvent *e)
{
  static const char *const words[N_WORDS] = { "result", "why", "kernel" };
  static const char *const times[N_TIMES] = { "prologue_ms", "kernel_ms", "epilogue_ms" };
  const MillHost *common = x->host->common;
  char number[24], saved[512], word[4096];
  snprintf(number, sizeof number, "%012lld", (long long)x->n);
  const char *texts[N_TEXTS] = { probe_tag(common, "trace"), x->folder, number,
                                 probe_text(common, b, e, "launch", saved, sizeof saved) };
  Launch *l = probe_key_get(x->launches, common, texts, N_TEXTS);
  if (!l) return -MILL_LIMIT;
  l->number = x->n++;
  for (int k = 0; k < N_WORDS; k++) {
    probe_text(common, b, e, words[k], word, sizeof word);
    l->words[k] = copy_text(common, word, strlen(word));
  }
  l->has_times = true;
  for (int k = 0; k < N_TIMES; k++)
    l->has_times = probe_real(common, b, e, times[k], &l->times[k]) && l->has_times;
  l->memory = probe_int(common, b, e, "memory", -1);
  Kernel *kernel = kernel_named(x, l->words[NAME]);
  if (!kernel) return -MILL_LIMIT;
  add_to_kernel(kernel, l);
  return 0;
}

/* One name may be that of several kernels: the registers are the most of them. */
static int take_kernel(Report *x, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  char name[4096], state[64];
  Kernel *k = kernel_named(x, probe_text(common, b, e, "kernel", name, sizeof name));
  if (!k) return -MILL_LIMIT;
  probe_text(common, b, e, "state", state, sizeof state);
  k->state = copy_text(common, state, strlen(state));
  int64_t plain = probe_int(common, b, e, "registers", -1) + 1;
  int64_t probed = probe_int(common, b, e, "probed_registers", -1) + 1;
  if (plain > k->registers) k->registers = plain;
  if (probed > k->probed_registers) k->probed_registers = probed;
  return 0;
}

static Counts *counts_of_lane(const Report *x)
{
  const MillHost *common = x->host->common;
  const char *texts[N_COUNT_TEXTS] = { probe_tag(common, "trace"), x->folder,
                                       probe_tag(common, "launch") };
  return probe_key_get(x->counts, common, texts, N_COUNT_TEXTS);
}

static int add_unit(const Report *x, const MillBatch *b, const MillEvent *e, Counts **io_counts)
{
  ProbeUnit u;
  if (!probe_unit(&x->reader, b, e, &u)) return 0;
  bool bytes = u.section->kind == PROBE_GMEM, operations = u.section->kind == PROBE_TENSOROP;
  if (!bytes && !operations) return 0;
  Counts *c = *io_counts ? *io_counts : counts_of_lane(x);
  if (!c) return -MILL_LIMIT;
  *io_counts = c;
  c->has_bytes = c->has_bytes || bytes;
  c->has_operations = c->has_operations || operations;
  for (const MillAttr *a = u.fields; a < u.end; a++) {
    bool moved = a->key == x->reader.keys[PROBE_SYNC] || a->key == x->reader.keys[PROBE_ASYNC];
    if (bytes && moved) c->bytes += (uint64_t)a->u.i;
    if (operations && a->key == x->reader.keys[PROBE_COUNT]) c->operations += (uint64_t)a->u.i;
  }
  return 0;
}

static int report_process(void *instance, MillBatch *b)
{
  Report *x = instance;
  Counts *counts = NULL;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->name == x->reader.unit)
      status = add_unit(x, b, e, &counts);
    else if (e->name == x->exec)
      status = add_launch(x, b, e);
    else if (e->name == x->kernel)
      status = take_kernel(x, b, e);
    else
      probe_take(&x->reader, b, e);
  }
  return status;
}

/* ---------------------------------------------------------- saved and merged */

static const StateField launch_fields[] = {
  STATE_FIRSTS(Launch, words), STATE_FIRSTS(Launch, times), STATE_FIRST(Launch, has_times),
  STATE_FIRST(Launch, number), STATE_FIRST(Launch, memory),
};
static const StateType launch_state = STATE_TYPE(Launch, launch_fields);

static const StateField counts_fields[] = {
  STATE_SUM(Counts, bytes),
  STATE_SUM(Counts, operations),
  STATE_MOST(Counts, has_bytes),
  STATE_MOST(Counts, has_operations),
};
static const StateType counts_state = STATE_TYPE(Counts, counts_fields);

static const StateField kernel_fields[] = {
  STATE_FIRST(Kernel, state),    STATE_SUM(Kernel, launches),          STATE_SUM(Kernel, probed),
  STATE_SUM(Kernel, failed),     STATE_SUM(Kernel, unprobed),          STATE_MOST(Kernel, memory),
  STATE_MOST(Kernel, registers), STATE_MOST(Kernel, probed_registers), STATE_SUMS(Kernel, times),
};
static const StateType kernel_state = STATE_TYPE(Kernel, kernel_fields);

static const StateField report_fields[] = {
  STATE_KEYED(Report, launches, launch_state),
  STATE_KEYED(Report, counts, counts_state),
  STATE_KEYED(Report, kernels, kernel_state),
};
static const StateType report_state = STATE_TYPE(Report, report_fields);
STATE_RESULT(Report, report_state)

/* ---------------------------------------------------------------------- report */

static int64_t known(int64_t v) { return v >= 0 ? v : MILL_NO_INT; }
static double over(bool there, double a, double b) { return there && b > 0 ? a / b : (double)NAN; }

static const Counts *counts_of(const Report *x, const KeyedEntry *e)
{
  Buffer b = { .common = x->host->common };
  MillText texts[N_COUNT_TEXTS] = { probe_key_text(e, TRACE), probe_key_text(e, FOLDER),
                                    probe_key_text(e, SAVED) };
  const Counts *found = NULL;
  bool fine = texts[LAUNCH].len > 0;
  for (int i = 0; i < N_COUNT_TEXTS && fine; i++)
    fine = fields_put(&b, texts[i].len ? texts[i].text : "", texts[i].len);
  if (fine) found = keyed_find(x->counts, b.text, b.len);
  array_free(x->host->common, b.text);
  return found;
}

typedef struct LaunchRow {
  MillText trace, folder;
  int64_t number;
  const char *kernel;
  MillText launch;
  const char *result, *why;
  int64_t memory_bytes;
  double kernel_time_ms, prologue, epilogue;
  int64_t bytes, operations;
  double bytes_per_ms, operations_per_byte;
} LaunchRow;

static int launch_row(const Report *x, const KeyedEntry *e)
{
  const Launch *l = e->state;
  const Counts *c = counts_of(x, e);
  bool bytes = c && c->has_bytes, operations = c && c->has_operations;
  double sum = l->times[PROLOGUE] + l->times[KERNEL_MS] + l->times[EPILOGUE];
  const LaunchRow row = {
    .trace = probe_key_text(e, TRACE),
    .folder = probe_key_text(e, FOLDER),
    .number = l->number,
    .kernel = l->words[NAME],
    .launch = probe_key_text(e, SAVED),
    .result = l->words[RESULT],
    .why = l->words[WHY],
    .memory_bytes = known(l->memory),
    .kernel_time_ms = l->has_times ? l->times[KERNEL_MS] : (double)NAN,
    .prologue = l->has_times ? probe_percent(l->times[PROLOGUE], sum) : (double)NAN,
    .epilogue = l->has_times ? probe_percent(l->times[EPILOGUE], sum) : (double)NAN,
    .bytes = bytes ? (int64_t)c->bytes : MILL_NO_INT,
    .operations = operations ? (int64_t)c->operations : MILL_NO_INT,
    .bytes_per_ms = over(bytes && l->has_times, bytes ? (double)c->bytes : 0, l->times[KERNEL_MS]),
    .operations_per_byte = over(bytes && operations, operations ? (double)c->operations : 0,
                                bytes ? (double)c->bytes : 0),
  };
  return mill_row(x->host, TABLE_LAUNCHES, &row);
}

typedef struct KernelRow {
  MillText trace, folder, kernel;
  const char *state;
  int64_t launches, probed, failed, unprobed, memory_bytes;
  double kernel_time_ms, around;
  int64_t registers, probed_registers;
} KernelRow;

static int kernel_row(const Report *x, const KeyedEntry *e)
{
  const Kernel *k = e->state;
  double sum = k->times[PROLOGUE] + k->times[KERNEL_MS] + k->times[EPILOGUE];
  const KernelRow row = {
    .trace = probe_key_text(e, TRACE),
    .folder = probe_key_text(e, FOLDER),
    .kernel = probe_key_text(e, KERNEL),
    .state = k->state,
    .launches = k->launches,
    .probed = k->probed,
    .failed = k->failed,
    .unprobed = k->unprobed,
    .memory_bytes = k->memory,
    .kernel_time_ms = sum > 0 ? k->times[KERNEL_MS] : (double)NAN,
    .around = probe_percent(k->times[PROLOGUE] + k->times[EPILOGUE], sum),
    .registers = k->registers ? k->registers - 1 : MILL_NO_INT,
    .probed_registers = k->probed_registers ? k->probed_registers - 1 : MILL_NO_INT,
  };
  return mill_row(x->host, TABLE_KERNELS, &row);
}

static int report_report_run(void *instance)
{
  Report *x = instance;
  const KeyedEntry *const *sorted = keyed_sorted(x->launches);
  int status = 0;
  for (uint32_t i = 0; sorted && i < keyed_count(x->launches) && status == 0; i++)
    status = launch_row(x, sorted[i]);
  sorted = keyed_sorted(x->kernels);
  for (uint32_t i = 0; sorted && i < keyed_count(x->kernels) && status == 0; i++)
    status = kernel_row(x, sorted[i]);
  return status;
}

/* -------------------------------------------------------------- the descriptor */

static const MillRead reads[] = {
  PROBE_READS,
  RECORD_INT("sync"),
  RECORD_INT("async"),
  RECORD_INT("count"),
  RECORD_INT("memory"),
  RECORD_INT("registers"),
  RECORD_INT("probed_registers"),
  RECORD_TEXT("kernel"),
  RECORD_TEXT("result"),
  RECORD_TEXT("why"),
  RECORD_TEXT("launch"),
  RECORD_TEXT("state"),
  RECORD_REAL("prologue_ms"),
  RECORD_REAL("kernel_ms"),
  RECORD_REAL("epilogue_ms"),
};

static const MillColumn launch_columns[] = {
  MILL_KEY_BRIEF(LaunchRow, trace, "trace", NULL, "Name of the trace"),
  MILL_KEY_BRIEF(LaunchRow, folder, "folder", NULL, "Folder of the trace, as it was given"),
  MILL_KEY_BRIEF(LaunchRow, number, "number", NULL, "Number of the launch in its trace"),
  MILL_BRIEF(LaunchRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_COLUMN(LaunchRow, launch, "launch", NULL, 0, "File with the data of the launch"),
  MILL_BRIEF(
      LaunchRow, result, "result", NULL,
      "succeed, failed, backup (it ran without the probe), or crashed (the log has no result)"),
  MILL_BRIEF(LaunchRow, why, "why", NULL, "Why the launch ran without the probe"),
  MILL_COLUMN(LaunchRow, memory_bytes, "memory", "bytes", 0, "Memory of the probe"),
  MILL_BRIEF(LaunchRow, kernel_time_ms, "kernel_time", "ms", "Time of the kernel with the probe"),
  MILL_COLUMN(LaunchRow, prologue, "prologue", "percent", 0,
              "Share of the launch's time before the kernel"),
  MILL_COLUMN(LaunchRow, epilogue, "epilogue", "percent", 0,
              "Share of the launch's time after the kernel"),
  MILL_COLUMN(LaunchRow, bytes, "bytes", "bytes", 0, "Bytes of global memory, from its trace"),
  MILL_COLUMN(LaunchRow, operations, "operations", "count", 0, "Tensor operations, from its trace"),
  MILL_COLUMN(LaunchRow, bytes_per_ms, "bytes_per_ms", "bytes/ms", 0,
              "bytes divided by kernel_time"),
  MILL_COLUMN(LaunchRow, operations_per_byte, "operations_per_byte", "ratio", 0,
              "operations divided by bytes"),
};
static const MillColumn kernel_columns[] = {
  MILL_KEY_BRIEF(KernelRow, trace, "trace", NULL, "Name of the trace"),
  MILL_KEY_BRIEF(KernelRow, folder, "folder", NULL, "Folder of the trace, as it was given"),
  MILL_KEY_BRIEF(KernelRow, kernel, "kernel", NULL, "Name of the kernel"),
  MILL_BRIEF(KernelRow, state, "state", NULL, "probed, cannot find, or python failed"),
  MILL_BRIEF(KernelRow, launches, "launches", "count", "Number of launches"),
  MILL_BRIEF(KernelRow, probed, "probed", "count", "Launches that succeeded with the probe"),
  MILL_BRIEF(KernelRow, failed, "failed", "count", "Launches that failed or crashed the program"),
  MILL_BRIEF(KernelRow, unprobed, "unprobed", "count", "Launches that ran without the probe"),
  MILL_COLUMN(KernelRow, memory_bytes, "memory", "bytes", 0,
              "Largest memory of the probe in a launch"),
  MILL_COLUMN(KernelRow, kernel_time_ms, "kernel_time", "ms", 0,
              "Time of the kernel over all launches with the probe"),
  MILL_COLUMN(KernelRow, around, "around", "percent", 0,
              "Share of prologue and epilogue in the time of the launches"),
  MILL_COLUMN(KernelRow, registers, "registers", "count", 0,
              "Registers of a thread without the probe"),
  MILL_COLUMN(KernelRow, probed_registers, "probed_registers", "count", 0,
              "Registers of a thread with the probe"),
};

static const MillTable tables[] = {
  [TABLE_LAUNCHES] = { .per = MILL_PER_RUN,
                       .brief_rows = 12,
                       .name = "launches",
                       .help = "Outcome of each launch",
                       .columns = MILL_ROWS(launch_columns) },
  [TABLE_KERNELS] = { .per = MILL_PER_RUN,
                      .brief_rows = 24,
                      .name = "kernels",
                      .help = "Outcome of each kernel",
                      .columns = MILL_ROWS(kernel_columns) },
};

static const char *const needs[] = { "input.probe", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = report_open,
  .process = report_process,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = report_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "probe-report",
  .family = "probe",
  .version = "1.0.0",
  .tag = "PRREP",
  .title = "Outcome of the kernels and launches of a probed program",
  .help = "Lists kernels and launches of a log: which were probed, failed, or ran without the "
          "probe and why, where their time went, and the bytes and operations in their traces.",
  .needs = needs,
  OWN_ROWS(reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
