/* The chain of host and device work that a step took its time for: what, made faster, would make the step faster. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/text/fields.h"
#include "kit/state/state.h"
#include "kit/devices/stream-name.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"
#include "kit/text/words.h"
#include "path.h"
#include "tables.h"

#define STEPS "ProfilerStep#"

static int path_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Path *p = instance_new(Path, host, out_instance);
  if (!p) return -MILL_LIMIT;
  p->words.common = p->streams.common = host->common;
  p->all.common = p->graph.common = p->regions.common = host->common;
  p->options = *(const Options *)options;
  p->stream = tree_key(p->common, "stream");
  p->other = tree_key(p->common, "wait_on_stream");
  p->call_start = tree_key(p->common, TREE_CALL_START);
  p->op_start = tree_key(p->common, TREE_OP_START);
  p->track = tree_key(p->common, TREE_TRACK);
  p->critical = symbol_of(p->common, "critical");
  p->arrow = symbol_of(p->common, "critical_path");
  return 0;
}

/* ---- collecting */

enum { PLAIN = 1, WAITS, LOADS }; /* classes of names */

/* Calls that return when the device is done, and operators that load data. */
static uint8_t class_of_name(const char *name, size_t len)
{
  if (words_have_any_case(name, len, "synchronize")) return WAITS;
  return words_have_any_case(name, len, "dataloader") ? LOADS : PLAIN;
}

static uint32_t flags_by_name(Path *p, MillSym name)
{
  static const uint32_t flags[] = { [PLAIN] = 0, [WAITS] = ITEM_WAITS, [LOADS] = ITEM_LOADS };
  return flags[symclass_of(p->common, &p->calls, name, class_of_name)];
}

static bool read_stream(Path *p, const MillBatch *b, const MillEvent *e, uint32_t *out)
{
  StreamRoom room;
  Field name = stream_name(p->common, b, e, p->stream, &room);
  return names_number(&p->streams, name.text, name.len, out);
}

static bool add_device(Path *p, const MillBatch *b, const MillEvent *e, TorchKind kind, Item *item)
{
  int64_t track;
  item->flags = ITEM_DEVICE;
  if (torch_work(&p->words, kind, e->name) == WORK_COMMUNICATION) item->flags |= ITEM_COMMUNICATES;
  if (mill_attr_int(b, e, p->track, &track) &&
      (mill_attr_int(b, e, p->call_start, &item->launch_ns) ||
       mill_attr_int(b, e, p->op_start, &item->launch_ns))) {
    item->flags |= ITEM_CALLED;
    item->launch_track = (uint32_t)track;
  }
  return read_stream(p, b, e, &item->row) && graph_add_item(&p->all, item);
}

/* A wait that says which stream another one waits for. */
static bool add_wait(Path *p, const MillBatch *b, const MillEvent *e)
{
  StreamWait wait = { .ts_ns = e->ts_ns };
  char digits[DIGITS_MAX];
  int64_t other;
  if (!mill_attr_int(b, e, p->other, &other)) return true;
  size_t len = digits_write(digits, other);
  return read_stream(p, b, e, &wait.stream) &&
         names_number(&p->streams, digits, len, &wait.other) && graph_add_wait(&p->all, &wait);
}

static bool add_region(Path *p, const MillEvent *e)
{
  size_t len, wanted = strlen(p->options.within);
  const char *text = p->common->symbol_text(p->common, e->name, &len);
  if (!wanted || !memmem(text, len, p->options.within, wanted)) return true;
  return regions_add(&p->regions, (Region){ e->ts_ns, interval_end(e->ts_ns, e->dur_ns) });
}

static bool is_slice(const MillEvent *e)
{
  return e->kind == MILL_SLICE && e->dur_ns >= 0 && !(e->flags & MILL_FLAG_NO_TS);
}

static bool is_item(TorchKind kind)
{
  return torch_is_device(kind) || kind == TORCH_OPERATOR || kind == TORCH_CALL;
}

static bool observe_event(Path *p, const MillBatch *b, const MillEvent *e)
{
  TorchKind kind = torch_kind(&p->words, e);
  Item item = { .start_ns = e->ts_ns,
                .end_ns = interval_end(e->ts_ns, e->dur_ns),
                .row = e->track,
                .track = e->track,
                .name = e->name };
  if (torch_is_device(kind)) return add_device(p, b, e, kind, &item);
  if (kind == TORCH_WAIT) return add_wait(p, b, e);
  if (kind == TORCH_RANGE || kind == TORCH_OPERATOR)
    if (!add_region(p, e)) return false;
  if (!is_item(kind)) return true;
  item.flags = flags_by_name(p, e->name);
  return graph_add_item(&p->all, &item);
}

