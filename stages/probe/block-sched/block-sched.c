/* What it costs to schedule the blocks of a launch: the time between two blocks of a slot. */
/* SPDX-License-Identifier: MIT */
#include "block-sched.h"

#include <math.h>
#include <inttypes.h>
#include <stdio.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/state/sort.h"

static int sched_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sched *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  probe_blocks_open(&x->blocks, host->common, x->options->max_held);
  *out_instance = x;
  return 0;
}

static int sched_process(void *instance, MillBatch *b)
{
  return probe_blocks_take(&((Sched *)instance)->blocks, b);
}

/* ------------------------------------------------------------------ one SM */

static void add_gap(Sched *x, int64_t gap)
{
  Totals *t = &x->totals;
  if (t->gaps == 0 || gap < t->gap_min) t->gap_min = gap;
  if (gap > t->gap_max) t->gap_max = gap;
  t->gaps++;
  t->bins[gap ? 64 - __builtin_clzll((uint64_t)gap) : 0]++;
}

typedef struct SmRow {
  int64_t sm, blocks, slots, running, scheduling, span;
} SmRow;

static int add_sm(Sched *x, const ProbeSm *m, const ProbeSlots *slots)
{
  Totals *t = &x->totals;
  int64_t running = 0, scheduling = 0, first = 0, last = 0;
  for (size_t i = 0; i < slots->n; i++) {
    const ProbePlaced *p = &slots->placed[i];
    if (i == 0) first = last = p->start;
    running = add_clipped(running, p->end - p->start);
    if (p->end > last) last = p->end;
    if (p->gap < 0) continue;
    scheduling = add_clipped(scheduling, p->gap);
    add_gap(x, p->gap);
  }
  t->sms++;
  t->running = add_clipped(t->running, running);
  t->scheduling = add_clipped(t->scheduling, scheduling);
  t->slots += slots->n_slots;
  if (running > t->busiest) t->busiest = running;
  sched_fifo(&x->blocks, m, &t->fifo_running, &t->fifo_scheduling);
  const SmRow row = {
    .sm = m->sm,
    .blocks = (int64_t)m->n,
    .slots = slots->n_slots,
    .running = running,
    .scheduling = scheduling,
    .span = last - first,
  };
  return mill_row(x->host, TABLE_SM, &row);
}

/* From here on a block's start is the gap before it, or less than 0: the blocks of the SM are done with. */
static void keep_gaps(Sched *x, const ProbeSlots *slots)
{
  for (size_t i = 0; i < slots->n; i++)
    x->blocks.at[slots->placed[i].block].start = slots->placed[i].gap;
}

static int each_sm(Sched *x, const ProbeSms *sms, const ProbeSm *shown)
{
  ProbeSlots slots = { .common = x->host->common };
  int64_t expected = 0;
  int status = 0;
  for (size_t k = 0; k < sms->n && status == 0; k++) {
    const ProbeSm *m = &sms->at[k];
    if (m->sm != expected) mill_note(x->host->common, NOTICE_HOLES);
    expected = (int64_t)m->sm + 1;
    if (!probe_place(&slots, &x->blocks, m)) return -MILL_LIMIT;
    status = add_sm(x, m, &slots);
    if (status == 0) status = sched_occupancy_rows(x, m, &slots);
    if (status == 0 && m == shown) status = sched_slot_rows(x, m, &slots);
    keep_gaps(x, &slots);
  }
  array_free(x->host->common, slots.rows);
  array_free(x->host->common, slots.placed);
  array_free(x->host->common, slots.heap);
  return status;
}

/* ------------------------------------------------------------------ report */

static int64_t whole_or_none(bool known, int64_t v) { return known ? v : MILL_NO_INT; }

/* In order, in the memory of the blocks: nothing else is left of these. */
static const int64_t *sorted_gaps(Sched *x)
{
  int64_t *gaps = (int64_t *)(void *)x->blocks.at;
  size_t n = 0;
  for (size_t i = 0; i < x->blocks.n; i++) {
    int64_t gap = x->blocks.at[i].start;
    if (gap >= 0) gaps[n++] = gap;
  }
  sort_rows(gaps, n, 1);
  return gaps;
}

