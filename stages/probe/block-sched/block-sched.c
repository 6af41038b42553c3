/* What it costs to schedule the blocks of a launch: the time between two blocks of a slot. */
#include "block-sched.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/grow.h"
#include "lib/sort.h"

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

static int add_sm(Sched *x, const ProbeSm *m, const ProbeSlots *slots)
{
  Totals *t = &x->totals;
  int64_t running = 0, scheduling = 0, first = 0, last = 0;
  for (size_t i = 0; i < slots->n; i++) {
    const ProbePlaced *p = &slots->placed[i];
    if (i == 0) first = last = p->start;
    running += p->end - p->start;
    if (p->end > last) last = p->end;
    if (p->gap < 0) continue;
    scheduling += p->gap;
    add_gap(x, p->gap);
  }
  t->sms++;
  t->running += running;
  t->scheduling += scheduling;
  t->slots += slots->n_slots;
  if (running > t->busiest) t->busiest = running;
  sched_fifo(&x->blocks, m, &t->fifo_running, &t->fifo_scheduling);
  const MillValue cells[] = { mill_int(m->sm),   mill_int((int64_t)m->n), mill_int(slots->n_slots),
                              mill_int(running), mill_int(scheduling),    mill_int(last - first) };
  return x->host->row(x->host, TABLE_SM, cells, MILL_COUNT(cells));
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

static MillValue whole_or_none(bool known, int64_t v) { return known ? mill_int(v) : mill_none(); }

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

static MillValue percentile(const Sched *x, const int64_t *gaps, double p)
{
  size_t n = (size_t)x->totals.gaps;
  return n ? mill_real(probe_percentile(gaps, n, p)) : mill_none();
}

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
  const MillValue cells[] = {
    mill_int((int64_t)n_blocks),
    mill_int(x->blocks.warps_per_block),
    mill_int(x->blocks.warp_width),
    mill_int(t->sms),
    mill_int(t->slots),
    mill_int(t->running),
    mill_int(t->scheduling),
    probe_percent((double)t->scheduling, (double)t->running),
    mill_int((int64_t)t->gaps),
    whole_or_none(t->gaps, t->gap_min),
    t->gaps ? mill_real((double)t->scheduling / (double)t->gaps) : mill_none(),
    percentile(x, gaps, 50),
    percentile(x, gaps, 90),
    whole_or_none(t->gaps, t->gap_max),
    mill_real((double)t->scheduling / sms),
    t->running ? mill_real((double)t->busiest * sms / (double)t->running) : mill_none(),
    mill_int(fifo_running),
    mill_int(fifo_scheduling),
    mill_text(line, (size_t)len),
    x->blocks.in_ns ? mill_text("ns", 2) : mill_text("cycles", 6),
  };
  return x->host->row(x->host, TABLE_ALL, cells, MILL_COUNT(cells));
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
                  "SM whose blocks are listed by slot; -1: the one with the most blocks"),
  PROBE_HELD_OPTION(Options, max_held),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NOTICE_HOLES, "the numbers of SMs have {count} hole[|s]",
      "means are over the SMs that there are", NULL,
      "SMs without a block do not appear: a launch of few blocks, a part of the device that is "
      "reserved or switched off. The published program fails on such a trace."),
  MILL_WARNING(
      NOTICE_WRAPPED, "{count} block[|s] lasted 2^32 ticks or more",
      "the elapsed time of [its|their] warps may have wrapped", NULL,
      "A warp's elapsed time has 32 bits. Where the warps of a block start and end so far "
      "apart, that of a single one may have been longer, too, and then too little is left."),
  PROBE_NO_SM_NOTICE(NOTICE_NO_SM, "block-slots"),
};

static const MillRead reads[] = { PROBE_READS, PROBE_INT("start"), PROBE_INT("elapsed"),
                                  PROBE_INT("smid") };
static const char *const needs[] = { "probe.sched", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sched_open,
  .process = sched_process,
  .report = sched_report,
};

