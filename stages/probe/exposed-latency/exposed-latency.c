/* What probes add to the time of a program, against another profiler, and in which part of a launch. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/text/symbol.h"
#include "probe/lib/probe-key.h"

enum { TABLE_ALL, TABLE_BARS };
enum { ORIGINAL, NCU, NEUTRINO, PROLOGUE, KERNEL, EPILOGUE, N_TIMES };
static const char *const names[N_TIMES] = { "original", "ncu",    "neutrino",
                                            "prologue", "kernel", "epilogue" };

typedef struct Row {
  char probe[128];
  double time[N_TIMES];
} Row;

typedef struct Exposed {
  const MillStageHost *host;
  MillSym record;
  Row *rows;
  size_t n, capacity;
} Exposed;

static int exposed_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Exposed *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->record = symbol_of(host->common, "probe.latency");
  *out_instance = x;
  return 0;
}

static int add_row(Exposed *x, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  Row row = { .time = { 0 } };
  probe_text(common, b, e, "probe", row.probe, sizeof row.probe);
  for (int k = 0; k < N_TIMES; k++) probe_real(common, b, e, names[k], &row.time[k]);
  if (!(row.time[ORIGINAL] > 0) || !(row.time[NEUTRINO] > 0)) return 0;
  if (!array_reserve(common, &x->rows, &x->capacity, x->n + 1, sizeof *x->rows)) return -MILL_LIMIT;
  x->rows[x->n++] = row;
  return 0;
}

static int exposed_process(void *instance, MillBatch *b)
{
  Exposed *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++)
    if (b->events[i].name == x->record) status = add_row(x, b, &b->events[i]);
  return status;
}

/* ------------------------------------------------------------------ report */

/* Ratios of times that no clock measures fit neither a number nor a label: they have none. */
static MillText label(char *out, size_t size, double ratio)
{
  int len = isfinite(ratio) ? snprintf(out, size, "%.2fx", ratio) : 0;
  return len > 0 && (size_t)len < size ? (MillText){ out, (size_t)len } : (MillText){ NULL, 0 };
}

typedef struct AllRow {
  const char *probe;
  double ncu, neutrino, epilogue_top, kernel_top, prologue_top;
  MillText ncu_label, neutrino_label;
  double speedup, unexplained;
} AllRow;

static int all_row(const Exposed *x, const Row *r)
{
  char ncu[64], neutrino[64];
  const double *t = r->time;
  double bottom = t[EPILOGUE] / t[ORIGINAL], middle = bottom + t[KERNEL] / t[ORIGINAL];
  const AllRow row = {
    .probe = r->probe,
    .ncu = t[NCU] / t[ORIGINAL],
    .neutrino = t[NEUTRINO] / t[ORIGINAL],
    .epilogue_top = bottom,
    .kernel_top = middle,
    .prologue_top = middle + t[PROLOGUE] / t[ORIGINAL],
    .ncu_label = label(ncu, sizeof ncu, t[NCU] / t[ORIGINAL]),
    .neutrino_label = label(neutrino, sizeof neutrino, t[NEUTRINO] / t[ORIGINAL]),
    .speedup = t[NCU] / t[NEUTRINO],
    .unexplained = 100 * (t[NEUTRINO] - t[PROLOGUE] - t[KERNEL] - t[EPILOGUE]) / t[NEUTRINO],
  };
  return mill_row(x->host, TABLE_ALL, &row);
}

typedef struct BarRow {
  const char *probe, *bar, *part;
  double height;
  MillText label;
} BarRow;

static int bar_row(const Exposed *x, const Row *r, const char *bar, const char *part, double height,
                   MillText over)
{
  const BarRow row = { r->probe, bar, part, height, over };
  return mill_row(x->host, TABLE_BARS, &row);
}