static double percentile(const Sched *x, const int64_t *gaps, double p)
{
  size_t n = (size_t)x->totals.gaps;
  return n ? probe_percentile(gaps, n, p) : (double)NAN;
}

typedef struct AllRow {
  int64_t blocks, warps_per_block, warp_width, sms, slots, running, scheduling;
  double ratio;
  int64_t gaps, gap_min;
  double gap_mean, gap_p50, gap_p90;
  int64_t gap_max;
  double saving, load;
  int64_t fifo_running, fifo_scheduling;
  MillText published, clock;
} AllRow;

static int all_row(Sched *x, size_t n_blocks)
{
  const Totals *t = &x->totals;
  const int64_t *gaps = sorted_gaps(x);
  double sms = (double)t->sms;
  int64_t fifo_running = (int64_t)(t->fifo_running / sms);
  int64_t fifo_scheduling = (int64_t)(t->fifo_scheduling / sms);
  char line[128];
  int len =
      snprintf(line, sizeof line, "No.block:%zu Running:%" PRId64 " Scheduling:%" PRId64 "(cycle)",
               n_blocks, fifo_running, fifo_scheduling);
  const AllRow row = {
    .blocks = (int64_t)n_blocks,
    .warps_per_block = x->blocks.warps_per_block,
    .warp_width = x->blocks.warp_width,
    .sms = t->sms,
    .slots = t->slots,
    .running = t->running,
    .scheduling = t->scheduling,
    .ratio = probe_percent((double)t->scheduling, (double)t->running),
    .gaps = (int64_t)t->gaps,
    .gap_min = whole_or_none(t->gaps, t->gap_min),
    .gap_mean = t->gaps ? (double)t->scheduling / (double)t->gaps : (double)NAN,
    .gap_p50 = percentile(x, gaps, 50),
    .gap_p90 = percentile(x, gaps, 90),
    .gap_max = whole_or_none(t->gaps, t->gap_max),
    .saving = (double)t->scheduling / sms,
    .load = t->running ? (double)t->busiest * sms / (double)t->running : (double)NAN,
    .fifo_running = fifo_running,
    .fifo_scheduling = fifo_scheduling,
    .published = { line, (size_t)len },
    .clock = x->blocks.in_ns ? (MillText){ "ns", 2 } : (MillText){ "cycles", 6 },
  };
  return mill_row(x->host, TABLE_ALL, &row);
}

static int sched_report(void *instance)
{
  Sched *x = instance;
  ProbeSms sms;
  if (x->blocks.n == 0) return 0;
  for (uint64_t i = 0; i < x->blocks.n_long; i++) mill_note(x->host->common, NOTICE_WRAPPED);
  if (!probe_blocks_by_sm(&x->blocks, &sms)) return -MILL_LIMIT;
  size_t n_blocks = sms.n_blocks;
  const ProbeSm *shown = probe_sms_pick(&sms, x->options->sm);
  if (sms.n && !shown) mill_note(x->host->common, NOTICE_NO_SM);
  int status = each_sm(x, &sms, shown);
  probe_sms_free(&sms, x->host->common);
  if (status < 0 || n_blocks == 0) return status; /* no warp left a record */
  status = all_row(x, n_blocks);
  if (status == 0) status = sched_gap_rows(x);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, sm, "sm", "-1", "-1:4294967295", NULL,
                  "List the blocks of this SM by slot; -1: the SM with the most blocks"),
  PROBE_HELD_OPTION(Options, max_held),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_HOLES, "{count} number[|s] of SMs [is|are] missing between others",
            "means cover only the SMs present", NULL,
            "SMs without a block do not appear. The launch has few blocks, or some SMs are "
            "reserved or off. The published program fails on such a trace."),
  MILL_WARNING(
      NOTICE_WRAPPED, "{count} block[|s] lasted 2^32 ticks or more",
      "the elapsed time of [its|their] warps may have wrapped", NULL,
      "A warp's elapsed time has 32 bits. If the warps of a block start and end this far apart, "
      "the time of a single warp may have wrapped and may be too small."),
  PROBE_NO_SM_NOTICE(NOTICE_NO_SM, "block-slots"),
};

