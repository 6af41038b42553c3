/* When the warps of a launch ran, how full its SMs were, and how long their tails are. */
/* SPDX-License-Identifier: MIT */
#include "warp-sched.h"

#include "kit/declare/rows.h"
#include "kit/state/grow.h"

static int sched_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sched *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  x->section = x->turn_section = -1;
  probe_open(&x->reader, host->common);
  *out_instance = x;
  return 0;
}

/* ------------------------------------------------------------------- warps */

static int bad_time(const Sched *x, const char *what)
{
  return mill_fail(x->host->common, MILL_BAD_INPUT, what,
                   "check whether the schema is the right one");
}

static int add_to_span(Sched *x, int64_t start, int64_t length)
{
  if (!probe_has_run(start, (uint64_t)length)) return 0;
  return probe_span_add(&x->span, start, start + length) ? 0 : probe_too_far(x->host->common);
}

static int add_warp(Sched *x, int64_t start, int64_t elapsed, int64_t sm)
{
  if (start > INT64_MAX - (int64_t)UINT32_MAX || start == PROBE_NO_START)
    return bad_time(x, "a warp starts too late to be counted");
  x->warps[x->n++] = (Warp){ start, (uint32_t)elapsed, (uint32_t)sm };
  return add_to_span(x, start, (uint32_t)elapsed);
}

static int add_wave(Sched *x, int64_t start, int64_t end)
{
  int64_t length;
  if (start == PROBE_NO_START || __builtin_sub_overflow(end, start, &length) || length < 0)
    return bad_time(x, "a wave ends before it starts");
  x->warps[x->n++] = (Warp){ start, (uint32_t)length, (uint32_t)((uint64_t)length >> 32) };
  return add_to_span(x, start, length);
}

/* Those of a record, one or all of a block. */
static int add_warps(Sched *x, const ProbeUnit *u)
{
  const MillHost *common = x->host->common;
  size_t n;
  if (x->section < 0) {
    x->section = u->section - x->reader.sections;
    x->of_waves = u->section->kind == PROBE_AMD;
    x->per_block = u->section->level ? x->reader.threads / u->section->level : 0;
  }
  if (&x->reader.sections[x->section] != u->section || u->place) return 0;
  const MillAttr *start = probe_list(&x->reader, u, PROBE_START, &n), *end, *sm = NULL;
  if (n == 0) return 0;
  end = probe_list_behind(&x->reader, u, start + n, x->of_waves ? PROBE_END : PROBE_ELAPSED, n);
  if (end && !x->of_waves) sm = probe_list_behind(&x->reader, u, end + n, PROBE_SMID, n);
  if (!end || (!sm && !x->of_waves)) return 0;
  int status = probe_check_held(common, x->n + n, sizeof *x->warps, x->options->max_held);
  if (status < 0) return status;
  if (!array_reserve(common, &x->warps, &x->capacity, x->n + n, sizeof *x->warps))
    return -MILL_LIMIT;
  for (size_t i = 0; i < n && status == 0; i++)
    status = x->of_waves ? add_wave(x, start[i].u.i, end[i].u.i)
                         : add_warp(x, start[i].u.i, end[i].u.i, sm[i].u.i);
  return status;
}

/* ------------------------------------------------------------------- turns */

void sched_end_turns(Sched *x)
{
  if (!x->in_warp) return;
  x->in_warp = false;
  if (x->last_turn == 0) return;
  Spread *s = &x->spreads[x->last_block];
  x->n_turning++;
  if (!s->any || x->last_turn < s->min) s->min = x->last_turn;
  if (!s->any || x->last_turn > s->max) s->max = x->last_turn;
  s->any = true;
}

static int add_turns(Sched *x, const MillEvent *e, const ProbeUnit *u)
{
  const MillHost *common = x->host->common;
  size_t n;
  if (x->turn_section < 0) x->turn_section = u->section - x->reader.sections;
  if (&x->reader.sections[x->turn_section] != u->section) return 0; /* the source has told */
  const MillAttr *clock = probe_list(&x->reader, u, PROBE_CLOCK, &n);
  int status = probe_check_held(common, x->n_turns + n, sizeof *x->turns, x->options->max_held);
  if (status == 0)
    status =
        probe_check_held(common, (uint64_t)u->block + 1, sizeof *x->spreads, x->options->max_held);
  if (status < 0) return status;
  if (!x->in_warp || x->last_id != e->id || u->place == 0) {
    sched_end_turns(x);
    x->in_warp = true;
    x->last_id = e->id;
    x->last_turn = 0;
    x->last_block = (size_t)u->block;
  }
  if (!array_reserve_at(common, &x->spreads, &x->spreads_capacity, x->last_block,
                        sizeof *x->spreads) ||
      !array_reserve(common, &x->turns, &x->turns_capacity, x->n_turns + n, sizeof *x->turns))
    return -MILL_LIMIT;
  if (x->n_spreads <= x->last_block) x->n_spreads = x->last_block + 1;
  for (size_t i = 0; i < n; i++) {
    if (clock[i].u.i <= 0) continue;
    x->turns[x->n_turns++] = clock[i].u.i;
    if (clock[i].u.i > x->last_turn) x->last_turn = clock[i].u.i;
  }
  return 0;
}

