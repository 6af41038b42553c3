/* The runs of a log: where one ends, and whether its bandwidths are those of its ranks. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "coll-bench.h"

enum { USUAL_ROWS = 64 }; /* 32 sizes, out of place and in place */

static const Run unsaid = { .avg_busbw = (double)NAN, .out_of_bounds = -1 };

void log_init(Log *log)
{
  *log = (Log){ .rows = g_array_sized_new(FALSE, FALSE, sizeof(CollRow), USUAL_ROWS),
                .runs = g_array_new(FALSE, FALSE, sizeof(Run)),
                .names = g_string_chunk_new(1024),
                .run = unsaid };
}

void log_clear(Log *log)
{
  g_array_unref(log->rows);
  g_array_unref(log->runs);
  g_string_chunk_free(log->names);
}

void log_next_run(Log *log)
{
  log->run.end = log->rows->len;
  g_array_append_val(log->runs, log->run);
  log->run = unsaid;
}

int64_t log_ranks(int64_t gpus, int64_t processes, int64_t per_process)
{
  if (gpus > 0) return gpus;
  if (processes <= 0) return -1;
  return per_process > 0 && per_process < INT32_MAX && processes < INT32_MAX
             ? processes * per_process
             : processes;
}

void log_on_ranks(Log *log, int64_t ranks, int64_t nodes)
{
  Run *run = &log->run;
  bool differs = (run->ranks && ranks > 0 && run->ranks != ranks) ||
                 (run->nodes && nodes > 0 && run->nodes != nodes);
  if (differs) log_next_run(log);
  if (ranks > 0) run->ranks = ranks;
  if (nodes > 0) run->nodes = nodes;
  run->complete = true; /* such files have no footer */
}

/* busbw / algbw of so many ranks; NaN: nobody defines it. */
static double factor(const char *collective, int64_t ranks)
{
  double part = (double)(ranks - 1) / (double)ranks;
  if (!collective) return (double)NAN;
  if (!strcmp(collective, "allreduce")) return 2 * part;
  bool is_part = !strcmp(collective, "allgather") || !strcmp(collective, "reducescatter") ||
                 !strcmp(collective, "alltoall");
  return is_part ? part : (double)NAN;
}

/* Both are printed with two decimals. */
static bool row_fits(const Run *run, const CollRow *row, int64_t ranks)
{
  double f = factor(row->collective ? row->collective : run->collective, ranks);
  if (!isfinite(f) || !isfinite(row->algbw) || !isfinite(row->busbw)) return true;
  return fabs(row->busbw - row->algbw * f) <= 0.0051 * (1 + f) + 0.001 * row->algbw;
}

bool log_ranks_fit(const Log *log, const Run *run, guint first, int64_t ranks)
{
  for (guint i = first; i < run->end; i++)
    if (!row_fits(run, &g_array_index(log->rows, CollRow, i), ranks)) return false;
  return true;
}

int64_t log_fitting_ranks(const Log *log, const Run *run, guint first)
{
  const CollRow *best = NULL;
  for (guint i = first; i < run->end; i++) {
    const CollRow *row = &g_array_index(log->rows, CollRow, i);
    if (isfinite(row->busbw) && row->algbw > (best ? best->algbw : 0)) best = row;
  }
  double one =
      best ? factor(best->collective ? best->collective : run->collective, 2) : (double)NAN;
  double part = isfinite(one) ? best->busbw / best->algbw / (2 * one) : 1;
  return part >= 0 && part < 1 ? (int64_t)llround(1 / (1 - part)) : 0;
}

double log_mean_busbw(const Log *log, const Run *run, guint first)
{
  double sum = 0;
  guint n = 0;
  for (guint i = first; i < run->end; i++) {
    double busbw = g_array_index(log->rows, CollRow, i).busbw;
    if (!isfinite(busbw)) continue;
    sum += busbw;
    n++;
  }
  return n ? sum / n : (double)NAN;
}
