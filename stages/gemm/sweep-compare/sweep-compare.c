/* Configurations of a sweep, and two sweeps, against each other.  Of each lane only sums are kept beyond its end: some
 * hundred bytes, and 24 for each name of an operator or collective. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compare.h"
#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "gemm/lib/tag-number.h"
#include "kit/text/symbol.h"

static int compare_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level;
  Compare *c = instance_new(Compare, host, out_instance);
  if (!c) return -MILL_LIMIT;
  c->words.common = c->lanes.common = host->common;
  c->options = *(const Options *)options;
  c->direct = tree_key(c->common, TREE_DIRECT);
  device_time_init(&c->device, c->common);
  calls_open(&c->collectives, c->common);
  gemm_calls_open(&c->calls, c->common);
  hists_init(&c->hists, c->common, 0);
  c->gemms = (GemmRows){ .common = c->common, .of = &c->calls, .hists = &c->hists };
  c->ops = keyed_new(c->common, sizeof(NameTime));
  c->by_collective = keyed_new(c->common, sizeof(NameTime));
  return c->ops && c->by_collective ? 0 : -MILL_LIMIT;
}

/* ---- events */

static bool add_time(Keyed *to, MillSym name, int64_t ns)
{
  NameTime *t = keyed_get_sym(to, name);
  if (!t) return false;
  t->total_ns = add_clipped(t->total_ns, ns);
  t->calls++;
  return true;
}

static bool see(Compare *c, const MillBatch *b, const MillEvent *e)
{
  int64_t direct_ns;
  if (e->kind != MILL_SLICE) return true;
  if (!gemm_calls_see(&c->calls, b, e) || !calls_see(&c->collectives, b, e, 0)) return false;
  if (mill_attr_int(b, e, c->direct, &direct_ns)) return add_time(c->ops, e->name, direct_ns);
  TorchKind kind = torch_kind(&c->words, e);
  if (!torch_is_device(kind) || e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS) return true;
  return device_time_add(&c->device, torch_work(&c->words, kind, e->name), e->ts_ns,
                         interval_end(e->ts_ns, e->dur_ns));
}

