/* Operators of what graph launches run.  A trace of a capture has the launches that a graph was made of, each within its
 * operators; the first pass reads them, and the work of graph launches in traces.  Once all captures are known, each trace finds
 * its work in them (match.h); the second pass tells it by private attributes for torch/host-tree. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "captures.h"
#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/state/instance.h"
#include "kit/state/ranked.h"
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"
#include "match.h"
#include "recording.h"
#include "replays.h"

enum { NO_LAUNCH = 1, NO_GRAPH, UNMATCHED };
enum { TABLE_GRAPHS };
enum { METRIC_MATCHED };
enum { K_REPLAY, K_POSITION, K_STACK, K_CALLS, N_KEYS };
static const char *const key_names[N_KEYS + 1] = { GRAPH_REPLAY, GRAPH_POSITION, GRAPH_STACK,
                                                   GRAPH_CALLS, NULL };

typedef struct Graphs {
  const MillStageHost *host;
  const MillHost *common;
  MillSym keys[N_KEYS];
  bool is_capture, is_known; /* what the lane is */
  Recording recording;
  Replays replays;
  Captures seen;     /* of a lane; on the run level: of all */
  Captures captures; /* of all */
  MillSym *texts;    /* of captures by number, plus 1; 0: not yet made */
  int64_t time_ns, matched_ns;
} Graphs;

static int graphs_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Graphs *g = instance_new(Graphs, host, out_instance);
  if (!g) return -MILL_LIMIT;
  for (int i = 0; i < N_KEYS; i++) g->keys[i] = symbol_of(g->common, key_names[i]);
  g->seen.texts.common = g->captures.texts.common = g->common;
  replays_open(&g->replays, g->common);
  return recording_open(&g->recording, g->common) ? 0 : -MILL_LIMIT;
}

/* ---- observing */

static MillLane lane_of(const Graphs *g)
{
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  g->common->lane(g->common, MILL_NO_LANE, &lane);
  return lane;
}

static bool is_capture(Graphs *g)
{
  if (!g->is_known) g->is_capture = strcmp(lane_of(g).label, "capture") == 0;
  g->is_known = true;
  return g->is_capture;
}

static int graphs_observe(void *instance, const MillBatch *b)
{
  Graphs *g = instance;
  const bool captures = is_capture(g);
  bool fits = true;
  for (uint32_t i = 0; i < b->n_events && fits; i++) {
    const MillEvent *e = &b->events[i];
    fits = captures ? recording_see(&g->recording, b, e) : replays_see(&g->replays, b, e);
  }
  return fits ? 0 : -MILL_LIMIT;
}

/* ---- the decision: all captures */

