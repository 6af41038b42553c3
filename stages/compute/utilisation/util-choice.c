/* Scores of tables; see util-choice.h. */
/* SPDX-License-Identifier: MIT */
#include "util-choice.h"

#include <stdlib.h>

#include "kit/numbers/clip.h"

enum { HALF = UTIL_SCORE_ONE / 2, SURE = UTIL_SCORE_ONE / 10 * 6, APART = UTIL_SCORE_ONE / 10 };
enum { EXCESS_PERCENT = 105 };

__extension__ typedef __int128 Wide;

typedef struct Fit { /* of a table to the job at hand */
  int64_t named, cycles;
} Fit;

typedef struct Choice {
  const MillHost *common;
  UtilLane *lane;
  const UtilTables *tables;
  int64_t core_hz;
  Fit *fits;
} Choice;

int64_t util_score(int64_t named, int64_t calls, int64_t cycles, int64_t core_hz, int64_t time_ns)
{
  Wide ideal = (Wide)cycles * 1000000000, measured = (Wide)core_hz * time_ns; /* in ns * Hz */
  if (calls <= 0 || ideal * 100 > measured * EXCESS_PERCENT) return 0;
  Wide share = (Wide)named * HALF / calls;
  return (int64_t)(measured ? share + ideal * HALF / measured : share);
}

static int64_t times(int64_t cycles, int64_t calls)
{
  int64_t product;
  return __builtin_mul_overflow(cycles, calls, &product) ? INT64_MAX : product;
}

static void add_calls(Choice *c, uint32_t kernel, int64_t calls)
{
  for (uint32_t i = c->tables->of_number[kernel]; i;) {
    const UtilUse *use = &c->tables->uses[i - 1];
    Fit *fit = &c->fits[use->table];
    fit->named = add_clipped(fit->named, calls);
    fit->cycles = add_clipped(fit->cycles, times(use->cycles, calls));
    i = use->next;
  }
}

static void clear_fits(Choice *c) { memset(c->fits, 0, c->tables->n_tables * sizeof *c->fits); }

static bool is_for(const UtilTable *table, const UtilLane *lane)
{
  return table->rank < 0 || table->rank == lane->rank;
}

/* With autopilot kernels are not named: the table is about all of them. */
static int64_t score_of(const Choice *c, uint32_t table_number, const UtilJob *job)
{
  const UtilTable *table = &c->tables->tables[table_number];
  Fit fit = c->fits[table_number];
  if (table->autopilot) fit = (Fit){ job->calls, util_table_cycles(table) };
  return util_score(fit.named, job->calls, fit.cycles, c->core_hz, job->time_ns);
}

static void decide(const Choice *c, UtilJob *job)
{
  int64_t best = -1, second = -1;
  for (uint32_t t = 0; t < c->tables->n_tables; t++) {
    if (!is_for(&c->tables->tables[t], c->lane)) continue;
    int64_t score = score_of(c, t, job);
    if (score > best) {
      second = best;
      best = score;
      job->table = t + 1;
    } else if (score > second) {
      second = score;
    }
  }
  bool low = best < SURE, close = second >= 0 && best - second <= APART;
  job->doubts = low ? UTIL_LOW : close ? UTIL_CLOSE : 0;
}

/* --------------------------------------------------------------- jobs of a file */

static void choose_by_calls(Choice *c)
{
  UtilLane *lane = c->lane;
  for (uint32_t i = 0; i < lane->n_calls;) {
    uint32_t job = lane->calls[i].job;
    clear_fits(c);
    for (; i < lane->n_calls && lane->calls[i].job == job; i++)
      add_calls(c, lane->calls[i].kernel, lane->calls[i].calls);
    if (job < lane->n_jobs) decide(c, &lane->jobs[job]);
  }
}

/* -------------------------------------------------------------------- launches */

static int by_node(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static void add_path(Choice *c, uint32_t node)
{
  while (node) {
    add_calls(c, c->lane->nodes[node - 1].kernel, 1);
    node = c->lane->nodes[node - 1].parent;
  }
}

/* Launches with one sequence of kernels are looked at together: they differ in time alone. */
static bool choose_by_launch(Choice *c)
{
  UtilLane *lane = c->lane;
  uint64_t *order = mill_new(c->common, (lane->n_jobs + (size_t)1) * sizeof *order);
  uint32_t n = 0, node = 0;
  if (!order) return false;
  for (uint32_t i = 0; i < lane->n_jobs; i++)
    if (lane->jobs[i].launch && lane->jobs[i].calls)
      order[n++] = (uint64_t)lane->jobs[i].node << 32 | i;
  qsort(order, n, sizeof *order, by_node);
  for (uint32_t i = 0; i < n; i++) {
    UtilJob *job = &lane->jobs[(uint32_t)order[i]];
    if (i == 0 || job->node != node) {
      clear_fits(c);
      add_path(c, job->node);
    }
    node = job->node;
    decide(c, job);
  }
  c->common->resize(c->common, order, 0);
  return true;
}

bool util_choose(UtilLane *lane, const UtilTables *tables, int64_t core_hz)
{
  const MillHost *common = tables->common;
  Choice c = { common, lane, tables, core_hz, NULL };
  for (uint32_t t = 0; t < tables->n_tables && !lane->has_table; t++)
    lane->has_table = is_for(&tables->tables[t], lane);
  if (!lane->has_table) return true;
  c.fits = mill_new(common, tables->n_tables * sizeof *c.fits);
  if (!c.fits) return false;
  choose_by_calls(&c);
  bool fits = choose_by_launch(&c);
  common->resize(common, c.fits, 0);
  return fits;
}