static const MillColumn all_columns[] = {
  MILL_COLUMN("blocks", "count", MILL_INT, "Blocks of the launch that left a record"),
  MILL_COLUMN("warps_per_block", "count", MILL_INT, "Whole warps"),
  MILL_COLUMN("warp_width", "count", MILL_INT, "Threads of a warp"),
  MILL_COLUMN("sms", "count", MILL_INT, "SMs that had a block"),
  MILL_COLUMN("slots", "count", MILL_INT, "Slots that were opened, on all SMs together"),
  MILL_COLUMN("running", "ticks", MILL_INT,
              "Ticks from the start to the end of blocks, all together"),
  MILL_BRIEF("scheduling", "ticks", MILL_INT, "Ticks between two blocks of a slot, all together"),
  MILL_BRIEF("ratio", "percent", MILL_REAL, "Scheduling of running"),
  MILL_COLUMN("gaps", "count", MILL_INT, "Blocks that followed another one in their slot"),
  MILL_COLUMN("gap_min", "ticks", MILL_INT, "Ticks"),
  MILL_COLUMN("gap_mean", "ticks", MILL_REAL, "Ticks"),
  MILL_COLUMN("gap_p50", "ticks", MILL_REAL, "Ticks"),
  MILL_COLUMN("gap_p90", "ticks", MILL_REAL, "Ticks"),
  MILL_COLUMN("gap_max", "ticks", MILL_INT, "Ticks"),
  MILL_BRIEF("saving", "ticks", MILL_REAL,
             "Ticks an SM that a persistent kernel would save: scheduling by SMs"),
  MILL_COLUMN("load", "ratio", MILL_REAL, "Running of the busiest SM over the mean"),
  MILL_COLUMN("fifo_running", "ticks", MILL_INT, "Ticks an SM, as the published procedure has it"),
  MILL_COLUMN("fifo_scheduling", "ticks", MILL_INT,
              "Ticks an SM, as the published procedure has it"),
  MILL_BRIEF("published", NULL, MILL_TEXT, "The line that the published program prints"),
  MILL_COLUMN("clock", NULL, MILL_TEXT, "What a tick is: cycles or ns"),
};
static const MillColumn sm_columns[] = {
  MILL_KEY("sm", NULL, MILL_INT, "Number of the SM"),
  MILL_COLUMN("blocks", "count", MILL_INT, "Blocks that it ran"),
  MILL_COLUMN("slots", "count", MILL_INT, "Blocks that it held at a time"),
  MILL_COLUMN("running", "ticks", MILL_INT, "Ticks of its blocks"),
  MILL_COLUMN("scheduling", "ticks", MILL_INT, "Ticks between two blocks of a slot"),
  MILL_COLUMN("span", "ticks", MILL_INT, "Ticks from its first start to its last end"),
};
static const MillColumn gap_columns[] = {
  MILL_KEY("low", "ticks", MILL_INT, "Ticks, from"),
  MILL_COLUMN("high", "ticks", MILL_INT, "Ticks, below"),
  MILL_COLUMN("count", "count", MILL_INT, "Gaps"),
  MILL_COLUMN("kernel", NULL, MILL_TEXT, "Where it is known"),
};
static const MillColumn slot_columns[] = {
  MILL_KEY("sm", NULL, MILL_INT, "Number of the SM"),
  MILL_KEY("slot", NULL, MILL_INT, "From 0, as they were opened"),
  MILL_KEY("block", NULL, MILL_INT, "Number of the block"),
  MILL_COLUMN("start", "ticks", MILL_INT, "Ticks since the first start on the SM"),
  MILL_COLUMN("end", "ticks", MILL_INT, "Ticks since the first start on the SM"),
  MILL_COLUMN("shown", NULL, MILL_TEXT, "SM, and kernel where it is known"),
};
static const MillColumn occupancy_columns[] = {
  MILL_KEY("sm", NULL, MILL_INT, "Number of the SM"),
  MILL_KEY("time", "ticks", MILL_INT, "Ticks since the first start on the SM"),
  MILL_COLUMN("blocks", "count", MILL_INT, "Blocks on it from then on"),
  MILL_COLUMN("warps", "count", MILL_INT, "Their warps"),
  MILL_COLUMN("kernel", NULL, MILL_TEXT, "Where it is known"),
};

static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_LANE,
                  .brief_rows = 12,
                  .name = "block-sched",
                  .help = "What it costs to schedule blocks",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_SM] = { .per = MILL_PER_LANE,
                 .name = "block-sched-sm",
                 .help = "The same by SM",
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
  .title = "What it costs to schedule the blocks of a launch",
  .help =
      "Places the blocks of each SM into the slots that they ran in, and adds up the time from the "
      "end of one to the start of the next; beside it what the published procedure gives.",
  .needs = needs,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
