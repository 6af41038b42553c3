/* Results of gpu-timeline: the times of each lane, their means over lanes, and shares of them. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "timeline.h"

/* The split of idleness is shown when there is a threshold. */
static bool is_shown(const Timeline *t, int type)
{
  if (type == UNLINKED) return t->times[UNLINKED].n > 0;
  return t->options.micro_idle_ns > 0 || (type != MICRO_IDLE && type != MACRO_IDLE);
}

static double share(__int128 part, __int128 whole)
{
  return whole > 0 ? (double)part / (double)whole * 100 : (double)NAN;
}

static const char *type_name(int type)
{
  const char *name = type == UNLINKED ? "unlinked_time" : device_time_names[type];
  return name;
}

static int report_lane(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    if (!is_shown(t, i)) continue;
    const LaneRow row = {
      .row = ++position,
      .type = type_name(i),
      .time_ns = m->min,
      .share = share(m->sum, t->times[TOTAL].sum),
    };
    status = mill_row(t->host, TABLE_LANE, &row);
  }
  return status;
}

static int report_mean(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    double mean = 0;
    if (!is_shown(t, i) || !moments_mean(m, &mean)) continue;
    const MeanRow row = {
      .row = ++position,
      .type = type_name(i),
      .mean_ns = mean,
      .share = share(m->sum, t->times[TOTAL].sum),
      .min_ns = m->min,
      .max_ns = m->max,
      .ranks = (int64_t)m->n,
    };
    status = mill_row(t->host, TABLE_MEAN, &row);
  }
  return status;
}

/* Metrics are shares of one of the times in another; the rows of `metrics` are in the same
 * order. */
static const struct {
  int part, whole;
  const char *why_not;
} shares[N_SHARES] = {
  { BUSY, TOTAL, "there are no device events, or all of them are at one time" },
  { IDLE, TOTAL, "there are no device events, or all of them are at one time" },
  { COMPUTATION, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_COMM, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_MEMCPY, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_COMM, TOTAL_COMM, "there is no communication on the device" },
};

static int report_metrics(Timeline *t)
{
  int status = 0;
  for (uint32_t i = 0; i < N_SHARES && status == 0; i++) {
    const Moments *whole = &t->times[shares[i].whole];
    double v = share(t->times[shares[i].part].sum, whole->sum);
    status = isnan(v) ? t->host->no_metric(t->host, i, NULL, shares[i].why_not)
                      : t->host->metric(t->host, i, NULL, mill_real(v), t->n_all_events);
  }
  return status;
}

static int report_unlinked(Timeline *t)
{
  const uint32_t count = N_SHARES, time = count + 1;
  const Moments *ns = &t->times[UNLINKED];
  if (!t->has_launches) {
    const char *why = "no event of the host has a correlation id, as launches have";
    int status = t->host->no_metric(t->host, count, NULL, why);
    return status == 0 ? t->host->no_metric(t->host, time, NULL, why) : status;
  }
  uint64_t n = t->n_all_events + (t->options.linked_only ? t->n_all_unlinked : 0);
  int status = t->host->metric(t->host, count, NULL, mill_int((int64_t)t->n_all_unlinked), n);
  return status == 0 ? t->host->metric(t->host, time, NULL, mill_int(moments_sum(ns)), n) : status;
}

int timeline_report(void *instance)
{
  Timeline *t = instance;
  return t->times[TOTAL].n ? report_lane(t) : 0;
}

int timeline_report_run(void *instance)
{
  Timeline *t = instance;
  int status = report_mean(t);
  if (status == 0) status = report_metrics(t);
  return status == 0 ? report_unlinked(t) : status;
}