/* Parts from the bottom up; the label stands over the last one. */
static int bar_rows(const Exposed *x, const Row *r)
{
  static const char *const parts[] = { "Neutrino (Epilogue)", "Neutrino (Kernel)",
                                       "Neutrino (Prologue)" };
  static const int times[] = { EPILOGUE, KERNEL, PROLOGUE };
  char text[64];
  const double *t = r->time;
  MillText none = { NULL, 0 }, over = label(text, sizeof text, t[NCU] / t[ORIGINAL]);
  int status = bar_row(x, r, "ncu", "Nsight Compute", t[NCU] / t[ORIGINAL], over);
  over = label(text, sizeof text, t[NEUTRINO] / t[ORIGINAL]);
  for (int k = 0; k < 3 && status == 0; k++)
    status = bar_row(x, r, "neutrino", parts[k], t[times[k]] / t[ORIGINAL], k == 2 ? over : none);
  return status;
}

static int exposed_report(void *instance)
{
  const Exposed *x = instance;
  int status = 0;
  for (size_t i = 0; i < x->n && status == 0; i++) {
    status = all_row(x, &x->rows[i]);
    if (status == 0) status = bar_rows(x, &x->rows[i]);
  }
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillRead reads[] = { RECORD_REAL("original"), RECORD_REAL("ncu"),
                                  RECORD_REAL("neutrino"), RECORD_REAL("prologue"),
                                  RECORD_REAL("kernel"),   RECORD_REAL("epilogue"),
                                  RECORD_TEXT("probe") };

static const MillColumn all_columns[] = {
  MILL_BRIEF(AllRow, probe, "probe", NULL, "Name in the input table"),
  MILL_BRIEF(AllRow, ncu, "ncu", "ratio",
             "Time with the other profiler divided by the original time"),
  MILL_BRIEF(AllRow, neutrino, "neutrino", "ratio",
             "Time with the probe divided by the original time"),
  MILL_COLUMN(AllRow, epilogue_top, "epilogue_top", "ratio", 0,
              "Epilogue divided by the original time"),
  MILL_COLUMN(AllRow, kernel_top, "kernel_top", "ratio", 0,
              "Epilogue and kernel divided by the original time"),
  MILL_COLUMN(AllRow, prologue_top, "prologue_top", "ratio", 0,
              "Epilogue, kernel and prologue divided by the original time"),
  MILL_COLUMN(AllRow, ncu_label, "ncu_label", NULL, 0, "Text above the bar"),
  MILL_COLUMN(AllRow, neutrino_label, "neutrino_label", NULL, 0, "Text above the bar"),
  MILL_BRIEF(AllRow, speedup, "speedup", "ratio", "ncu divided by neutrino"),
  MILL_BRIEF(AllRow, unexplained, "unexplained", "percent",
             "Share of the time with the probe that is in none of the three parts"),
};
static const MillColumn bar_columns[] = {
  MILL_COLUMN(BarRow, probe, "probe", NULL, 0, "Name in the input table"),
  MILL_COLUMN(BarRow, bar, "bar", NULL, 0, "ncu or neutrino"),
  MILL_COLUMN(BarRow, part, "part", NULL, 0, "Part of the bar, from the bottom up"),
  MILL_COLUMN(BarRow, height, "height", "ratio", 0,
              "Time of the part divided by the original time"),
  MILL_COLUMN(BarRow, label, "label", NULL, 0, "Text above the bar"),
};

static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_LANE,
                  .brief_rows = 24,
                  .name = "exposed-latency",
                  .help = "Time that probes add to a program",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_BARS] = { .per = MILL_PER_LANE,
                   .name = "latency-bars",
                   .help = "Parts of the bars in the figure",
                   .columns = MILL_ROWS(bar_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_STACKED_BAR,
    .name = "exposed-latency",
    .title = "Exposed Latency",
    .table = "latency-bars",
    .x = "probe",
    .y = "height",
    .series = "part",
    .group = "bar",
    .annotation = "label",
    .colors = "Nsight Compute=#b31805,Neutrino (Epilogue)=#0053d6,Neutrino (Kernel)=#812be1,"
              "Neutrino (Prologue)=#00bb00",
    .y_label = "times the original" },
};

static const char *const needs[] = { "probe.latency", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = exposed_open,
  .process = exposed_process,
  .report = exposed_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .name = "exposed-latency",
  .family = "probe",
  .version = "1.0.0",
  .tag = "EXPLAT",
  .title = "Time that probes add to a program",
  .help = "Divides the times with a probe and with another profiler by the original time. Shows "
          "the three parts of the time with a probe, and the unexplained rest.",
  .needs = needs,
  OWN_ROWS(reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
