/* The bulk of a detailed result: lists of the gaps between tokens, in seconds. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "source.h"

#define NUMBER_BYTES 64 /* longer numbers take the general path */

/* "0." and 11 to 24 digits in `p`, which 64 readable bytes follow: as nanoseconds, and the byte
 * after.  NULL for other forms, and where only further digits decide which way to round. */
static inline const char *plain_seconds(const char *p, uint32_t *out_ns)
{
  const uint64_t zeros = UINT64_C(0x3030303030303030);
  uint64_t first = scan_load64(p + 2) ^ zeros, second = scan_load64(p + 10) ^ zeros;
  uint64_t third = scan_load64(p + 18) ^ zeros, stop = digits_stop8(second);
  if (p[0] != '0' || p[1] != '.' || digits_stop8(first)) return NULL;
  uint32_t ninth = second & 0xff, tenth = second >> 8 & 0xff;
  if (stop & 0x808080u) return NULL;            /* less than 11 digits */
  if ((second >> 8 & 0xffff) == 5) return NULL; /* "50": it may be just a half */
  *out_ns = digits_value8(first) * 10 + ninth + (tenth >= 5);
  if (stop) return p + 10 + (__builtin_ctzll(stop) >> 3);
  stop = digits_stop8(third);
  return stop ? p + 18 + (__builtin_ctzll(stop) >> 3) : NULL;
}

static inline bool ends_element(char c) { return c == ',' || c == ']' || scan_is_space(c); }

/* Any number that JSON allows and is not negative; NULL: whoever can explain must look. */
static const char *odd_seconds(const char *p, const char *end, int64_t *out_ns)
{
  unsigned flags = 0;
  if (*p == '-') return NULL;
  const char *after = num_scan_scaled(p, end, 9, out_ns, &flags);
  if (!after || after >= end || flags & NUM_RANGE || !ends_element(*after)) return NULL;
  return after;
}

static bool slow_gap(Window *w, int64_t *out_ns)
{
  JsonToken t;
  return window_value(w, &t) && value_scaled(w, "itls", &t, 9, out_ns);
}

/* One element at p, which is not a blank. */
static inline bool read_gap(Window *w, int64_t *out_ns)
{
  uint32_t plain;
  const char *after = plain_seconds(w->p, &plain);
  if (after && after < w->end && ends_element(*after)) {
    *out_ns = plain;
    w->p = after;
    return true;
  }
  after = odd_seconds(w->p, w->end, out_ns);
  if (!after) return slow_gap(w, out_ns);
  w->p = after;
  return true;
}

/* The list of one request, in which p comes after the bracket.  As long as the window shows whole
 * numbers with one comma and perhaps a blank between them, it goes fast. */
static bool read_list(Window *w, Gaps *g, bool keep, int64_t *out_sum)
{
  bool first = true;
  int64_t sum = 0, ns = 0;
  while (window_element(w, &first)) {
    do {
      if (w->end - w->p < NUMBER_BYTES && !window_ensure(w, NUMBER_BYTES)) return false;
      if (!read_gap(w, &ns)) return false;
      if (keep) gaps_push(g, ns);
      if (__builtin_add_overflow(sum, ns, &sum)) sum = INT64_MAX;
      if (*w->p != ',') break;
      const char *next = scan_space(w->p + 1);
      if (!is_digit(*next)) break;
      w->p = next;
    } while (w->p < w->end);
  }
  *out_sum = sum;
  return w->status == 0;
}

/* Nobody needs them: the brackets only, with strings and odd words looked at. */
static bool pass_list(Window *w, Gaps *g)
{
  bool odd = false;
  int64_t sum;
  const char *after = window_container(w, &odd);
  if (!after || odd) {
    if (!window_open(w, '[')) return false;
    return read_list(w, g, false, &sum);
  }
  w->p = after;
  return true;
}

bool read_gaps(Source *s, Gaps *g)
{
  Window *w = &s->window;
  bool first = true, keep = s->writer.wanted[WANT_GAPS];
  bool sums = keep || (s->writer.wanted[WANT_E2E] && !s->run.column_keys[COL_E2E]);
  g->n = g->big.n = g->ends.n = g->sums.n = 0;
  if (window_peek(w) != '[') return value_wrong(w, "itls", "a list");
  w->p++;
  while (window_element(w, &first)) {
    int64_t sum = 0;
    if (*w->p != '[') {
      if (!value_wrong(w, "itls", "a list for each request")) return false;
    } else if (!sums) {
      if (!pass_list(w, g)) return false;
    } else {
      w->p++;
      if (!read_list(w, g, keep, &sum)) return false;
    }
    ints_push(&g->ends, (int64_t)g->n);
    ints_push(&g->sums, sum);
  }
  return w->status == 0;
}