static int sched_process(void *instance, MillBatch *b)
{
  Sched *x = instance;
  const MillEvent *e;
  ProbeUnit u;
  int status = 0;
  for (uint32_t i = 0; status == 0 && (e = probe_next_unit(&x->reader, b, &i, &u));) {
    if (u.block < 0) continue;
    if (u.section->kind <= PROBE_AMD) status = add_warps(x, &u);
    if (u.section->kind == PROBE_ACC) status = add_turns(x, e, &u);
  }
  return status;
}

static int sched_report(void *instance)
{
  Sched *x = instance;
  int status = 0;
  sched_end_turns(x);
  if (x->n && x->per_block > 0) status = sched_warp_rows(x);
  return status == 0 && x->n_turns ? sched_turn_rows(x) : status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, sm, "sm", "-1", "-1:4294967295", NULL,
                  "SM whose warps are listed; -1: the one with the most blocks"),
  PROBE_HELD_OPTION(Options, max_held),
};

static const MillNotice notices[] = { PROBE_NO_SM_NOTICE(NOTICE_NO_SM, "warp-bars") };

static const MillRead reads[] = { PROBE_READS,        RECORD_INT("start"), RECORD_INT("elapsed"),
                                  RECORD_INT("smid"), RECORD_INT("end"),   RECORD_INT("clock") };

static const MillColumn all_columns[] = {
  MILL_BRIEF(AllRow, kind, "kind", NULL,
             "exclusive: an SM has one block at one time; shared: several"),
  MILL_BRIEF(AllRow, sms, "sms", "count", "SMs that ran a block"),
  MILL_BRIEF(AllRow, blocks, "blocks", "count", "Blocks of the launch that left a record"),
  MILL_COLUMN(AllRow, warps_per_block, "warps_per_block", "count", 0, "Whole warps of a block"),
  MILL_BRIEF(AllRow, slots, "slots", "count", "Largest number of blocks on an SM at one time"),
  MILL_BRIEF(AllRow, waves, "waves", "ratio", "Blocks divided by SMs times slots"),
  MILL_BRIEF(AllRow, wave_efficiency, "wave_efficiency", "percent",
             "Waves divided by waves rounded up"),
  MILL_COLUMN(AllRow, sm, "sm", NULL, 0, "Number of the SM in warp-bars"),
  MILL_BRIEF(AllRow, block_tail, "block_tail", "percent", "Mean of block_tail over SMs"),
  MILL_BRIEF(AllRow, sm_tail, "sm_tail", "percent", "Mean of sm_tail over SMs"),
};
static const MillColumn sm_columns[] = {
  MILL_KEY(SmRow, sm, "sm", NULL, "Number of the SM"),
  MILL_COLUMN(SmRow, blocks, "blocks", "count", 0, "Blocks that it ran"),
  MILL_COLUMN(SmRow, peak_blocks, "peak_blocks", "count", 0,
              "Largest number of blocks at one time"),
  MILL_COLUMN(SmRow, peak_warps, "peak_warps", "count", 0, "Largest number of warps at one time"),
  MILL_COLUMN(SmRow, span, "span", "ticks", 0,
              "Time from the first start to the last end on the SM"),
  MILL_COLUMN(SmRow, busy, "busy", "ticks", 0, "Sum of the times of its warps"),
  MILL_COLUMN(SmRow, occupancy, "occupancy", "percent", 0, "busy divided by peak_warps times span"),
  MILL_COLUMN(SmRow, block_tail, "block_tail", "percent", 0,
              "Mean share of a block's time that a warp has ended before its block"),
  MILL_COLUMN(SmRow, block_tail_max, "block_tail_max", "percent", 0,
              "Largest such share of a block"),
  MILL_COLUMN(SmRow, sm_tail, "sm_tail", "percent", 0,
              "How much shorter the span is than the longest span of an SM"),
};
static const MillColumn bar_columns[] = {
  MILL_KEY(BarRow, block, "block", NULL, "Number of the block"),
  MILL_KEY(BarRow, warp, "warp", NULL, "Number of the warp in the block"),
  MILL_COLUMN(BarRow, start, "start", "ticks", 0,
              "Start of the warp, since the first start on the SM"),
  MILL_COLUMN(BarRow, end, "end", "ticks", 0, "End of the warp, since the first start on the SM"),
  MILL_COLUMN(BarRow, row, "row", NULL, 0,
              "Row of the picture, up to 511, in order of the block's start and number"),
  MILL_COLUMN(BarRow, shown, "shown", NULL, 0, "SM, and kernel if known"),
};
static const MillColumn tail_columns[] = {
  MILL_BRIEF(TailRow, warps, "warps", "count", "Warps that had a turn"),
  MILL_BRIEF(TailRow, turns, "turns", "count", "Turns of all warps"),
  MILL_BRIEF(TailRow, half_at, "half_at", "ticks", "Time at which half of the turns were done"),
  MILL_BRIEF(TailRow, p90_at, "p90_at", "ticks", "Time at which 90 % of the turns were done"),
  MILL_BRIEF(TailRow, last, "last", "ticks", "Time at which all turns were done"),
  MILL_BRIEF(TailRow, tail, "tail", "percent", "Share of the time after p90_at"),
};
static const MillColumn progress_columns[] = {
  MILL_KEY(ProgressRow, point, "point", NULL, "Number of the point, 0 to 100"),
  MILL_COLUMN(ProgressRow, time, "time", "ticks", 0, "Time since the first turn"),
  MILL_COLUMN(ProgressRow, turns, "turns", "count", 0, "Turns that were done by then"),
};
static const MillColumn spread_columns[] = {
  MILL_KEY(SpreadRow, block, "block", NULL, "Number of the block"),
  MILL_COLUMN(SpreadRow, spread, "spread", "ticks", 0,
              "Time between the first and the last of the last turns of its warps"),
};

