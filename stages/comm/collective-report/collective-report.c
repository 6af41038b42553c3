/* Collectives of all ranks: how long each took once all had come, who came late, and what moved.  Each lane keeps its calls
 * (136 bytes each); on the run level those of one group and number are one collective. */
/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "tables.h"

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"

static int report_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level;
  Report *r = instance_new(Report, host, out_instance);
  if (!r) return -MILL_LIMIT;
  r->options = *(const Options *)options;
  calls_open(&r->calls, host->common);
  r->calls.max_ns = r->options.max_duration_ns;
  return 0;
}

static MillLane own_lane(const Report *r)
{
  MillLane lane = { .size = sizeof lane };
  r->common->lane(r->common, MILL_NO_LANE, &lane);
  return lane;
}

/* A lane that has no rank is known by its number. */
static int64_t own_rank(const Report *r)
{
  MillLane lane = own_lane(r);
  return lane.rank >= 0 ? lane.rank : (int64_t)lane.index;
}

static int report_process(void *instance, MillBatch *b)
{
  Report *r = instance;
  const int64_t rank = own_rank(r);
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!calls_see(&r->calls, b, &b->events[i], rank)) return -MILL_LIMIT;
  return 0;
}

static void note_calls(const Report *r, uint32_t number, uint64_t n)
{
  const MillNamed values[] = { { "calls", mill_int((int64_t)n) } };
  if (n) r->common->note(r->common, number, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static bool add_lane(Report *r)
{
  if (!array_reserve(r->common, &r->lanes, &r->lane_capacity, r->n_lanes + 1, sizeof *r->lanes))
    return false;
  r->lanes[r->n_lanes++] = (LaneCalls){ .rank = own_rank(r),
                                        .comm_ns = r->calls.comm_ns,
                                        .base_ns = own_lane(r).base_ns,
                                        .n_calls = r->calls.n };
  return true;
}

enum { BARE_PARTS = 20 }; /* calls without arguments are few up to 5 % of the time */

static int report_flush(void *instance, MillBatch *b)
{
  Report *r = instance;
  (void)b;
  if (r->calls.n == 0) mill_note(r->common, NOTICE_NOTHING);
  const bool few = r->calls.bare_ns <= r->calls.comm_ns / BARE_PARTS;
  note_calls(r, few ? NOTICE_BARE : NOTICE_MANY_BARE, r->calls.n_bare);
  note_calls(r, NOTICE_ABSURD, r->calls.n_absurd);
  return calls_close(&r->calls) && add_lane(r) ? 0 : -MILL_LIMIT;
}

/* ---- saved state */

static const StateField lane_fields[] = {
  STATE_FIRST(LaneCalls, rank),
  STATE_FIRST(LaneCalls, comm_ns),
  STATE_FIRST(LaneCalls, base_ns),
  STATE_FIRST(LaneCalls, n_calls),
};
static const StateType lane_state = STATE_TYPE(LaneCalls, lane_fields);

static const StateField report_fields[] = {
  STATE_LIST(Report, lanes, n_lanes, lane_capacity, lane_state),
  STATE_SAME(Report, per_node), /* of lanes that do not agree none is right */
  STATE_PART(Report, calls, calls_state),
};
static const StateType report_state = STATE_TYPE(Report, report_fields);

static int report_save_result(void *instance)
{
  Report *r = instance;
  report_learn_nodes(r);
  state_save(r->host, &report_state, r);
  return 0;
}

static int report_merge_result(void *instance)
{
  const Report *r = instance;
  return state_merge(r->host, &report_state, instance) ? 0 : -MILL_LIMIT;
}

/* ---- results */

static int report_report(void *instance)
{
  Report *r = instance;
  report_learn_nodes(r);
  int status = report_calls(r);
  return status == 0 ? report_kinds(r) : status;
}

static int64_t moved(int64_t ts_ns, int64_t by_ns)
{
  int64_t sum;
  return __builtin_add_overflow(ts_ns, by_ns, &sum) ? ts_ns : sum;
}

static bool knows_bases(const Report *r)
{
  for (size_t i = 0; i < r->n_lanes; i++)
    if (r->lanes[i].base_ns == MILL_NO_BASE) return false;
  return true;
}

/* Times of all lanes count from the base of the first one; where a lane has none, from each one's own. */
static void use_bases(Report *r)
{
  if (!knows_bases(r)) return;
  for (size_t i = 0, at = 0; i < r->n_lanes; i++) {
    const size_t end = at + r->lanes[i].n_calls;
    int64_t by_ns;
    bool fits = !__builtin_sub_overflow(r->lanes[i].base_ns, r->lanes[0].base_ns, &by_ns);
    for (; at < end; at++)
      if (fits) r->calls.items[at].ts_ns = moved(r->calls.items[at].ts_ns, by_ns);
  }
}

static int report_report_run(void *instance)
{
  Report *r = instance;
  use_bases(r);
  match_sort(&r->calls);
  int status = report_collectives(r);
  if (status == 0) status = report_alltoallv(r);
  if (status == 0) status = report_summary(r);
  return status == 0 ? report_stragglers(r) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, gpus_per_node, "gpus-per-node", "0", "0:1000000", "devices",
                  "Number of devices of a node, for the columns node and span; 0: the number that "
                  "each trace lists, if it lists several"),
  MILL_DURATION_OPTION(
      Options, clock_skew_ns, "clock-skew", "100us", "0:",
      "If the ends of collectives are farther apart than this, in the median, a notice doubts the "
      "clocks"),
  MILL_DURATION_OPTION(Options, max_duration_ns, "max-duration", "1h",
                       "0:", "Longer calls are damaged and left out; 0: keep all"),
  MILL_BY_OPTION(Options, by),
};

#define BARE_EFFECT                                                                              \
  "[its|their] group, size and bandwidth are unknown; the n-th calls of all ranks count as one " \
  "collective"
#define BARE_HELP \
  "record the host too (ProfilerActivity.CPU), with a PyTorch that describes collectives"
#define BARE_CAUSE                                                                           \
  "No argument of the kernel names its collective: neither Process Group Name nor "          \
  "Group size nor In msg nelems. PyTorch's profiler adds them if it also records the host; " \
  "rocprofv3 has none."

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no kernels of communication", "these tables leave it out",
            "give the traces of all ranks of a distributed run",
            "No kernel has nccl, rccl or cross_device_reduce in its name."),
  MILL_WARNING(NOTICE_INCOMPLETE, "{count} collective[|s] [is|are] not complete",
               "[its row uses|their rows use] only the ranks present",
               "give the traces of all ranks, and record arguments of collectives",
               "A rank lacks the call, a list of ranks or amounts is truncated or is not a list of "
               "numbers, or ranks disagree on name, type, size or elements. The column complete "
               "marks these rows."),
  MILL_WARNING(NOTICE_CLOCKS, "the ranks leave a collective {median} us apart, in the median",
               "latency and waits are wrong by the difference of the clocks",
               "put rank-sync before this stage, or use the profile collectives",
               "All ranks of a collective leave it at about the same time. If they do not, their "
               "clocks differ, so the starts are wrong, too."),
  MILL_WARNING(NOTICE_ABSURD,
               "{calls} call[|s] of collectives in {lane} [lasts|last] longer than max-duration",
               "[it is|they are] left out; [its collective is|their collectives are] incomplete",
               "set max-duration if such calls are real",
               "Profilers write such durations if a clock was reset or an end was lost. If "
               "host-tree runs before, it has cut them already."),
  MILL_INFO(NOTICE_BARE, "{calls} call[|s] of collectives in {lane} [has|have] no arguments",
            BARE_EFFECT, BARE_HELP, BARE_CAUSE),
  MILL_WARNING(NOTICE_MANY_BARE,
               "{calls} call[|s] of collectives in {lane} [has|have] no arguments", BARE_EFFECT,
               BARE_HELP, BARE_CAUSE " These calls take more than 5 % of the communication time."),
};

