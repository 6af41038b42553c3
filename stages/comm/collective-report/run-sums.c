/* Collectives of all ranks by kind, and who waited for whom; see report.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/text/fields.h"
#include "kit/state/ranked.h"
#include "kit/numbers/student.h"
#include "report.h"

static const double PER_GB = 1e6; /* rates are kept as kB/s */

typedef struct Kind {
  Dist values[N_VALUES];
  const Call *first;
  int64_t size;
} Kind;

static bool put(Buffer *b, const char *text) { return fields_put(b, text, strlen(text)); }

static Kind *kind_of(Keyed *kinds, Buffer *key, const Collective *c)
{
  char digits[DIGITS_MAX];
  key->len = 0;
  if (!put(key, c->calls->name) || !put(key, c->calls->dtype) ||
      !fields_put(key, digits, digits_write(digits, c->calls->in_elements)))
    return NULL;
  Kind *kind = keyed_get(kinds, key->text, key->len);
  if (kind && !kind->first) {
    kind->first = c->calls;
    kind->size = c->size;
  }
  return kind;
}

/* Rates of nothing, or in no time, are not known. */
static bool add_rate(Dist *d, Hists *hists, const Collective *c, double factor)
{
  double rate = report_rate(call_full(c->calls), c->latency_ns, factor);
  return isnan(rate) || rate > 1e12 || dist_add(d, hists, (int64_t)(rate * PER_GB + 0.5));
}

static bool add_collective(Dist *values, Hists *hists, const Collective *c)
{
  return dist_add(&values[LATENCY], hists, c->latency_ns) &&
         dist_add(&values[START_SKEW], hists, c->start_skew_ns) &&
         dist_add(&values[END_SKEW], hists, c->end_skew_ns) &&
         add_rate(&values[ALGBW], hists, c, 1) &&
         add_rate(&values[BUSBW], hists, c, call_bus_factor(c->calls, c->size));
}

static double unit_of(int value) { return value >= ALGBW ? PER_GB : 1; }

static int report_kind(Report *r, Kind *kind)
{
  const Call *c = kind->first;
  SummaryRow row = {
    .name = c->name,
    .dtype = c->dtype,
    .in_elements = report_known(c->in_elements),
    .group = c->group,
    .size = kind->size,
    .full_bytes = report_known(call_full(c)),
    .span = report_span(r, c),
    .calls = (int64_t)kind->values[LATENCY].moments.n,
    .total_latency_ns = moments_sum(&kind->values[LATENCY].moments),
  };
  for (int i = 0; i < N_VALUES; i++) row.values[i] = dist_stats(&kind->values[i], unit_of(i));
  return mill_row(r->host, TABLE_SUMMARY, &row);
}

static int report_metric(const Report *r, uint32_t metric, Dist *d, double by)
{
  const uint64_t n = d->moments.n;
  if (n == 0) return r->host->no_metric(r->host, metric, NULL, "no collective has this value");
  int status = r->host->metric(r->host, metric, "mean", mill_real(dist_mean(d) / by), n);
  if (status == 0)
    status = r->host->metric(r->host, metric, "p50", mill_real(dist_percentile(d, 50) / by), n);
  if (status == 0)
    status = r->host->metric(r->host, metric, "p99", mill_real(dist_percentile(d, 99) / by), n);
  return status == 0
             ? r->host->metric(r->host, metric, "max", mill_real((double)d->moments.max / by), n)
             : status;
}

static int64_t latency_of(const void *kind)
{
  return moments_sum(&((const Kind *)kind)->values[LATENCY].moments);
}

int report_summary(Report *r)
{
  Hists hists;
  Collective c;
  Ranked ranked;
  Dist all[N_VALUES] = { 0 };
  Buffer key = { .common = r->common };
  Keyed *kinds = keyed_new(r->common, sizeof(Kind));
  bool fits = kinds != NULL;
  int status = 0;
  hists_init(&hists, r->common, HIST_NO_BOUND);
  for (size_t at = 0; fits && match_next(&r->calls, &at, &c);) {
    if (c.calls->type >= CALL_ALLTOALLV) continue;
    Kind *kind = kind_of(kinds, &key, &c);
    fits = kind && add_collective(kind->values, &hists, &c) && add_collective(all, &hists, &c);
  }
  if (!fits || !ranked_make(r->common, kinds, latency_of, &ranked)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < ranked.n && status == 0; i++)
    status = report_kind(r, ranked.entries[i].entry->state);
  if (status == 0) status = report_metric(r, METRIC_LATENCY, &all[LATENCY], 1);
  if (status == 0) status = report_metric(r, METRIC_SKEW, &all[START_SKEW], 1);
  if (status == 0) status = report_metric(r, METRIC_BUSBW, &all[BUSBW], PER_GB);
  hists_clear(&hists);
  return status;
}

