/* Calls of one rank: each, and by kind; see report.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/text/fields.h"
#include "kit/numbers/moments.h"
#include "kit/state/ranked.h"
#include "report.h"

static int report_call(Report *r, const Call *c, int64_t index)
{
  const CallRow row = {
    .collective = match_id(r->common, c),
    .index = index,
    .group = c->group,
    .ranks = c->ranks,
    .name = c->name,
    .size = c->size > 0 ? c->size : MILL_NO_INT,
    .dtype = c->dtype,
    .in_elements = report_known(c->in_elements),
    .in_bytes = report_known(call_bytes(c, c->in_elements)),
    .out_elements = report_known(c->out_elements),
    .out_bytes = report_known(call_bytes(c, c->out_elements)),
    .in_split = c->in_split,
    .out_split = c->out_split,
    .stream = c->stream,
    .start_ns = c->own_ts_ns,
    .duration_ns = c->dur_ns,
    .node = report_node(r, c->rank),
    .span = report_span(r, c),
  };
  return mill_row(r->host, TABLE_CALLS, &row);
}

/* They are in the order of groups, and in one by time. */
int report_calls(Report *r)
{
  int status = 0;
  int64_t index = 0;
  for (size_t i = 0; i < r->calls.n && status == 0; i++) {
    const Call *c = &r->calls.items[i];
    bool same = i > 0 && strcmp(c->group, c[-1].group) == 0 && strcmp(c->ranks, c[-1].ranks) == 0;
    index = same ? index + 1 : 0;
    status = report_call(r, c, index);
  }
  return status;
}

/* ---- by kind */

typedef struct Kind {
  Moments time;
  const Call *call;
} Kind;

static bool put(Buffer *b, const char *text) { return fields_put(b, text, strlen(text)); }

static bool put_number(Buffer *b, int64_t number)
{
  char digits[DIGITS_MAX];
  return fields_put(b, digits, digits_write(digits, number));
}

static bool add_to_kind(Keyed *kinds, Buffer *key, const Call *c)
{
  key->len = 0;
  if (!put(key, c->group) || !put(key, c->ranks) || !put(key, c->name) ||
      !put_number(key, c->size) || !put(key, c->dtype) || !put_number(key, c->in_elements) ||
      !put_number(key, c->out_elements) || !put(key, c->in_split) || !put(key, c->out_split) ||
      !put(key, c->stream))
    return false;
  Kind *kind = keyed_get(kinds, key->text, key->len);
  if (!kind) return false;
  kind->call = c;
  moments_add(&kind->time, c->dur_ns);
  return true;
}

static int64_t time_of(const void *kind) { return moments_sum(&((const Kind *)kind)->time); }

static int report_kind(const Report *r, const Kind *kind)
{
  const Call *c = kind->call;
  const Moments *m = &kind->time;
  const KindRow row = {
    .group = c->group,
    .ranks = c->ranks,
    .name = c->name,
    .size = c->size,
    .dtype = c->dtype,
    .in_elements = report_known(c->in_elements),
    .out_elements = report_known(c->out_elements),
    .in_split = c->in_split,
    .out_split = c->out_split,
    .stream = c->stream,
    .in_bytes = report_known(call_bytes(c, c->in_elements)),
    .out_bytes = report_known(call_bytes(c, c->out_elements)),
    .calls = (int64_t)m->n,
    .total_ns = moments_sum(m),
    .mean_ns = moments_mean_or_none(m),
    .std_ns = moments_std_or_none(m),
    .min_ns = m->min,
    .max_ns = m->max,
  };
  return mill_row(r->host, TABLE_KINDS, &row);
}

int report_kinds(Report *r)
{
  Ranked ranked;
  int status = 0;
  Buffer key = { .common = r->common };
  Keyed *kinds = keyed_new(r->common, sizeof(Kind));
  bool fits = kinds != NULL;
  for (size_t i = 0; i < r->calls.n && fits; i++)
    fits = add_to_kind(kinds, &key, &r->calls.items[i]);
  if (!fits || !ranked_make(r->common, kinds, time_of, &ranked)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < ranked.n && status == 0; i++)
    status = report_kind(r, ranked.entries[i].entry->state);
  return status;
}