static const MillMetric metrics[] = {
  [METRIC_LATENCY] = { .per = MILL_PER_RUN,
                       .better = MILL_LOWER,
                       .kind = MILL_REAL,
                       .name = "collective_latency",
                       .unit = "ns",
                       .stats = "mean,p50,p99,max",
                       .help = "Shortest duration among the ranks of a collective",
                       .headline = "p50,p99" },
  [METRIC_SKEW] = { .per = MILL_PER_RUN,
                    .better = MILL_LOWER,
                    .kind = MILL_REAL,
                    .name = "collective_skew",
                    .unit = "ns",
                    .stats = "mean,p50,p99,max",
                    .help = "Time from the first start of a collective to the last" },
  [METRIC_BUSBW] = { .per = MILL_PER_RUN,
                     .better = MILL_HIGHER,
                     .kind = MILL_REAL,
                     .name = "collective_busbw",
                     .unit = "GB/s",
                     .stats = "mean,p50,p99,max",
                     .help = "Bandwidth of a collective on a link (bus bandwidth); 1e9 bytes a "
                             "second",
                     .headline = "p50" },
  [METRIC_STRAGGLER] = { .per = MILL_PER_RUN,
                         .better = MILL_NEITHER,
                         .kind = MILL_INT,
                         .name = "straggler_rank",
                         .unit = "count",
                         .help = "Rank that waited least for others in collectives, if it is late "
                                 "by more than chance" },
  [METRIC_STRAGGLER_SHARE] = { .per = MILL_PER_RUN,
                               .better = MILL_LOWER,
                               .kind = MILL_REAL,
                               .name = "straggler_share",
                               .unit = "percent",
                               .help = "Share of the collectives to which that rank came last" },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "collective-skew",
    .title = "Waiting time of ranks in collectives",
    .table = "collective-ranks",
    .x = "collective",
    .y = "rank",
    .value = "wait" },
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "alltoallv",
    .title = "Bytes between ranks",
    .table = "alltoallv-pairs",
    .x = "destination",
    .y = "source",
    .value = "total" },
};

static const MillRead reads[] = { CALLS_READS };
static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "torch.tree", "clock.shared", NULL };
static const char *const provides[] = { "table.collectives", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = report_open,
  .process = report_process,
  .flush = report_flush,
  .report = report_report,
  .save_result = report_save_result,
  .merge_result = report_merge_result,
  .report_run = report_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "collective-report",
  .family = "comm",
  .version = "1.0.0",
  .tag = "CREP",
  .title = "Collectives of all ranks: latency, skew, bandwidth, stragglers",
  .help = "Calls with one group and number are one collective. Reports its latency after the last "
          "rank arrived, the ranks that came late, and its bandwidth.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
