/* Durations by name; see name-sums.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/name-sums.h"

#include "kit/numbers/moments.h"
#include "kit/state/ranked.h"

bool name_sums_open(NameSums *s, const MillStageHost *host)
{
  *s = (NameSums){ .host = host, .text.common = host->common };
  s->sums = keyed_new(host->common, sizeof(Moments));
  return s->sums != NULL;
}

bool name_sums_add(NameSums *s, const char *group, MillSym name, int64_t dur_ns)
{
  size_t len;
  const char *text = s->host->common->symbol_text(s->host->common, name, &len);
  s->text.len = 0;
  if (!fields_put(&s->text, group, strlen(group)) || !fields_put(&s->text, text, len)) return false;
  Moments *m = keyed_get(s->sums, s->text.text, s->text.len);
  if (m) moments_add(m, dur_ns);
  return m != NULL;
}

static int64_t total_of(const void *moments) { return moments_sum(moments); }

int name_sums_each(NameSums *s, int (*give)(void *user, const NameSumRow *), void *user)
{
  Ranked r;
  int status = 0;
  if (!ranked_make(s->host->common, s->sums, total_of, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) {
    const KeyedEntry *entry = r.entries[i].entry;
    const Moments *m = entry->state;
    const char *at = entry->key, *end = at + entry->len;
    Field group = fields_next(&at, end), name = fields_next(&at, end);
    const NameSumRow row = {
      .group = group,
      .name = name,
      .calls = (int64_t)m->n,
      .total_ns = r.entries[i].size,
      .mean_ns = moments_mean_or_none(m),
      .std_ns = moments_std_or_none(m),
      .min_ns = m->min,
      .max_ns = m->max,
      .share = ranked_share(&r, i),
    };
    status = give(user, &row);
  }
  return status;
}

typedef struct Into {
  const MillStageHost *host;
  uint32_t table;
} Into;

static int give_row(void *user, const NameSumRow *row)
{
  const Into *into = user;
  return mill_row(into->host, into->table, row);
}

int name_sums_report(NameSums *s, uint32_t table)
{
  Into into = { s->host, table };
  return name_sums_each(s, give_row, &into);
}