static const char *file_of(const MillLane *lane)
{
  const char *path = lane->path ? lane->path : lane->name;
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool close_recording(Graphs *g)
{
  const MillLane lane = lane_of(g);
  if (!recording_close(&g->recording, file_of(&lane), lane.rank, &g->seen)) return false;
  if (g->seen.n == 0) mill_note(g->common, NO_LAUNCH);
  return true;
}

static int graphs_save_observed(void *instance)
{
  Graphs *g = instance;
  if (!(is_capture(g) ? close_recording(g) : replays_close(&g->replays))) return -MILL_LIMIT;
  state_save(g->host, &captures_state, &g->seen);
  return 0;
}

static int graphs_merge_observed(void *instance)
{
  Graphs *g = instance;
  return state_merge(g->host, &captures_state, &g->seen) ? 0 : -MILL_LIMIT;
}

static int graphs_decide_run(void *instance)
{
  (void)instance;
  return 0;
}

static int graphs_save_decision(void *instance)
{
  Graphs *g = instance;
  state_save(g->host, &captures_state, &g->seen);
  return 0;
}

static void note_unmatched(const Graphs *g)
{
  const int64_t left_ns = g->time_ns - g->matched_ns;
  const double tenths = g->time_ns > 0 ? (double)left_ns / (double)g->time_ns * 1000 : 0;
  const MillNamed values[] = { { "share", mill_real((double)(int64_t)(tenths + 0.5) / 10) } };
  if (g->replays.n_pieces == 0) mill_note(g->common, NO_GRAPH);
  if (left_ns > 0)
    g->common->note(g->common, UNMATCHED, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static int graphs_load_decision(void *instance)
{
  Graphs *g = instance;
  const bool fits = state_load(g->host, &captures_state, &g->captures);
  if (!fits || is_capture(g)) return fits ? 0 : -MILL_LIMIT;
  g->texts = mill_new(g->common, (g->captures.texts.n + 1) * sizeof *g->texts);
  if (!g->texts || !match_replays(&g->captures, lane_of(g).rank, &g->replays)) return -MILL_LIMIT;
  for (size_t i = 0; i < g->replays.n; i++) {
    g->time_ns = add_clipped(g->time_ns, g->replays.items[i].time_ns);
    g->matched_ns = add_clipped(g->matched_ns, g->replays.items[i].matched_ns);
  }
  note_unmatched(g);
  return 0;
}

/* ---- telling */

static MillValue text_of(Graphs *g, uint32_t number)
{
  const KeyedEntry *e = g->captures.texts.entries[number];
  if (g->texts[number] == 0) g->texts[number] = g->common->intern(g->common, e->key, e->len) + 1;
  return mill_sym(g->texts[number] - 1);
}

static int tell(Graphs *g, MillBatch *b, uint32_t i, const Piece *p)
{
  const CaptureLaunch *launch = &g->captures.launches[p->launch - 1];
  const MillValue values[N_KEYS] = { [K_REPLAY] = mill_int(p->replay),
                                     [K_POSITION] = mill_int(p->launch - 1),
                                     [K_STACK] = text_of(g, launch->stack),
                                     [K_CALLS] = text_of(g, launch->calls) };
  int status = 0;
  for (int k = 0; k < N_KEYS && status >= 0; k++)
    status = g->host->set(g->host, b, i, g->keys[k], values[k]);
  return status;
}

static int graphs_process(void *instance, MillBatch *b)
{
  Graphs *g = instance;
  int status = 0;
  if (is_capture(g)) return 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++) {
    const Piece *p = replays_next(&g->replays, b, &b->events[i]);
    if (p && p->launch) status = tell(g, b, i, p);
  }
  return status;
}

/* ---- results */

static const StateField result_fields[] = {
  STATE_SUM(Graphs, time_ns),
  STATE_SUM(Graphs, matched_ns),
};
static const StateType result_state = STATE_TYPE(Graphs, result_fields);
STATE_RESULT(Graphs, result_state)

typedef struct GraphRow {
  int64_t replay;
  MillText file;
  int64_t pieces, matched;
  double matched_percent;
} GraphRow;

static MillText file_text(const Graphs *g, const Replay *r)
{
  if (r->capture == 0) return (MillText){ "", 0 };
  const KeyedEntry *e = g->captures.texts.entries[g->captures.captures[r->capture - 1].file];
  return (MillText){ e->key, e->len };
}

static int graphs_report(void *instance)
{
  const Graphs *g = instance;
  int status = 0;
  for (size_t i = 0; i < g->replays.n && status == 0; i++) {
    const Replay *r = &g->replays.items[i];
    const GraphRow row = { .replay = (int64_t)i,
                           .file = file_text(g, r),
                           .pieces = r->n,
                           .matched = r->matched,
                           .matched_percent = percent_of(r->matched_ns, r->time_ns) };
    status = mill_row(g->host, TABLE_GRAPHS, &row);
  }
  return status;
}

static int graphs_report_run(void *instance)
{
  const Graphs *g = instance;
  if (g->time_ns == 0)
    return g->host->no_metric(g->host, METRIC_MATCHED, NULL,
                              "no device work ran under graph launches");
  return g->host->metric(g->host, METRIC_MATCHED, NULL,
                         mill_real(percent_of(g->matched_ns, g->time_ns)), 1);
}

/* ---- the descriptor */

static const MillNotice notices[] = {
  MILL_WARNING(NO_LAUNCH, "{lane} has no captured launch", "it gives no operator to graph launches",
               "record the capture of the graphs, with the activities of the host",
               "In the trace of a capture, calls of the host have the name of a kernel in their "
               "argument kernel, and no device work with their correlation. Launches that ran, "
               "such as those of a warm-up, are not captured."),
  MILL_INFO(NO_GRAPH, "{lane} has no device work under graph launches", "captures change nothing",
            NULL,
            "No device work has the correlation of a call such as cudaGraphLaunch or "
            "hipGraphLaunch."),
  MILL_INFO(UNMATCHED, "{share} % of the time of graph launches in {lane} is in no capture",
            "this work has no operator", "give the captures of all graphs that ran",
            "The names of the kernels of a graph launch, in order of start, are looked for in the "
            "captures. What has another name or another order there is not found."),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(GraphRow, replay, "replay", "count", "Number of the graph launch, by its start"),
  MILL_BRIEF(GraphRow, file, "file", NULL, "File of its capture; empty: there is none"),
  MILL_BRIEF(GraphRow, pieces, "pieces", "count", "Its device events"),
  MILL_BRIEF(GraphRow, matched, "matched", "count", "Those that were found in the capture"),
  MILL_COLUMN(GraphRow, matched_percent, "matched_percent", "count",
              MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Share of their time"),
};
static const MillTable tables[] = {
  [TABLE_GRAPHS] = { .per = MILL_PER_LANE,
                     .brief_rows = 8,
                     .name = "graphs",
                     .help = "Graph launches, and how much of each was found in a capture",
                     .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  [METRIC_MATCHED] = { .per = MILL_PER_RUN,
                       .better = MILL_HIGHER,
                       .kind = MILL_REAL,
                       .name = "graph_matched",
                       .unit = "percent",
                       .help = "Share of the time of graph launches that was found in captures, "
                               "over all ranks" },
};

static const MillRead reads[] = { RECORDING_READS };
static const char *const needs[] = { "events", "launches", "capture", NULL };
static const char *const provides[] = { "torch.replays", "operators", "table.graphs", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = graphs_open,
  .observe = graphs_observe,
  .save_observed = graphs_save_observed,
  .merge_observed = graphs_merge_observed,
  .decide_run = graphs_decide_run,
  .save_decision = graphs_save_decision,
  .load_decision = graphs_load_decision,
  .process = graphs_process,
  .report = graphs_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = graphs_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .name = "graphs",
  .family = "torch",
  .version = "1.0.0",
  .tag = "GRAPH",
  .title = "Operators of what graph launches run, from traces of captures",
  .help = "Finds the device work of graph launches in traces of the capture (capture=PATH), by ids "
          "of graph and node or by the sequence of kernels, so that the operators, shapes and "
          "modules around each launch there count for the work.",
  .needs = needs,
  .provides = provides,
  .private_attrs = key_names,
  OWN_ROWS(notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
