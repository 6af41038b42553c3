/* The memory that probes need, against that of the program. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <inttypes.h>
#include <stdio.h>

#include "probe/lib/probe-key.h"
#include "kit/declare/rows.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"

enum { TABLE_ALL, TABLE_BARS };
enum { MODEL, TEST, N_TEXTS };

typedef struct Peak {
  int64_t original, probe;
} Peak;

typedef struct Memory {
  const MillStageHost *host;
  MillSym exec, output;
  Keyed *peaks; /* of Peak, by model and test */
} Memory;

static int memory_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Memory *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->exec = symbol_of(host->common, "probe.exec");
  x->output = symbol_of(host->common, "probe.output");
  x->peaks = keyed_new(host->common, sizeof(Peak));
  *out_instance = x;
  return x->peaks ? 0 : -MILL_LIMIT;
}

static Peak *peak_of_lane(const Memory *x)
{
  const MillHost *common = x->host->common;
  const char *texts[N_TEXTS] = { probe_tag(common, "model"), probe_tag(common, "test") };
  return probe_key_get(x->peaks, common, texts, N_TEXTS);
}

static int memory_process(void *instance, MillBatch *b)
{
  Memory *x = instance;
  if (!probe_tag(x->host->common, "model")) return 0;
  Peak *p = peak_of_lane(x);
  if (!p) return -MILL_LIMIT;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->name == x->exec) {
      int64_t bytes = probe_int(x->host->common, b, e, "memory", 0);
      if (bytes > p->probe) p->probe = bytes;
    } else if (e->name == x->output) {
      int64_t bytes = probe_int(x->host->common, b, e, "max_memory", 0);
      if (bytes > p->original) p->original = bytes;
    }
  }
  return 0;
}

static const StateField peak_fields[] = { STATE_MOST(Peak, original), STATE_MOST(Peak, probe) };
static const StateType peak_state = STATE_TYPE(Peak, peak_fields);

static const StateField memory_fields[] = { STATE_KEYED(Memory, peaks, peak_state) };
static const StateType memory_state = STATE_TYPE(Memory, memory_fields);
STATE_RESULT(Memory, memory_state)

/* ------------------------------------------------------------------ report */

typedef struct BarRow {
  MillText model;
  const char *bar;
  int64_t memory_bytes;
  const char *label;
} BarRow;

static int bar_row(const Memory *x, const KeyedEntry *e, const char *bar, int64_t bytes,
                   const char *label)
{
  const BarRow row = {
    .model = probe_key_text(e, MODEL),
    .bar = bar,
    .memory_bytes = bytes ? bytes : MILL_NO_INT,
    .label = *label ? label : NULL,
  };
  return mill_row(x->host, TABLE_BARS, &row);
}

typedef struct PeakRow {
  MillText model, test;
  int64_t original_bytes, probe_bytes;
  double ratio;
  MillText published;
} PeakRow;

static int peak_rows(const Memory *x, const KeyedEntry *e, int64_t of_model)
{
  const Peak *p = e->state;
  MillText model = probe_key_text(e, MODEL), test = probe_key_text(e, TEST);
  char line[512], label[64] = "", bar[128] = "";
  int len = snprintf(line, sizeof line, "%.*s %.*s %" PRId64 " %" PRId64, (int)model.len,
                     model.len ? model.text : "", (int)test.len, test.len ? test.text : "",
                     p->original, p->probe);
  if (len >= (int)sizeof line) len = (int)sizeof line - 1;
  const PeakRow row = {
    .model = model,
    .test = test,
    .original_bytes = p->original,
    .probe_bytes = p->probe,
    .ratio = p->original ? (double)p->probe / (double)p->original : (double)NAN,
    .published = { line, (size_t)len },
  };
  int status = mill_row(x->host, TABLE_ALL, &row);
  snprintf(bar, sizeof bar, "%.*s", (int)test.len, test.len ? test.text : "");
  if (p->original) snprintf(label, sizeof label, "%.2fx", (double)p->probe / (double)p->original);
  if (status == 0 && of_model >= 0) status = bar_row(x, e, "original", of_model, "");
  return status < 0 ? status : bar_row(x, e, bar, p->probe, label);
}

static bool same_model(const KeyedEntry *a, const KeyedEntry *b)
{
  MillText x = probe_key_text(a, MODEL), y = probe_key_text(b, MODEL);
  return x.len == y.len && (x.len == 0 || !memcmp(x.text, y.text, x.len));
}

/* The largest of all tests of the model that begins at i; -1: none begins there. */
static int64_t original_of(const KeyedEntry *const *sorted, uint32_t n, uint32_t i)
{
  int64_t most = 0;
  if (i > 0 && same_model(sorted[i], sorted[i - 1])) return -1;
  for (uint32_t k = i; k < n && same_model(sorted[i], sorted[k]); k++) {
    const Peak *p = sorted[k]->state;
    if (p->original > most) most = p->original;
  }
  return most;
}

static int memory_report_run(void *instance)
{
  Memory *x = instance;
  const KeyedEntry *const *sorted = keyed_sorted(x->peaks);
  int status = 0;
  uint32_t n = sorted ? keyed_count(x->peaks) : 0;
  for (uint32_t i = 0; i < n && status == 0; i++)
    status = peak_rows(x, sorted[i], original_of(sorted, n, i));
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillRead reads[] = {
  RECORD_INT("memory"),
  RECORD_INT("max_memory"),
};

static const MillColumn all_columns[] = {
  MILL_KEY_BRIEF(PeakRow, model, "model", NULL, "Tag from the name of the folder"),
  MILL_KEY_BRIEF(PeakRow, test, "test", NULL, "Tag from the name of the folder"),
  MILL_BRIEF(PeakRow, original_bytes, "original", "bytes",
             "Largest memory of the program; 0: unknown"),
  MILL_BRIEF(PeakRow, probe_bytes, "probe", "bytes",
             "Largest memory of the probe in a launch; 0: unknown"),
  MILL_BRIEF(PeakRow, ratio, "ratio", "ratio", "probe divided by original"),
  MILL_BRIEF(PeakRow, published, "published", NULL, "Line that the published program prints"),
};
static const MillColumn bar_columns[] = {
  MILL_COLUMN(BarRow, model, "model", NULL, 0, "Tag from the name of the folder"),
  MILL_COLUMN(BarRow, bar, "bar", NULL, 0, "original, or a test"),
  MILL_COLUMN(BarRow, memory_bytes, "memory", "bytes", 0, "Largest memory"),
  MILL_COLUMN(BarRow, label, "label", NULL, 0,
              "Text above the bar: memory divided by that of the original"),
};

static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_RUN,
                  .brief_rows = 24,
                  .name = "memory-peak",
                  .help = "Memory of programs and of their probes",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_BARS] = { .per = MILL_PER_RUN,
                   .name = "memory-bars",
                   .help = "Bars of the figure",
                   .columns = MILL_ROWS(bar_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "memory-peak",
    .title = "Maximum Memory of Programs and Probes",
    .table = "memory-bars",
    .x = "model",
    .y = "memory",
    .series = "bar",
    .annotation = "label",
    .y_scale = "log" },
};

static const char *const needs[] = { "probe.log", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = memory_open,
  .process = memory_process,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = memory_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .name = "memory-peak",
  .family = "probe",
  .version = "1.0.0",
  .tag = "MEMPK",
  .title = "The memory that probes need",
  .help = "Shows the largest memory of a program over its runs, and of a probe over all launches, "
          "for each model and test. Folders MODEL/TEST/SUB/ give these tags.",
  .needs = needs,
  OWN_ROWS(reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
