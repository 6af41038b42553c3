/* Rows of turns: when those of all warps were done, and how far apart the warps of a block end. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kit/state/sort.h"
#include "warp-sched.h"

enum { POINTS = 100 };

/* When so many percent of the turns were done, rounded up to whole ones. */
static int64_t done_at(const Sched *x, size_t percent)
{
  size_t n = (x->n_turns * percent + 99) / 100;
  return x->turns[n - 1] - x->turns[0];
}

static int tail_row(const Sched *x)
{
  int64_t last = x->turns[x->n_turns - 1] - x->turns[0], p90 = done_at(x, 90);
  const TailRow row = {
    .warps = (int64_t)x->n_turning,
    .turns = (int64_t)x->n_turns,
    .half_at = done_at(x, 50),
    .p90_at = p90,
    .last = last,
    .tail = probe_percent((double)(last - p90), (double)last),
  };
  return mill_row(x->host, TABLE_TAIL, &row);
}

/* The points of the picture that its tail is read from. */
static int mark_rows(const Sched *x)
{
  static const struct {
    const char *name;
    size_t percent;
  } marks[] = { { "50 %", 50 }, { "90 %", 90 }, { "all", 100 } };
  int64_t last = done_at(x, 100);
  char label[64], tail[128] = "";
  int status = 0;
  if (last > 0)
    snprintf(tail, sizeof tail, "tail %.1f %%%s%s",
             100 * (double)(last - done_at(x, 90)) / (double)last, *x->reader.kernel ? " of " : "",
             x->reader.kernel);
  for (size_t i = 0; i < sizeof marks / sizeof *marks && status == 0; i++) {
    int64_t time = done_at(x, marks[i].percent);
    int len = snprintf(label, sizeof label, "%s: %" PRId64, marks[i].name, time);
    const MarkRow row = {
      .mark = marks[i].name,
      .time = time,
      .turns = (int64_t)((x->n_turns * marks[i].percent + 99) / 100),
      .label = { label, (size_t)len },
      .tail = *tail ? tail : NULL,
    };
    status = mill_row(x->host, TABLE_MARKS, &row);
  }
  return status;
}

static int progress_rows(const Sched *x)
{
  __extension__ typedef __int128 Wide;
  int64_t last = x->turns[x->n_turns - 1] - x->turns[0];
  size_t done = 0;
  int status = 0;
  for (int64_t k = 0; k <= POINTS && status == 0; k++) {
    int64_t time = (int64_t)((Wide)last * k / POINTS);
    while (done < x->n_turns && x->turns[done] - x->turns[0] <= time) done++;
    const ProgressRow row = {
      .point = k,
      .time = time,
      .turns = (int64_t)done,
    };
    status = mill_row(x->host, TABLE_PROGRESS, &row);
  }
  return status;
}

int sched_turn_rows(Sched *x)
{
  sort_rows(x->turns, x->n_turns, 1);
  int status = tail_row(x);
  if (status == 0) status = mark_rows(x);
  if (status == 0) status = progress_rows(x);
  for (size_t i = 0; i < x->n_spreads && status == 0; i++) {
    if (!x->spreads[i].any) continue;
    const SpreadRow row = {
      .block = (int64_t)i,
      .spread = x->spreads[i].max - x->spreads[i].min,
    };
    status = mill_row(x->host, TABLE_SPREAD, &row);
  }
  return status;
}
