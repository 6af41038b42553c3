/* Limits; see limits.h. */
/* SPDX-License-Identifier: MIT */
#include "limits.h"

#include <string.h>

#include "base/num-digits.h"

static const char *const limit_names[N_LIMITS] = { "ttft", "tpot", "itl", "e2e" };

static Kept keeps(int64_t ns, int64_t limit_ns)
{
  if (limit_ns == 0) return KEPT;
  if (ns == BENCH_NONE) return NOT_KNOWN;
  return ns <= limit_ns ? KEPT : NOT_KEPT;
}

static bool has_one_token(const BenchRequest *r)
{
  return r->output_tokens != BENCH_NONE && r->output_tokens <= 1;
}

/* (e2e - ttft) / (output tokens - 1), where there is none 0. */
static Kept keeps_tpot(const BenchRequest *r, int64_t limit_ns)
{
  if (limit_ns == 0 || has_one_token(r)) return KEPT;
  if (r->tpot_ns != BENCH_NONE) return keeps(r->tpot_ns, limit_ns);
  if (r->ttft_ns == BENCH_NONE || r->e2e_ns == BENCH_NONE || r->output_tokens == BENCH_NONE)
    return KEPT;
  __int128 most = (__int128)limit_ns * (r->output_tokens - 1);
  return (__int128)r->e2e_ns - r->ttft_ns <= most ? KEPT : NOT_KEPT;
}

/* The mean of the request's gaps. */
static Kept keeps_itl(const OpenRequest *open, int64_t limit_ns)
{
  if (limit_ns == 0) return KEPT;
  if (open->gaps == 0) return has_one_token(&open->request) ? KEPT : NOT_KNOWN;
  return open->gap_sum_ns <= (__int128)limit_ns * open->gaps ? KEPT : NOT_KEPT;
}

/* One that is broken decides it. */
Kept limits_kept(const OpenRequest *open, const int64_t *limits)
{
  const BenchRequest *r = &open->request;
  const Kept kept[N_LIMITS] = { keeps(r->ttft_ns, limits[TTFT]), keeps_tpot(r, limits[TPOT]),
                                keeps_itl(open, limits[ITL]), keeps(r->e2e_ns, limits[E2E]) };
  Kept all = KEPT;
  for (uint32_t i = 0; i < N_LIMITS; i++) {
    if (kept[i] == NOT_KEPT) return NOT_KEPT;
    if (kept[i] == NOT_KNOWN) all = NOT_KNOWN;
  }
  return all;
}

/* Thousands per record. */
void open_add_gaps(OpenRequest *open, const int64_t *limits, MillSym gap_ns, const MillBatch *b,
                   const MillEvent *e)
{
  const MillAttr *a = b->attrs + e->attrs, *end = a + e->n_attrs;
  __int128 sum = 0;
  int64_t n = 0;
  if (limits[ITL] == 0) return;
  for (; a < end; a++) {
    if (a->key != gap_ns || (a->type & MILL_ATTR_TYPE) != MILL_INT) continue;
    sum += a->u.i;
    n++;
  }
  open->gap_sum_ns += sum;
  open->gaps += n;
}

/* ---- as text */

static size_t put(char *to, size_t at, const char *text)
{
  size_t len = strlen(text);
  if (at + len > LIMITS_TEXT) return at;
  memcpy(to + at, text, len);
  return at + len;
}

/* "200ms": in the largest unit that needs no fraction. */
static size_t put_duration(char *to, size_t at, int64_t ns)
{
  static const struct {
    int64_t ns;
    const char *unit;
  } units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
  uint32_t i = 0;
  while (ns % units[i].ns) i++;
  if (at + DIGITS_MAX > LIMITS_TEXT) return at;
  at += digits_write(to + at, ns / units[i].ns);
  return put(to, at, units[i].unit);
}

/* "ttft<=200ms tpot<=50ms" */
size_t limits_write(const int64_t *limits, char *to)
{
  size_t at = 0;
  for (uint32_t i = 0; i < N_LIMITS; i++) {
    if (limits[i] == 0) continue;
    if (at) at = put(to, at, " ");
    at = put(to, at, limit_names[i]);
    at = put(to, at, "<=");
    at = put_duration(to, at, limits[i]);
  }
  return at;
}