static int compare_process(void *instance, MillBatch *b)
{
  Compare *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!see(c, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- the end of a lane */

static void describe_lane(Compare *c)
{
  MillLane lane = { .size = sizeof lane };
  c->common->lane(c->common, MILL_NO_LANE, &lane);
  c->facts.label = symbol_of(c->common, lane.label);
  c->facts.threads = tag_number(c->common, "threads");
  c->facts.channels = tag_number(c->common, "channels");
  c->facts.rank = lane.rank;
}

static bool settle_gemms(Compare *c)
{
  LaneFacts *f = &c->facts;
  if (!gemm_calls_close(&c->calls) || !gemm_rows_make(&c->gemms)) return false;
  for (size_t i = 0; i < c->calls.n; i++)
    f->gemm_ns = add_clipped(f->gemm_ns, c->calls.calls[i].time_ns);
  f->gemm_calls = (int64_t)c->calls.n;
  const GemmRow **picks = gemm_rows_pick(&c->gemms, c->options.top_k, &f->n_spreads);
  f->spreads_ns = mill_new(c->common, (f->n_spreads + 1) * sizeof *f->spreads_ns);
  if (!picks || !f->spreads_ns) return false;
  for (size_t i = 0; i < f->n_spreads; i++) f->spreads_ns[i] = gemm_row_spread(picks[i]);
  return true;
}

static bool settle_collectives(Compare *c)
{
  for (size_t i = 0; i < c->collectives.n; i++) {
    const Call *call = &c->collectives.items[i];
    MillSym name = symbol_of(c->common, call->name);
    if (!add_time(c->by_collective, name, call->dur_ns)) return false;
  }
  return name_times_take(c->common, c->by_collective, &c->facts.collectives) &&
         name_times_take(c->common, c->ops, &c->facts.ops);
}

static int compare_flush(void *instance, MillBatch *b)
{
  Compare *c = instance;
  (void)b;
  describe_lane(c);
  c->facts.has_device = c->device.n_events > 0;
  bool fits = !c->facts.has_device || device_time_measure(&c->device, 0, c->facts.times_ns);
  return fits && settle_gemms(c) && settle_collectives(c) ? 0 : -MILL_LIMIT;
}

static int compare_save_result(void *instance)
{
  Compare *c = instance;
  state_save(c->host, &lane_state, &c->facts);
  return 0;
}

static int compare_merge_result(void *instance)
{
  Compare *c = instance;
  LaneFacts *lane = lanes_add(&c->lanes);
  return lane && state_load(c->host, &lane_state, lane) ? 0 : -MILL_LIMIT;
}

static int compare_report_run(void *instance)
{
  Compare *c = instance;
  lanes_sort(&c->lanes);
  int status = compare_report_timeline(c);
  if (status == 0) status = compare_report_configs(c);
  return status == 0 ? compare_report_sides(c) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, top_k, "top-k", "5", "0:", "rows",
                  "Rows of GEMM of each rank whose differences count; 0: all"),
  MILL_BOOL_OPTION(Options, pair, "pair", "false",
                   "Require two sweeps, labelled base and new, each once"),
};

static const MillNotice notices[] = {
  MILL_INFO(ONE_SIDED, "only one of the labels base and new is there",
            "the table sweep-compare is empty", "give two sweeps: base=SWEEP new=SWEEP",
            "Two sweeps are compared by their labels base and new."),
  MILL_ERROR(NO_SIDES, "an input is not labelled base or new, or a label has no input",
             "give two sweeps: base=SWEEP new=SWEEP",
             "With pair=true two sweeps are compared: the traces of one have the label base, those "
             "of the other the label new."),
  MILL_ERROR(DOUBLED, "two traces of one label have the same threads, channels and rank",
             "give two sweeps: base=SWEEP new=SWEEP",
             "A label stands for one sweep, in which every configuration has each rank once. A "
             "trace was given twice, or two sweeps have the same label."),
};

static const MillColumn timeline_columns[] = {
  MILL_KEY_BRIEF(TimelineRow, label, "label", NULL, "Label of the sweep"),
  MILL_KEY_BRIEF(TimelineRow, threads, "threads", "count", "Tag of the traces"),
  MILL_KEY_BRIEF(TimelineRow, channels, "channels", "count", "Tag of the traces"),
  MILL_COLUMN(TimelineRow, ranks, "ranks", "count", 0, "Ranks with device work"),
  MILL_KEY_BRIEF(TimelineRow, type, "type", NULL, "Type of time, as in gpu-timeline"),
  MILL_COLUMN(TimelineRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean over ranks"),
  MILL_COLUMN(TimelineRow, geomean_ns, "geomean", "ns", MILL_COLUMN_LOWER,
              "Geometric mean over ranks; a time of 0 counts as 0.0001 ns"),
  MILL_BRIEF(TimelineRow, share, "share", "percent", "Share of the mean of total_time"),
};
static const MillColumn config_columns[] = {
  MILL_KEY(ConfigRow, label, "label", NULL, "Label of the sweep"),
  MILL_KEY_BRIEF(ConfigRow, table, "table", NULL, "timeline or ops"),
  MILL_KEY_BRIEF(ConfigRow, channels, "channels", "count", "Tag of both traces"),
  MILL_KEY_BRIEF(ConfigRow, rank, "rank", "count", "Rank of both traces"),
  MILL_KEY_BRIEF(ConfigRow, key, "key", NULL, "Type of time, or name of the operator"),
  MILL_KEY_BRIEF(ConfigRow, base, "base", "count", "Threads of the configuration with the fewest"),
  MILL_KEY_BRIEF(ConfigRow, variant, "variant", "count", "Threads of the other configuration"),
  MILL_COLUMN(ConfigRow, base_ns, "base_time", "ns", 0,
              "Time in the base; empty: the base has no such operator"),
  MILL_COLUMN(ConfigRow, variant_ns, "variant_time", "ns", 0,
              "Time in the variant; empty: the variant has no such operator"),
  MILL_COLUMN(ConfigRow, diff_ns, "diff", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Variant - base"),
  MILL_COLUMN(ConfigRow, change, "change", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "diff in percent of the base"),
  MILL_COLUMN(ConfigRow, base_calls, "base_calls", "count", 0, "Calls of the operator in the base"),
  MILL_COLUMN(ConfigRow, variant_calls, "variant_calls", "count", 0,
              "Calls of the operator in the variant"),
};
static const MillColumn side_columns[] = {
  MILL_KEY_BRIEF(SideRow, table, "table", NULL, "variance, timeline, gemm or collectives"),
  MILL_KEY_BRIEF(SideRow, by, "by", NULL, "all, channels, rank or threads"),
  MILL_KEY_BRIEF(SideRow, group, "group", "count", "Number of channels, rank or threads"),
  MILL_KEY_BRIEF(
      SideRow, value, "value", NULL,
      "Name of the value: max, mean or median; a type of time; call or total; a collective"),
  MILL_COLUMN(SideRow, base_ns, "base", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Value in the sweep base"),
  MILL_COLUMN(SideRow, new_ns, "new", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Value in the sweep new"),
  MILL_COLUMN(SideRow, diff_ns, "diff", "ns", MILL_COLUMN_LOWER, "New - base"),
  MILL_COLUMN(SideRow, change, "change", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "diff in percent of base"),
  MILL_COLUMN(SideRow, n_base, "n_base", "count", 0,
              "Number of rows, ranks or calls in the sweep base"),
  MILL_COLUMN(SideRow, n_new, "n_new", "count", 0,
              "Number of rows, ranks or calls in the sweep new"),
};
static const MillTable tables[] = {
  [TABLE_TIMELINE] = { .per = MILL_PER_RUN,
                       .name = "config-timeline",
                       .help = "Device time of each configuration by kind",
                       .columns = MILL_ROWS(timeline_columns) },
  [TABLE_CONFIGS] = { .per = MILL_PER_RUN,
                      .name = "config-compare",
                      .help = "Each number of threads compared with the smallest, for each rank",
                      .order = "label,table,channels,rank,base,variant,-base_time,key",
                      .columns = MILL_ROWS(config_columns) },
  [TABLE_SIDES] = { .per = MILL_PER_RUN,
                    .brief_rows = 16,
                    .name = "sweep-compare",
                    .help = "Differences of two sweeps",
                    .order = "by,group,table,value",
                    .columns = MILL_ROWS(side_columns) },
};

static const MillRead reads[] = { GEMM_CALLS_READS, TREE_READ(TREE_DIRECT), CALLS_READS };
static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const wants[] = { "clock.shared", NULL };
static const char *const provides[] = { "table.sweep-compare", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = compare_open,
  .process = compare_process,
  .flush = compare_flush,
  .save_result = compare_save_result,
  .merge_result = compare_merge_result,
  .report_run = compare_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "sweep-compare",
  .family = "gemm",
  .version = "1.0.0",
  .tag = "SWCMP",
  .title = "Compare configurations of a sweep, and two sweeps",
  .help = "Shows the device time of each configuration over its ranks, and compares each number of "
          "threads with the smallest, rank by rank. Compares two sweeps by label: differences and "
          "times of GEMMs, device time, and collectives.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