static const MillColumn mark_columns[] = {
  MILL_KEY(MarkRow, mark, "mark", NULL, "Share of the turns: 50 %, 90 %, all"),
  MILL_COLUMN(MarkRow, time, "time", "ticks", 0, "Time since the first turn"),
  MILL_COLUMN(MarkRow, turns, "turns", "count", 0, "Turns that were done by then"),
  MILL_COLUMN(MarkRow, label, "label", NULL, 0, "Text in the picture: mark and time"),
  MILL_COLUMN(MarkRow, tail, "tail", NULL, 0,
              "Text in the picture: share of the time after 90 %, and the kernel"),
};

#define TABLE(name_, help_, columns_)                                                  \
  {                                                                                    \
    .per = MILL_PER_LANE, .name = name_, .help = help_, .columns = MILL_ROWS(columns_) \
  }
static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_LANE,
                  .brief_rows = 12,
                  .name = "warp-sched",
                  .help = "Blocks and warps on the SMs over time",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_SM] = TABLE("warp-sched-sm", "Blocks and warps of each SM", sm_columns),
  [TABLE_BARS] = TABLE("warp-bars", "Warps of one SM", bar_columns),
  [TABLE_TAIL] = { .per = MILL_PER_LANE,
                   .brief_rows = 12,
                   .name = "warp-tail",
                   .help = "Times at which the turns of all warps were done",
                   .columns = MILL_ROWS(tail_columns) },
  [TABLE_PROGRESS] = TABLE("warp-progress", "Turns that were done over time", progress_columns),
  [TABLE_SPREAD] =
      TABLE("warp-spread", "Time between the ends of the warps of a block", spread_columns),
  [TABLE_MARKS] =
      TABLE("warp-marks", "Times at which 50 %, 90 % and all of the turns were done", mark_columns),
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_TIMELINE,
    .name = "warp-bars",
    .title = "Warps of an SM",
    .table = "warp-bars",
    .x = "start",
    .y = "row",
    .x_end = "end",
    .series = "block",
    .where = "row!=",
    .note = "shown",
    .x_label = "since the SM's first start",
    .y_label = "warps, blocks by start" },
  { .kind = MILL_FIGURE_SCATTER,
    .name = "warp-progress",
    .title = "Accumulated Progress",
    .table = "warp-marks",
    .x = "time",
    .y = "turns",
    .series = "label",
    .note = "tail",
    .over = "progress" },
  { .kind = MILL_FIGURE_LINE,
    .name = "progress",
    .title = "turns",
    .table = "warp-progress",
    .x = "time",
    .y = "turns",
    .flags = MILL_FIGURE_STEP },
  { .kind = MILL_FIGURE_BAR,
    .name = "warp-spread",
    .title = "Spread of the Last Turns of a Block",
    .table = "warp-spread",
    .x = "block",
    .y = "spread",
    .top = 64 },
};

static const char *const needs[] = { "probe.warps", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sched_open,
  .process = sched_process,
  .report = sched_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "warp-sched",
  .family = "probe",
  .version = "1.0.0",
  .tag = "WSCHED",
  .title = "Blocks and warps on the SMs over time, and their tails",
  .help = "Shows how many blocks and warps ran at a time on each SM, how long warps waited for the "
          "last warp of their block and SMs for the last SM of the launch, and when the turns of "
          "main loops were done.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