/* ---- stragglers */

/* In so many collectives a straggler shows; so improbable by chance; and of so much of the time of communication. */
enum { LEAST_COLLECTIVES = 8 };
#define CHANCE 0.01
#define LEAST_SHARE 0.01

typedef struct Waiter {
  int64_t rank, wait_ns, last, first, collectives, comm_ns;
  StudentSeries late_ns; /* how much longer the others waited */
} Waiter;

static int by_rank(const void *p, const void *q)
{
  const Waiter *a = p, *b = q;
  return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Lanes of one rank, as of several labels, are one. */
static size_t collect(const Report *r, Waiter *w)
{
  size_t n = 0;
  for (size_t i = 0; i < r->n_lanes; i++)
    w[i] = (Waiter){ .rank = r->lanes[i].rank, .comm_ns = r->lanes[i].comm_ns };
  if (r->n_lanes) qsort(w, r->n_lanes, sizeof *w, by_rank);
  for (size_t i = 0; i < r->n_lanes; i++) {
    if (n && w[n - 1].rank == w[i].rank)
      w[n - 1].comm_ns = add_clipped(w[n - 1].comm_ns, w[i].comm_ns);
    else
      w[n++] = w[i];
  }
  return n;
}

static void add_waits(const Collective *c, Waiter *waiters, size_t n)
{
  double all_ns = 0;
  for (size_t i = 0; i < c->n; i++) all_ns += (double)match_wait(c, &c->calls[i]);
  for (size_t i = 0; i < c->n; i++) {
    const Waiter key = { .rank = c->calls[i].rank };
    Waiter *w = bsearch(&key, waiters, n, sizeof *waiters, by_rank);
    if (!w) continue;
    w->collectives++;
    int64_t wait_ns = match_wait(c, &c->calls[i]);
    double late_ns = (all_ns - (double)wait_ns) / (double)(c->n - 1) - (double)wait_ns;
    w->wait_ns = add_clipped(w->wait_ns, wait_ns);
    student_add(&w->late_ns, late_ns);
    w->last += w->rank == c->latest;
    w->first += w->rank == c->earliest;
  }
}

static int report_waiter(const Report *r, const Waiter *w)
{
  const StragglerRow row = {
    .rank = w->rank,
    .wait_ns = w->wait_ns,
    .wait_mean_ns = w->collectives ? (double)w->wait_ns / (double)w->collectives : (double)NAN,
    .last = w->last,
    .first = w->first,
    .last_share = percent_of(w->last, w->collectives),
    .collectives = w->collectives,
    .comm_ns = w->comm_ns,
  };
  return mill_row(r->host, TABLE_STRAGGLERS, &row);
}

/* By Student's test of the mean, for the largest of n ranks (Bonferroni); and it must matter. */
static bool is_late(const Waiter *w, size_t n)
{
  if (w->collectives < LEAST_COLLECTIVES || w->late_ns.sum < LEAST_SHARE * (double)w->comm_ns)
    return false;
  return student_above_zero(&w->late_ns, CHANCE / (double)n);
}

static int report_straggler(const Report *r, const Waiter *least, size_t n_ranks)
{
  const char *none = !least                     ? "no collective has several ranks"
                     : !is_late(least, n_ranks) ? "no rank is late by more than chance"
                                                : NULL;
  int status;
  if (none) {
    status = r->host->no_metric(r->host, METRIC_STRAGGLER, NULL, none);
    return status == 0 ? r->host->no_metric(r->host, METRIC_STRAGGLER_SHARE, NULL, none) : status;
  }
  const uint64_t n = (uint64_t)least->collectives;
  status = r->host->metric(r->host, METRIC_STRAGGLER, NULL, mill_int(least->rank), n);
  if (status != 0) return status;
  return r->host->metric(r->host, METRIC_STRAGGLER_SHARE, NULL,
                         mill_real(percent_of(least->last, least->collectives)), n);
}

int report_stragglers(Report *r)
{
  Collective c;
  const Waiter *least = NULL;
  int status = 0;
  Waiter *waiters = r->common->scratch(r->common, (r->n_lanes + 1) * sizeof *waiters);
  if (!waiters) return -MILL_LIMIT;
  size_t n = collect(r, waiters);
  for (size_t at = 0; match_next(&r->calls, &at, &c);)
    if (c.calls->type < CALL_ALLTOALLV && c.n > 1) add_waits(&c, waiters, n);
  for (size_t i = 0; i < n && status == 0; i++) {
    const Waiter *w = &waiters[i];
    if (w->collectives == 0) continue;
    if (!least || w->wait_ns < least->wait_ns) least = w;
    status = report_waiter(r, w);
  }
  return status == 0 ? report_straggler(r, least, n) : status;
}
