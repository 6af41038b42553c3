/* Blocks by SM; see probe-sms.h. */
/* SPDX-License-Identifier: MIT */
#include "probe/lib/probe-sms.h"

#include "kit/state/grow.h"
#include "kit/state/pairmap.h"
#include "kit/trace/probe.h"
#include "kit/state/sort.h"

static bool has_run(const ProbeBlockColumns *c, size_t block)
{
  int64_t start;
  memcpy(&start, (const char *)c->start + block * c->start_stride, sizeof start);
  return start != PROBE_NO_START;
}

static uint32_t sm_of(const ProbeBlockColumns *c, size_t block)
{
  uint32_t sm;
  memcpy(&sm, (const char *)c->sm + block * c->sm_stride, sizeof sm);
  return sm;
}

static bool count_blocks(PairMap *counts, const ProbeBlockColumns *c, ProbeSms *out)
{
  for (size_t i = 0; i < c->n_blocks; i++) {
    if (!has_run(c, i)) continue;
    uint64_t *count = pairmap_at(counts, sm_of(c, i), 0);
    if (!count) return false;
    ++*count;
    out->n_blocks++;
  }
  return true;
}

/* In order; each count becomes one more than the place of the SM's first block. */
static bool set_places(ProbeSms *out, PairMap *counts)
{
  const MillHost *common = counts->common;
  int64_t *numbers = mill_new(common, (counts->n + 1) * sizeof *numbers);
  const PairSlot *slot;
  uint32_t *next = out->blocks;
  if (!numbers) return false;
  for (size_t at = 0; (slot = pairmap_next(counts, &at));) numbers[out->n++] = (int64_t)slot->a;
  sort_rows(numbers, out->n, 1);
  for (size_t i = 0; i < out->n; i++) {
    uint64_t *count = pairmap_at(counts, (uint64_t)numbers[i], 0);
    if (!count) return false;
    out->at[i] = (ProbeSm){ (uint32_t)numbers[i], next, (size_t)*count };
    *count = (uint64_t)(next - out->blocks) + 1;
    next += out->at[i].n;
  }
  array_free(common, numbers);
  return true;
}

bool probe_sms_make(ProbeSms *out, const MillHost *common, const ProbeBlockColumns *columns)
{
  PairMap places;
  *out = (ProbeSms){ 0 };
  pairmap_open(&places, common);
  bool fine = count_blocks(&places, columns, out);
  out->blocks = fine ? mill_new(common, (out->n_blocks + 1) * sizeof *out->blocks) : NULL;
  out->at = out->blocks ? mill_new(common, (places.n + 1) * sizeof *out->at) : NULL;
  fine = out->at && set_places(out, &places);
  for (size_t i = 0; fine && i < columns->n_blocks; i++) {
    if (!has_run(columns, i)) continue;
    uint64_t *place = pairmap_at(&places, sm_of(columns, i), 0);
    fine = place != NULL;
    if (fine) out->blocks[(*place)++ - 1] = (uint32_t)i;
  }
  pairmap_clear(&places);
  return fine;
}

void probe_sms_free(ProbeSms *sms, const MillHost *common)
{
  array_free(common, sms->at);
  array_free(common, sms->blocks);
  *sms = (ProbeSms){ 0 };
}

const ProbeSm *probe_sms_pick(const ProbeSms *sms, int64_t wanted)
{
  const ProbeSm *found = NULL;
  for (size_t i = 0; i < sms->n; i++) {
    const ProbeSm *m = &sms->at[i];
    if (wanted < 0 ? !found || m->n > found->n : m->sm == (uint64_t)wanted) found = m;
  }
  return found;
}