static const MillRead reads[] = { PROBE_READS, RECORD_INT("start"), RECORD_INT("elapsed"),
                                  RECORD_INT("smid") };
static const char *const needs[] = { "probe.sched", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sched_open,
  .process = sched_process,
  .report = sched_report,
};

static const MillColumn all_columns[] = {
  MILL_COLUMN(AllRow, blocks, "blocks", "count", 0, "Blocks of the launch that left a record"),
  MILL_COLUMN(AllRow, warps_per_block, "warps_per_block", "count", 0, "Whole warps of a block"),
  MILL_COLUMN(AllRow, warp_width, "warp_width", "count", 0, "Threads of a warp"),
  MILL_COLUMN(AllRow, sms, "sms", "count", 0, "SMs that ran a block"),
  MILL_COLUMN(AllRow, slots, "slots", "count", 0, "Slots that were opened, on all SMs together"),
  MILL_COLUMN(AllRow, running, "running", "ticks", 0,
              "Ticks from the start to the end of blocks, all together"),
  MILL_BRIEF(AllRow, scheduling, "scheduling", "ticks",
             "Ticks between two blocks of a slot, all together"),
  MILL_BRIEF(AllRow, ratio, "ratio", "percent", "scheduling divided by running"),
  MILL_COLUMN(AllRow, gaps, "gaps", "count", 0, "Blocks that followed another one in their slot"),
  MILL_COLUMN(AllRow, gap_min, "gap_min", "ticks", 0, "Shortest gap"),
  MILL_COLUMN(AllRow, gap_mean, "gap_mean", "ticks", 0, "Mean gap"),
  MILL_COLUMN(AllRow, gap_p50, "gap_p50", "ticks", 0, "Median gap"),
  MILL_COLUMN(AllRow, gap_p90, "gap_p90", "ticks", 0, "90th percentile of the gaps"),
  MILL_COLUMN(AllRow, gap_max, "gap_max", "ticks", 0, "Longest gap"),
  MILL_BRIEF(AllRow, saving, "saving", "ticks",
             "Ticks per SM that a persistent kernel would save: scheduling divided by SMs"),
  MILL_COLUMN(AllRow, load, "load", "ratio", 0, "Largest running of an SM divided by the mean"),
  MILL_COLUMN(AllRow, fifo_running, "fifo_running", "ticks", 0,
              "Ticks per SM by the published procedure"),
  MILL_COLUMN(AllRow, fifo_scheduling, "fifo_scheduling", "ticks", 0,
              "Ticks per SM by the published procedure"),
  MILL_BRIEF(AllRow, published, "published", NULL, "Line that the published program prints"),
  MILL_COLUMN(AllRow, clock, "clock", NULL, 0, "Unit of a tick: cycles or ns"),
};
static const MillColumn sm_columns[] = {
  MILL_KEY(SmRow, sm, "sm", NULL, "Number of the SM"),
  MILL_COLUMN(SmRow, blocks, "blocks", "count", 0, "Blocks that it ran"),
  MILL_COLUMN(SmRow, slots, "slots", "count", 0, "Largest number of its blocks at one time"),
  MILL_COLUMN(SmRow, running, "running", "ticks", 0, "Ticks of its blocks"),
  MILL_COLUMN(SmRow, scheduling, "scheduling", "ticks", 0, "Ticks between two blocks of a slot"),
  MILL_COLUMN(SmRow, span, "span", "ticks", 0, "Ticks from its first start to its last end"),
};
static const MillColumn gap_columns[] = {
  MILL_KEY(GapRow, low, "low", "ticks", "Gaps of at least this"),
  MILL_COLUMN(GapRow, high, "high", "ticks", 0, "Gaps of less than this"),
  MILL_COLUMN(GapRow, count, "count", "count", 0, "Number of gaps"),
  MILL_COLUMN(GapRow, kernel, "kernel", NULL, 0, "Name of the kernel, if known"),
};
static const MillColumn slot_columns[] = {
  MILL_KEY(SlotRow, sm, "sm", NULL, "Number of the SM"),
  MILL_KEY(SlotRow, slot, "slot", NULL,
           "Number of the slot, from 0 in the order in which slots are opened"),
  MILL_KEY(SlotRow, block, "block", NULL, "Number of the block"),
  MILL_COLUMN(SlotRow, start, "start", "ticks", 0,
              "Start of the block, since the first start on the SM"),
  MILL_COLUMN(SlotRow, end, "end", "ticks", 0, "End of the block, since the first start on the SM"),
  MILL_COLUMN(SlotRow, shown, "shown", NULL, 0, "SM, and kernel if known"),
};
static const MillColumn occupancy_columns[] = {
  MILL_KEY(OccupancyRow, sm, "sm", NULL, "Number of the SM"),
  MILL_KEY(OccupancyRow, time, "time", "ticks", "Ticks since the first start on the SM"),
  MILL_COLUMN(OccupancyRow, blocks, "blocks", "count", 0, "Blocks on the SM from this time on"),
  MILL_COLUMN(OccupancyRow, warps, "warps", "count", 0, "Warps of these blocks"),
  MILL_COLUMN(OccupancyRow, kernel, "kernel", NULL, 0, "Name of the kernel, if known"),
};

