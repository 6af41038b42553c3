/* Blocks of a launch as slices, one row for each slot of an SM, for viewers of traces. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num-digits.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/text/symbol.h"
#include "probe/lib/probe-blocks.h"

typedef struct Options {
  double clock_mhz;
  int64_t max_held;
} Options;

typedef struct Slices {
  const MillStageHost *host;
  const Options *options;
  ProbeBlocks blocks;
  MillSym name, category, key_block, key_gap;
} Slices;

static int slices_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Slices *x = mill_new(common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  x->name = symbol_of(common, "block");
  x->category = symbol_of(common, "kernel");
  x->key_block = x->name;
  x->key_gap = symbol_of(common, "gap");
  probe_blocks_open(&x->blocks, common, x->options->max_held);
  *out_instance = x;
  return 0;
}

static int slices_process(void *instance, MillBatch *b)
{
  return probe_blocks_take(&((Slices *)instance)->blocks, b);
}

/* -------------------------------------------------------------------- emit */

static int64_t to_ns(const Slices *x, int64_t ticks)
{
  bool same = x->blocks.in_ns || x->options->clock_mhz <= 0;
  double ns = same ? 0 : (double)ticks * 1000 / x->options->clock_mhz + 0.5;
  return same ? ticks : ns < 9e18 ? (int64_t)ns : INT64_MAX; /* a clock that is hardly one */
}

static int emit_block(const Slices *x, MillBatch *b, const ProbeSm *m, const ProbePlaced *p,
                      int64_t first)
{
  const MillHost *common = x->host->common;
  char sm[32], slot[32];
  size_t sm_len = strlen(strcpy(sm, "SM ")), slot_len = strlen(strcpy(slot, "slot "));
  sm_len += digits_write(sm + sm_len, m->sm);
  slot_len += digits_write(slot + slot_len, p->slot);
  MillEvent e = {
    .ts_ns = to_ns(x, p->start - first), .name = x->name, .cat = x->category, .kind = MILL_SLICE
  };
  e.dur_ns = to_ns(x, p->end - first) - e.ts_ns;
  e.track = x->host->track(x->host, mill_sym(common->intern(common, sm, sm_len)),
                           mill_sym(common->intern(common, slot, slot_len)));
  uint32_t at = e.track == MILL_FAILED ? MILL_FAILED : x->host->emit(x->host, b, MILL_AT_END, &e);
  if (at == MILL_FAILED || x->host->set(x->host, b, at, x->key_block, mill_int(p->block)) < 0)
    return -MILL_LIMIT;
  return p->gap < 0 ? 0 : x->host->set(x->host, b, at, x->key_gap, mill_int(to_ns(x, p->gap)));
}

static int64_t first_of_all(const ProbeBlocks *x)
{
  int64_t first = INT64_MAX;
  for (size_t i = 0; i < x->n; i++)
    if (x->at[i].start < first && x->at[i].start != PROBE_NO_START) first = x->at[i].start;
  return first;
}

static int slices_flush(void *instance, MillBatch *b)
{
  Slices *x = instance;
  ProbeSlots slots = { .common = x->host->common };
  ProbeSms sms;
  int status = 0;
  if (x->blocks.n == 0) return 0;
  if (!probe_blocks_by_sm(&x->blocks, &sms)) return -MILL_LIMIT;
  int64_t first = first_of_all(&x->blocks);
  for (size_t k = 0; k < sms.n && status == 0; k++) {
    if (!probe_place(&slots, &x->blocks, &sms.at[k])) return -MILL_LIMIT;
    if (!x->blocks.in_ns) first = slots.placed[0].start;
    for (size_t i = 0; i < slots.n && status == 0; i++)
      status = emit_block(x, b, &sms.at[k], &slots.placed[i], first);
  }
  probe_sms_free(&sms, x->host->common);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_REAL_OPTION(Options, clock_mhz, "clock-mhz", "0", "0:", "MHz",
                   "Cycles per microsecond; 0: show a cycle as a nanosecond"),
  PROBE_HELD_OPTION(Options, max_held),
};

static const MillRead reads[] = { PROBE_READS, RECORD_INT("start"), RECORD_INT("elapsed"),
                                  RECORD_INT("smid") };
static const char *const needs[] = { "probe.sched", NULL };
static const char *const provides[] = { "slices", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = slices_open,
  .process = slices_process,
  .flush = slices_flush,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "block-slices",
  .family = "probe",
  .version = "1.0.0",
  .tag = "BSLICE",
  .title = "Show the blocks of a launch as slices",
  .help = "Adds a slice for each block, on a track for each slot of each SM, so that no slices "
          "overlap. Times count from the SM's first start, because clocks of SMs are not "
          "comparable; with the global timer, from the launch's first start.",
  .needs = needs,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
