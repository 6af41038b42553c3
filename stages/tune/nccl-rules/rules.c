/* The fastest candidate of each size, and the ranges of sizes between which rules change. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl-rules.h"

static const uint32_t keys[] = { NODES, RANKS, PIPE_OPS, REG_BUFF };

static int compare(int64_t a, int64_t b) { return a < b ? -1 : a > b; }

/* The first line that matches wins, so "any" comes after all that is more special. */
static int compare_special(int64_t a, int64_t b)
{
  return compare(a < 0 ? INT64_MAX : a, b < 0 ? INT64_MAX : b);
}

static int compare_keys(const Row *a, const Row *b, const MillHost *common)
{
  int order =
      a->names[COLLECTIVE] == b->names[COLLECTIVE]
          ? 0
          : strcmp(ar_text(common, a->names[COLLECTIVE]), ar_text(common, b->names[COLLECTIVE]));
  for (size_t i = 0; i < MILL_COUNT(keys) && order == 0; i++)
    order = compare_special(a->ints[keys[i]], b->ints[keys[i]]);
  return order;
}

static int compare_rows(const void *a, const void *b, void *common)
{
  const Row *x = a, *y = b;
  int order = compare_keys(x, y, common);
  if (order == 0) order = compare(x->ints[BYTES], y->ints[BYTES]);
  return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

static Size size_of(const Row *r)
{
  return (Size){ r->ints[NODES], r->ints[RANKS], r->ints[BYTES] };
}

static int compare_sizes(const void *a, const void *b)
{
  const Size *x = a, *y = b;
  int order = compare(x->nodes, y->nodes);
  if (order == 0) order = compare(x->ranks, y->ranks);
  return order ? order : compare(x->bytes, y->bytes);
}

/* The sizes of all collectives on so many nodes and ranks make the ranges. */
static bool read_sizes(Rules *x)
{
  x->sizes = mill_new(x->common, (x->n + 1) * sizeof *x->sizes);
  if (!x->sizes) return false;
  for (size_t i = 0; i < x->n; i++) x->sizes[i] = size_of(&x->rows[i]);
  qsort(x->sizes, x->n, sizeof *x->sizes, compare_sizes);
  for (size_t i = 0; i < x->n; i++)
    if (i == 0 || compare_sizes(&x->sizes[i - 1], &x->sizes[i]) != 0)
      x->sizes[x->n_sizes++] = x->sizes[i];
  return true;
}

size_t rules_range(const Rules *x, const Row *row)
{
  const Size size = size_of(row);
  const Size *found = bsearch(&size, x->sizes, x->n_sizes, sizeof size, compare_sizes);
  return (size_t)(found - x->sizes);
}

static bool are_beside(const Rules *x, size_t range)
{
  const Size *a = &x->sizes[range], *b = a + 1;
  return range + 1 < x->n_sizes && a->nodes == b->nodes && a->ranks == b->ranks;
}

int64_t rules_range_end(const Rules *x, size_t range)
{
  int64_t bytes = x->sizes[range].bytes;
  return are_beside(x, range) ? bytes + (x->sizes[range + 1].bytes - bytes) / 2 : bytes;
}

typedef struct Rule {
  const Row *row;
  size_t first, last; /* ranges */
} Rule;

static int write_rule(Rules *x, const Rule *rule, bool is_last)
{
  const Row *r = rule->row;
  bool has_before = rule->first && are_beside(x, rule->first - 1);
  int64_t min = has_before ? rules_range_end(x, rule->first - 1) + 1 : 0,
          max = rules_range_end(x, rule->last);
  if (is_last && x->options->open_end && max < OPEN_END) max = OPEN_END;
  const RuleRow row = {
    .collective = r->names[COLLECTIVE],
    .nodes = r->ints[NODES],
    .ranks = r->ints[RANKS],
    .pipe_ops = r->ints[PIPE_OPS],
    .reg_buff = r->ints[REG_BUFF],
    .min_bytes = min,
    .max_bytes = max,
    .algorithm = r->names[ALGORITHM],
    .protocol = r->names[PROTOCOL],
    .channels = r->ints[CHANNELS],
    .position = ++x->n_rules,
  };
  return mill_row(x->host, TABLE_RULES, &row);
}

bool rules_are_alike(const Row *a, const Row *b)
{
  return a->names[ALGORITHM] == b->names[ALGORITHM] && a->names[PROTOCOL] == b->names[PROTOCOL] &&
         a->ints[CHANNELS] == b->ints[CHANNELS];
}

static bool goes_on(const Rule *rule, const Row *row, size_t range)
{
  return rule->row && rule->last + 1 == range && rules_are_alike(rule->row, row);
}

static int fail_types(const Rules *x, const Row *a, const Row *b)
{
  char what[160];
  snprintf(what, sizeof what, "times of %.40s and of %.40s are mixed in %.20s of %" PRId64 " bytes",
           ar_text(x->common, a->names[TYPE]), ar_text(x->common, b->names[TYPE]),
           ar_text(x->common, a->names[COLLECTIVE]), a->ints[BYTES]);
  return mill_fail(x->common, MILL_BAD_INPUT, what, "choose one with the option dtype");
}

const Row *rules_best(const Row *rows, size_t n)
{
  const Row *best = rows;
  for (size_t i = 1; i < n; i++)
    if (rows[i].value < best->value) best = &rows[i];
  return best;
}

/* The fastest of the rows of one size.  What has no rival wins, too, but is told. */
static int find_best(const Rules *x, const Row *rows, size_t n, const Row **out)
{
  bool sole = true;
  *out = rules_best(rows, n);
  for (size_t i = 1; i < n; i++) {
    if (rows[i].names[TYPE] != rows->names[TYPE]) return fail_types(x, rows, &rows[i]);
    sole = sole && rules_are_alike(rows, &rows[i]);
  }
  if (sole) mill_note(x->common, NOTICE_SOLE);
  return 0;
}

/* The rows of one collective, nodes, ranks and so on. */
static int write_group(Rules *x, const Row *rows, size_t n)
{
  Rule rule = { NULL, 0, 0 };
  int status = 0;
  for (size_t i = 0, end; i < n && status == 0; i = end) {
    const Row *best;
    for (end = i; end < n && rows[end].ints[BYTES] == rows[i].ints[BYTES];) end++;
    status = find_best(x, &rows[i], end - i, &best);
    if (status < 0) return status;
    size_t range = rules_range(x, best);
    if (goes_on(&rule, best, range)) {
      rule.last = range;
      continue;
    }
    if (rule.row) status = write_rule(x, &rule, false);
    rule = (Rule){ best, range, range };
  }
  return status == 0 ? write_rule(x, &rule, true) : status;
}

int rules_report(Rules *x)
{
  int status = 0;
  if (x->n == 0) mill_note(x->common, NOTICE_NOTHING);
  if (!read_sizes(x)) return -MILL_LIMIT;
  for (size_t i = 0; i < x->n; i++) x->rows[i].place = i;
  if (x->n) qsort_r(x->rows, x->n, sizeof *x->rows, compare_rows, (void *)x->common);
  for (size_t i = 0, end; i < x->n && status == 0; i = end) {
    for (end = i; end < x->n && compare_keys(&x->rows[i], &x->rows[end], x->common) == 0;) end++;
    status = write_group(x, &x->rows[i], end - i);
    if (status == 0) status = candidates_report(x, &x->rows[i], end - i);
  }
  return status;
}