static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_LANE,
                  .brief_rows = 12,
                  .name = "block-sched",
                  .help = "Cost of scheduling blocks",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_SM] = { .per = MILL_PER_LANE,
                 .name = "block-sched-sm",
                 .help = "Cost of scheduling blocks on each SM",
                 .columns = MILL_ROWS(sm_columns) },
  [TABLE_GAPS] = { .per = MILL_PER_LANE,
                   .name = "block-gaps",
                   .help = "Gaps between two blocks of a slot, by powers of two",
                   .columns = MILL_ROWS(gap_columns) },
  [TABLE_SLOTS] = { .per = MILL_PER_LANE,
                    .name = "block-slots",
                    .help = "Blocks of one SM by slot",
                    .columns = MILL_ROWS(slot_columns) },
  [TABLE_OCCUPANCY] = { .per = MILL_PER_LANE,
                        .name = "sm-occupancy",
                        .help = "Blocks and warps on each SM over time, 512 steps at most",
                        .columns = MILL_ROWS(occupancy_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_TIMELINE,
    .name = "block-slots",
    .title = "Blocks of an SM by Slot",
    .table = "block-slots",
    .x = "start",
    .y = "slot",
    .x_end = "end",
    .series = "shown",
    .x_label = "since the SM's first start" },
  { .kind = MILL_FIGURE_HISTOGRAM,
    .name = "block-gaps",
    .title = "Gaps between Two Blocks of a Slot",
    .table = "block-gaps",
    .x = "low",
    .y = "count",
    .x_end = "high",
    .x_scale = "log2",
    .note = "kernel",
    .x_label = "gap" },
  { .kind = MILL_FIGURE_LINE,
    .name = "sm-occupancy",
    .title = "Warps on Each SM",
    .table = "sm-occupancy",
    .x = "time",
    .y = "warps",
    .series = "sm",
    .note = "kernel",
    .flags = MILL_FIGURE_STEP },
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "block-sched",
  .family = "probe",
  .version = "1.0.0",
  .tag = "BSCHED",
  .title = "Cost of scheduling the blocks of a launch",
  .help =
      "Assigns the blocks of each SM to the slots in which they ran, and sums the time from the "
      "end of one block to the start of the next. Also shows the result of the published "
      "procedure.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
