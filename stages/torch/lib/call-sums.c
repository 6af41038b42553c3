/* Durations of calls by name; see call-sums.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/call-sums.h"

#include "kit/state/instance.h"
#include "kit/state/ranked.h"

enum { CAT_YES = 1, CAT_NO = 2 };

int call_sums_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                   const void *options, void **out_instance)
{
  (void)level;
  CallSums *s = instance_new(CallSums, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->categories = self->user;
  s->names = keyed_new(host->common, sizeof(Dist));
  hists_init(&s->hists, host->common, (uint64_t)((const CallSumsOptions *)options)->exact_up_to);
  return s->names ? 0 : -MILL_LIMIT;
}

static bool is_listed(CallSums *s, MillSym cat)
{
  uint8_t known = symclass_get(&s->cats, cat);
  if (known) return known == CAT_YES;
  size_t len;
  const char *text = s->common->symbol_text(s->common, cat, &len);
  known = CAT_NO;
  for (const char *const *c = s->categories; *c; c++)
    if (!strcmp(*c, text)) known = CAT_YES;
  symclass_put(s->common, &s->cats, cat, known);
  return known == CAT_YES;
}

int call_sums_process(void *instance, MillBatch *b)
{
  CallSums *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || !is_listed(s, e->cat)) continue;
    Dist *d = keyed_get_sym(s->names, e->name);
    if (!d || !dist_add(d, &s->hists, e->dur_ns)) return -MILL_LIMIT;
  }
  return 0;
}

static int64_t total_of(const void *dist) { return moments_sum(&((const Dist *)dist)->moments); }

int call_sums_report(void *instance)
{
  CallSums *s = instance;
  Ranked r;
  int status = 0;
  if (!ranked_make(s->common, s->names, total_of, &r)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < r.n && status == 0; i++) {
    const KeyedEntry *entry = r.entries[i].entry;
    Dist *d = entry->state;
    const CallSumRow row = {
      .name = { entry->key, entry->len },
      .calls = (int64_t)d->moments.n,
      .total_ns = r.entries[i].size,
      .mean_ns = dist_mean(d),
      .median_ns = dist_percentile(d, 50),
      .min_ns = d->moments.min,
      .max_ns = d->moments.max,
      .std_ns = dist_std(d),
    };
    status = mill_row(s->host, 0, &row);
  }
  return status;
}
