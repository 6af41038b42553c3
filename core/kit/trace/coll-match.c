/* Matching calls; see coll-match.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/coll-match.h"

#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/numbers/interval.h"

static int same_collective(const Call *a, const Call *b)
{
  int order = strcmp(a->group, b->group);
  if (order == 0) order = strcmp(a->ranks, b->ranks);
  if (order == 0) order = (a->has_seq > b->has_seq) - (a->has_seq < b->has_seq);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int by_collective(const void *p, const void *q)
{
  const Call *a = p, *b = q;
  int order = same_collective(a, b);
  if (order) return order;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  return (a->ts_ns > b->ts_ns) - (a->ts_ns < b->ts_ns);
}

void match_sort(Calls *c)
{
  if (c->n) qsort(c->items, c->n, sizeof *c->items, by_collective);
}

bool match_is_whole(const char *list)
{
  size_t len = strlen(list);
  if (len == 0) return true;
  return len > 1 && list[0] == '[' && list[len - 1] == ']' &&
         strspn(list + 1, "0123456789,-") == len - 2;
}

/* All ranks are there once, and say the same. */
static bool is_complete(const Collective *c)
{
  const Call *first = &c->calls[0];
  bool complete = (int64_t)c->n == c->size && match_is_whole(first->ranks);
  for (size_t i = 0; i < c->n && first->type == CALL_ALLTOALLV; i++)
    complete &= match_is_whole(c->calls[i].in_split);
  for (size_t i = 1; i < c->n; i++) {
    const Call *call = &c->calls[i];
    complete &= call->rank != call[-1].rank && strcmp(call->name, first->name) == 0 &&
                strcmp(call->dtype, first->dtype) == 0 && call->size == first->size;
    if (first->type != CALL_ALLTOALLV)
      complete &=
          call->in_elements == first->in_elements && call->out_elements == first->out_elements;
  }
  return complete;
}

static int64_t difference(int64_t a, int64_t b)
{
  int64_t d;
  return __builtin_sub_overflow(a, b, &d) ? INT64_MAX : d;
}

static void measure(Collective *c)
{
  __int128 starts = 0;
  for (size_t i = 0; i < c->n; i++) {
    const Call *call = &c->calls[i];
    int64_t end_ns = interval_end(call->ts_ns, call->dur_ns);
    starts += call->ts_ns;
    if (i == 0 || call->ts_ns <= c->first_ns) c->earliest = call->rank;
    if (i == 0 || call->ts_ns <= c->first_ns) c->first_ns = call->ts_ns;
    if (i == 0 || call->ts_ns > c->last_ns) c->latest = call->rank;
    if (i == 0 || call->ts_ns > c->last_ns) c->last_ns = call->ts_ns;
    if (i == 0 || end_ns < c->first_end_ns) c->first_end_ns = end_ns;
    if (i == 0 || end_ns > c->last_end_ns) c->last_end_ns = end_ns;
    if (i == 0 || call->dur_ns < c->latency_ns) c->latency_ns = call->dur_ns;
  }
  c->start_skew_ns = difference(c->last_ns, c->first_ns);
  c->end_skew_ns = difference(c->last_end_ns, c->first_end_ns);
  c->wait_mean_ns = (double)((__int128)c->last_ns * (int64_t)c->n - starts) / (double)c->n;
}

bool match_next(const Calls *all, size_t *io_at, Collective *out)
{
  size_t end = *io_at;
  if (*io_at >= all->n) return false;
  *out = (Collective){ .calls = &all->items[*io_at] };
  while (end < all->n && same_collective(out->calls, &all->items[end]) == 0) end++;
  out->n = end - *io_at;
  *io_at = end;
  out->size = out->calls->size > 0 ? out->calls->size : (int64_t)out->n;
  measure(out);
  out->complete = is_complete(out);
  return true;
}

MillText match_id(const MillHost *common, const Call *c)
{
  size_t len = strlen(c->group);
  char *text = common->scratch(common, len + DIGITS_MAX + 2);
  if (!text) return (MillText){ NULL, 0 };
  memcpy(text, c->group, len);
  text[len++] = '_';
  len += digits_write(text + len, c->number);
  return (MillText){ text, len };
}
