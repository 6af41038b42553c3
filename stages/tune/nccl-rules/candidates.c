/* What was measured at each size, and where another candidate becomes the best. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <inttypes.h>
#include <stdio.h>

#include "nccl-rules.h"

static size_t size_end(const Row *rows, size_t n, size_t begin)
{
  size_t end = begin;
  while (end < n && rows[end].ints[BYTES] == rows[begin].ints[BYTES]) end++;
  return end;
}

/* -1: the same candidate is the best of the next size, or there is none. */
static int64_t range_end(const Rules *x, const Row *best, const Row *next, size_t n_next)
{
  size_t range = rules_range(x, best);
  bool goes_on = n_next == 0 || (rules_are_alike(best, rules_best(next, n_next)) &&
                                 rules_range(x, next) == range + 1);
  return goes_on ? -1 : rules_range_end(x, range);
}

static int name_candidate(const Rules *x, const Row *r, char *out, size_t size)
{
  char channels[24] = "";
  if (r->ints[CHANNELS] >= 0) snprintf(channels, sizeof channels, " %" PRId64, r->ints[CHANNELS]);
  return snprintf(out, size, "%.40s %.40s%s", ar_text(x->common, r->names[ALGORITHM]),
                  ar_text(x->common, r->names[PROTOCOL]), channels);
}

static int name_number(char *out, size_t size, const char *what, int64_t number)
{
  return number < 0
             ? 0
             : snprintf(out, size, ", %" PRId64 " %s%s", number, what, number == 1 ? "" : "s");
}

static int name_panel(const Rules *x, const Row *r, char *out, size_t size)
{
  int len = snprintf(out, size, "%.40s", ar_text(x->common, r->names[COLLECTIVE]));
  len += name_number(out + len, size - (size_t)len, "node", r->ints[NODES]);
  return len + name_number(out + len, size - (size_t)len, "rank", r->ints[RANKS]);
}

static int candidate_row(const Rules *x, const Row *r, bool is_chosen, int64_t end)
{
  char name[120], panel[120];
  int name_len = name_candidate(x, r, name, sizeof name);
  int panel_len = name_panel(x, r, panel, sizeof panel);
  bool of_times = x->options->metric == LATENCY;
  const CandidateRow row = {
    .collective = r->names[COLLECTIVE],
    .nodes = r->ints[NODES],
    .ranks = r->ints[RANKS],
    .pipe_ops = r->ints[PIPE_OPS],
    .reg_buff = r->ints[REG_BUFF],
    .bytes = r->ints[BYTES],
    .candidate = { name, (size_t)name_len },
    .time_us = of_times ? r->value : (double)NAN,
    .bandwidth = of_times ? (double)NAN : -r->value,
    .chosen = is_chosen,
    .until_bytes = is_chosen && end >= 0 ? end : MILL_NO_INT,
    .panel = { panel, (size_t)panel_len },
  };
  return mill_row(x->host, TABLE_CANDIDATES, &row);
}

static bool came_before(const Row *rows, size_t index)
{
  for (size_t i = 0; i < index; i++)
    if (rules_are_alike(&rows[i], &rows[index])) return true;
  return false;
}

/* Each candidate once, with the best of its rows. */
static int size_rows(const Rules *x, const Row *rows, size_t n, const Row *best, int64_t end)
{
  int status = 0;
  for (size_t i = 0; i < n && status == 0; i++) {
    const Row *own = &rows[i];
    if (came_before(rows, i)) continue;
    for (size_t k = i + 1; k < n; k++)
      if (rules_are_alike(own, &rows[k]) && rows[k].value < own->value) own = &rows[k];
    status = candidate_row(x, own, rules_are_alike(own, best), end);
  }
  return status;
}

int candidates_report(const Rules *x, const Row *rows, size_t n)
{
  int status = 0;
  for (size_t i = 0, end; i < n && status == 0; i = end) {
    end = size_end(rows, n, i);
    const Row *best = rules_best(&rows[i], end - i);
    int64_t last = range_end(x, best, &rows[end], size_end(rows, n, end) - end);
    status = size_rows(x, &rows[i], end - i, best, last);
  }
  return status;
}
