/* Collectives of all ranks, one by one; see report.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/text/fields.h"
#include "kit/devices/op-shape.h"
#include "report.h"

static int report_collective(Report *r, const Collective *c)
{
  const Call *first = c->calls;
  int64_t full = call_full(first);
  const CollectiveRow row = {
    .collective = match_id(r->common, first),
    .group = first->group,
    .ranks = first->ranks,
    .name = first->name,
    .size = c->size,
    .dtype = first->dtype,
    .in_elements = report_known(first->in_elements),
    .out_elements = report_known(first->out_elements),
    .full_bytes = report_known(full),
    .latency_ns = c->latency_ns,
    .start_skew_ns = c->start_skew_ns,
    .earliest = c->earliest,
    .latest = c->latest,
    .wait_mean_ns = c->wait_mean_ns,
    .end_skew_ns = c->end_skew_ns,
    .algbw = report_rate(full, c->latency_ns, 1),
    .busbw = report_rate(full, c->latency_ns, call_bus_factor(first, c->size)),
    .complete = c->complete,
    .span = report_span(r, first),
  };
  return mill_row(r->host, TABLE_COLLECTIVES, &row);
}

static int report_ranks(const Report *r, const Collective *c)
{
  int status = 0;
  for (size_t i = 0; i < c->n && status == 0; i++) {
    const Call *call = &c->calls[i];
    const RankRow row = {
      .collective = match_id(r->common, call),
      .ranks = call->ranks,
      .rank = call->rank,
      .start_ns = call->own_ts_ns,
      .duration_ns = call->dur_ns,
      .wait_ns = match_wait(c, call),
    };
    status = mill_row(r->host, TABLE_RANKS, &row);
  }
  return status;
}

static int by_size(const void *p, const void *q)
{
  int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
  return (a > b) - (a < b);
}

/* Of clocks that agree, ends are close. */
static void note_clocks(const Report *r, int64_t *ends, size_t n)
{
  if (n == 0) return;
  qsort(ends, n, sizeof *ends, by_size);
  const size_t half = n / 2;
  double median = n % 2 ? (double)ends[half] : ((double)ends[half - 1] + (double)ends[half]) / 2;
  const MillNamed values[] = { { "median", mill_int((int64_t)(median / 1000)) } };
  if (median > (double)r->options.clock_skew_ns)
    r->common->note(r->common, NOTICE_CLOCKS, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

int report_collectives(Report *r)
{
  Collective c;
  int status = 0;
  size_t n = 0;
  int64_t *ends = r->common->scratch(r->common, (r->calls.n + 1) * sizeof *ends);
  if (!ends) return -MILL_LIMIT;
  for (size_t at = 0; status == 0 && match_next(&r->calls, &at, &c);) {
    if (c.calls->type >= CALL_ALLTOALLV) continue;
    if (c.n > 1) ends[n++] = c.end_skew_ns;
    if (!c.complete) mill_note(r->common, NOTICE_INCOMPLETE);
    status = report_collective(r, &c);
    if (status == 0) status = report_ranks(r, &c);
  }
  note_clocks(r, ends, n);
  return status;
}

/* ---- all-to-alls of different amounts */

static int report_exchange(const Report *r, const Collective *c)
{
  int64_t total = 0, most = 0, longest_ns = 0, wall_ns = 0;
  __int128 sum_ns = 0;
  for (size_t i = 0; i < c->n; i++) {
    int64_t bytes = call_bytes(&c->calls[i], c->calls[i].in_elements);
    total = total < 0 || bytes < 0 ? -1 : add_clipped(total, bytes);
    if (bytes > most) most = bytes;
    if (c->calls[i].dur_ns > longest_ns) longest_ns = c->calls[i].dur_ns;
    sum_ns += c->calls[i].dur_ns;
  }
  if (__builtin_sub_overflow(c->last_end_ns, c->first_ns, &wall_ns)) wall_ns = INT64_MAX;
  const AlltoallvRow row = {
    .collective = match_id(r->common, c->calls),
    .group = c->calls->group,
    .ranks = c->calls->ranks,
    .dtype = c->calls->dtype,
    .total_bytes = report_known(total),
    .wall_ns = wall_ns,
    .throughput = report_rate(total, wall_ns, 1),
    .rank_max_ns = longest_ns,
    .rank_min_ns = c->latency_ns,
    .rank_mean_ns = (double)sum_ns / (double)c->n,
    .imbalance = total > 0 ? (double)most * (double)c->n / (double)total : (double)NAN,
    .start_skew_ns = c->start_skew_ns,
    .end_skew_ns = c->end_skew_ns,
  };
  return mill_row(r->host, TABLE_ALLTOALLV, &row);
}

typedef struct Pair {
  int64_t source, destination, bytes, calls;
} Pair;

static bool add_pair(Keyed *pairs, const Pair *more)
{
  const int64_t key[2] = { more->source, more->destination };
  Pair *pair = keyed_get(pairs, (const char *)key, sizeof key);
  if (!pair) return false;
  pair->source = more->source;
  pair->destination = more->destination;
  pair->bytes = add_clipped(pair->bytes, more->bytes);
  pair->calls++;
  return true;
}

/* The j-th number is what goes to the j-th rank of the group, or to rank j where they are not listed. */
static bool add_pairs(Keyed *pairs, const Call *call)
{
  const Field split = { call->in_split, strlen(call->in_split) },
              ranks = { call->ranks, strlen(call->ranks) };
  int64_t sent;
  for (uint32_t j = 0;; j++) {
    Field item = op_item(split, j), rank = op_item(ranks, j);
    if (!digits_read(item.text, item.len, &sent)) return true;
    Pair pair = { call->rank, j, call_bytes(call, sent), 1 };
    (void)digits_read(rank.text, rank.len, &pair.destination);
    if (pair.bytes >= 0 && !add_pair(pairs, &pair)) return false;
  }
}

static int by_ranks(const void *p, const void *q)
{
  const Pair *a = *(const Pair *const *)p, *b = *(const Pair *const *)q;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  return (a->destination > b->destination) - (a->destination < b->destination);
}

static int report_pairs(const Report *r, Keyed *pairs)
{
  const KeyedEntry *const *entries = keyed_sorted(pairs);
  const uint32_t n = keyed_count(pairs);
  const Pair **sorted = r->common->scratch(r->common, (n + (size_t)1) * sizeof *sorted);
  int status = 0;
  if (!entries || !sorted) return -MILL_LIMIT;
  for (uint32_t i = 0; i < n; i++) sorted[i] = entries[i]->state;
  qsort(sorted, n, sizeof *sorted, by_ranks);
  for (uint32_t i = 0; i < n && status == 0; i++) {
    const Pair *p = sorted[i];
    const PairRow row = {
      .source = p->source,
      .destination = p->destination,
      .total_bytes = p->bytes,
      .mean_bytes = (double)p->bytes / (double)p->calls,
      .calls = p->calls,
    };
    status = mill_row(r->host, TABLE_PAIRS, &row);
  }
  return status;
}

int report_alltoallv(Report *r)
{
  Collective c;
  int status = 0;
  Keyed *pairs = keyed_new(r->common, sizeof(Pair));
  bool fits = pairs != NULL;
  for (size_t at = 0; status == 0 && fits && match_next(&r->calls, &at, &c);) {
    if (c.calls->type != CALL_ALLTOALLV) continue;
    if (!c.complete) mill_note(r->common, NOTICE_INCOMPLETE);
    status = report_exchange(r, &c);
    for (size_t i = 0; i < c.n && fits; i++)
      fits = !match_is_whole(c.calls[i].in_split) || add_pairs(pairs, &c.calls[i]);
  }
  if (!fits) return -MILL_LIMIT;
  return status == 0 ? report_pairs(r, pairs) : status;
}