static int path_observe(void *instance, const MillBatch *b)
{
  Path *p = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (is_slice(&b->events[i]) && !observe_event(p, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- the region */

static Region whole_trace(void) { return (Region){ INT64_MIN, INT64_MAX }; }

/* Steps are looked for by default, where traces may have none; anything else was named by somebody. */
static bool is_asked_for(const Path *p)
{
  return p->options.instance >= 0 || strcmp(p->options.within, STEPS) != 0;
}

static Region choose(Path *p)
{
  if (!*p->options.within) return whole_trace();
  const Region *found = regions_pick(&p->regions, p->options.instance);
  if (found) return *found;
  if (!is_asked_for(p)) {
    mill_note(p->common, NOTICE_NO_REGION);
    return whole_trace();
  }
  p->lanes_without++;
  mill_note(p->common, NOTICE_NOT_HERE);
  return (Region){ 0, 0 };
}

static bool take_region(Path *p, Region region)
{
  p->in_graph = mill_new(p->common, (p->all.n_items + 1) * sizeof *p->in_graph);
  if (!p->in_graph) return false;
  for (size_t i = 0; i < p->all.n_items; i++) {
    bool within = region_has(&region, &p->all.items[i]);
    p->in_graph[i] = within ? (uint32_t)p->graph.n_items : NO_ITEM;
    if (within && !graph_add_item(&p->graph, &p->all.items[i])) return false;
  }
  for (size_t i = 0; i < p->all.n_waits; i++)
    if (!graph_add_wait(&p->graph, &p->all.waits[i])) return false;
  return true;
}

static void add_up(Path *p)
{
  for (size_t i = 0; i < p->graph.n_path; i++) {
    const PathStep *step = &p->graph.path[i];
    p->events[step->bound]++;
    p->time_ns[step->bound] = add_clipped(p->time_ns[step->bound], step->time_ns);
    p->total_ns = add_clipped(p->total_ns, step->time_ns);
  }
}

static bool is_span(const PathStep *step)
{
  return step->bound != BOUND_LAUNCH && step->bound != BOUND_NEIGHBOUR && step->bound != BOUND_SYNC;
}

/* Where the path enters another row: the number of the step, by the slice that it enters first. */
static bool find_arrows(Path *p)
{
  p->steps = mill_new(p->common, (p->graph.n_items + 1) * sizeof *p->steps);
  if (!p->steps) return false;
  for (size_t i = 0; i < p->graph.n_items; i++) p->steps[i] = NO_ITEM;
  const PathStep *last = NULL;
  for (size_t i = 0; i < p->graph.n_path; i++) {
    const PathStep *step = &p->graph.path[i];
    if (!is_span(step)) continue;
    bool crosses = last && p->graph.items[last->item].track != p->graph.items[step->item].track;
    if (crosses && p->steps[step->item] == NO_ITEM)
      p->steps[step->item] = (uint32_t)(last - p->graph.path);
    last = step;
  }
  return true;
}

static int path_decide(void *instance)
{
  Path *p = instance;
  p->lanes = 1;
  if (!take_region(p, choose(p)) || !graph_solve(&p->graph) || !find_arrows(p)) return -MILL_LIMIT;
  add_up(p);
  if (p->total_ns == 0 && p->lanes_without == 0) mill_note(p->common, NOTICE_NOTHING);
  if (p->graph.n_path > (size_t)p->options.most_events) mill_note(p->common, NOTICE_MANY);
  return 0;
}

/* ---- the overlay */

/* Viewers bind an arrow to the slice that lies under its time. */
static int64_t inside(const Item *item, int64_t ts_ns)
{
  int64_t last_ns = item->end_ns > item->start_ns ? item->end_ns - 1 : item->start_ns;
  return ts_ns < item->start_ns ? item->start_ns : ts_ns > last_ns ? last_ns : ts_ns;
}

static int emit_arrow(Path *p, MillBatch *b, uint32_t after, uint32_t item)
{
  const PathStep *from = &p->graph.path[p->steps[item]];
  const Item *before = &p->graph.items[from->item], *to = &p->graph.items[item];
  MillEvent e = { .kind = MILL_FLOW_START,
                  .ts_ns = inside(before, from->leave_ns),
                  .dur_ns = -1,
                  .name = p->arrow,
                  .cat = p->arrow,
                  .track = before->track,
                  .id_kind = MILL_ID_INT,
                  .id = ++p->next_id };
  if (p->host->emit(p->host, b, after, &e) == MILL_FAILED) return -MILL_LIMIT;
  e.kind = MILL_FLOW_END;
  e.flags = MILL_FLAG_BIND_END;
  e.ts_ns = to->start_ns;
  e.track = to->track;
  return p->host->emit(p->host, b, after, &e) == MILL_FAILED ? -MILL_LIMIT : 0;
}

/* The item of the event at that index, where it is on the path; NO_ITEM. */
static uint32_t critical_item(Path *p, const MillEvent *e)
{
  if (!is_slice(e) || !is_item(torch_kind(&p->words, e))) return NO_ITEM;
  uint32_t item = p->in_graph[p->next_item++];
  return item != NO_ITEM && p->graph.items[item].flags & ITEM_CRITICAL ? item : NO_ITEM;
}

static int mark(Path *p, MillBatch *b, uint32_t index, uint32_t item)
{
  int status = p->host->set(p->host, b, index, p->critical, mill_bool(true));
  return status < 0 || p->steps[item] == NO_ITEM ? status : emit_arrow(p, b, index, item);
}

static int path_process(void *instance, MillBatch *b)
{
  Path *p = instance;
  int status = 0;
  for (uint32_t i = 0, n = b->n_events; i < n && status >= 0; i++) {
    uint32_t item = critical_item(p, &b->events[i]);
    if (item != NO_ITEM)
      status = mark(p, b, i, item);
    else if (p->options.only && b->events[i].kind != MILL_META)
      mill_drop(&mill_events(b)[i]);
  }
  return status < 0 ? status : 0;
}

/* ---- summaries */

static const StateField path_fields[] = {
  STATE_SUM(Path, lanes),
  STATE_SUM(Path, lanes_without),
  STATE_SUMS(Path, time_ns),
  STATE_SUM(Path, total_ns),
};
static const StateType path_state = STATE_TYPE(Path, path_fields);
STATE_RESULT(Path, path_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_STRING_OPTION(
      Options, within, "within", STEPS,
      "The path of a slice of the host whose name contains this; empty: of the whole trace"),
  MILL_INT_OPTION(Options, instance, "instance", "-1", "-1:", "slices",
                  "Which of these slices, from 0 by their start; -1: the longest"),
  MILL_BOOL_OPTION(Options, only, "only", "false", "Keep only the path in the trace"),
  MILL_INT_OPTION(Options, most_events, "most-events", "10000", "0:4000000000", "rows",
                  "Most rows of the table critical-events of a lane"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NO_REGION, "{lane} has no step: no name contains ProfilerStep#",
            "its path covers the whole trace",
            "set critical-path.within to a part of a name of user_annotation or cpu_op",
            "The path is found within one slice of the host, by default the longest step of "
            "PyTorch's profiler, ProfilerStep#N.  Traces of a profiler without a schedule have no "
            "steps."),
  MILL_WARNING(
      NOTICE_NOT_HERE, "{lane} has no slice that matches within and instance", "it has no path",
      "set critical-path.within to a part of a name of user_annotation or cpu_op",
      "Other traces have it. No name of this one contains the option within, or instance is beyond "
      "the last."),
  MILL_ERROR(NOTICE_NOWHERE,
             "no trace has the slice that critical-path.within and instance ask for",
             "set within to a part of a name of user_annotation or cpu_op",
             "No name contains the option within, or instance is beyond the last, in any trace. By "
             "default the stage looks for steps; without steps, the path covers the whole trace."),
  MILL_INFO(
      NOTICE_NOTHING, "{lane} has no operators, calls or device work that take time",
      "it has no path", "record host and device: ProfilerActivity.CPU and CUDA",
      "The path leads through slices of operators, of calls of the runtime, and of device work."),
  MILL_INFO(NOTICE_MANY, "the path of {lane} has more steps than most-events",
            "the table critical-events ends there; critical-path and the trace have all steps",
            "raise critical-path.most-events",
            "A step is the time of one slice, or the gap before it. Long regions have some hundred "
            "thousand steps."),
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START),
                                  TREE_READ(TREE_OP_START),
                                  TREE_READ(TREE_TRACK),
                                  STREAM_READ,
                                  { "wait_on_stream", MILL_AS_INT, MILL_KIND(MILL_SLICE) } };

static const char *const needs[] = { "events", "torch.tree", NULL };
static const char *const provides[] = { "attr.critical", "table.critical-path", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = path_open,
  .observe = path_observe,
  .decide = path_decide,
  .process = path_process,
  .report = path_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = path_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_EMIT | MILL_MAY_DROP | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "critical-path",
  .family = "torch",
  .version = "1.0.0",
  .tag = "CPATH",
  .title = "Find the chain of work that decides the length of a step",
  .help = "Links starts and ends of operators, calls and device work by their dependencies, finds "
          "the longest chain in a step, shows its composition, and marks it in the trace.",
  .needs = needs,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
