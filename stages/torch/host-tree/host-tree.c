/* Which operator of the host launched which work of the device.  The first pass keeps an index of what the host did
 * (48 bytes a slice) and what the device did (80 bytes); then slices are nested, work is linked to the calls that
 * launched it, and summed up along the tree.  The second pass tells each event what was found, in private attributes
 * (lib/tree-attrs.h) for the stages that come after.  Events may come in any order. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"
#include "state.h"

enum {
  NO_DEVICE = 1,
  NO_HOST,
  UNLINKED,
  GRAPHS,
  CORRUPT,
  MISFITS,
  MANY_ARGS,
  MANY_UNLINKED,
  APART,
  TWICE
};
enum { TABLE_LINKS, TABLE_STEPS };
enum { METRIC_UNLINKED, METRIC_GRAPH, METRIC_STEP, METRIC_PERIOD };

static const char *const key_names[N_KEYS + 1] = {
  TREE_DIRECT,       TREE_SUBTREE,  TREE_KERNELS,    TREE_MODULE,    TREE_MODEL,      TREE_GEMM,
  TREE_ROW,          TREE_CATEGORY, TREE_STEP,       TREE_LINK,      TREE_LAUNCHER,   TREE_OP,
  TREE_OP_START,     TREE_CALL,     TREE_CALL_START, TREE_CALL_DUR,  TREE_TRACK,      TREE_LIST,
  TREE_SPLIT,        TREE_PART,     TREE_PART_FIRST, TREE_MODEL_ROW, TREE_MODEL_TIME, TREE_OUTER,
  TREE_OUTER_MODULE, NULL
};
static const char *const link_names[N_LINKS] = { "correlation", "flow", "external", "none" };
static const char *const launcher_names[N_LAUNCHERS] = { "operator", "call", "graph", "capture",
                                                         "none" };

static int tree_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Tree *t = instance_new(Tree, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->words.common = t->tree.common = t->works.common = t->steps.common = host->common;
  t->options = *(const TreeOptions *)options;
  for (int i = 0; i < N_KEYS; i++) t->keys[i] = symbol_of(t->common, key_names[i]);
  for (int i = 0; i < N_LINKS; i++) t->links[i] = symbol_of(t->common, link_names[i]);
  for (int i = 0; i < N_LAUNCHERS; i++) t->launchers[i] = symbol_of(t->common, launcher_names[i]);
  captured_open(&t->captured, common);
  t->sums =
      (Sums){ .common = common, .args = &t->nodes.args, .tree = &t->tree, .works = &t->works };
  return tree_nodes_open(&t->nodes, common, (uint32_t)t->options.max_args) ? 0 : -MILL_LIMIT;
}

/* ---- what an event is */

typedef enum Role { ROLE_OTHER, ROLE_NODE, ROLE_WORK, ROLE_STEP, ROLE_START, ROLE_END } Role;

static bool is_launch_flow(const char *cat, size_t len)
{
  static const char *const cats[] = { "ac2g", "async_cpu_to_gpu", "async" };
  (void)len;
  for (uint32_t i = 0; i < MILL_COUNT(cats); i++)
    if (strcmp(cat, cats[i]) == 0) return true;
  return false;
}

/* Steps are no operators, though old traces say that they are. */
static Role role_of(Tree *t, const MillEvent *e, TorchKind *out_kind)
{
  *out_kind = TORCH_OTHER;
  if (e->flags & MILL_FLAG_NO_TS) return ROLE_OTHER;
  if (e->kind == MILL_FLOW_START || e->kind == MILL_FLOW_END) {
    if (!symclass_is(t->common, &t->flow_cats, e->cat, is_launch_flow)) return ROLE_OTHER;
    return e->kind == MILL_FLOW_START ? ROLE_START : ROLE_END;
  }
  if (e->kind != MILL_SLICE) return ROLE_OTHER;
  TorchKind kind = *out_kind = torch_kind(&t->words, e);
  if (torch_is_device(kind)) return ROLE_WORK;
  if (kind == TORCH_FRAME) return t->options.python ? ROLE_NODE : ROLE_OTHER;
  if (kind != TORCH_OPERATOR && kind != TORCH_RANGE)
    return kind == TORCH_CALL ? ROLE_NODE : ROLE_OTHER;
  if (torch_step(&t->words, e->name) >= 0) return ROLE_STEP;
  return kind == TORCH_OPERATOR ? ROLE_NODE : ROLE_OTHER;
}

/* ---- observing */

static int64_t end_of(const MillEvent *e)
{
  return interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
}

static bool observe_node(Tree *t, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  TreeNode node;
  if (!tree_nodes_read(&t->nodes, b, e, kind, &node)) return false;
  t->n_host += kind != TORCH_FRAME;
  return host_tree_add(&t->tree, &node);
}

static bool observe_work(Tree *t, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  Work work = { .start_ns = e->ts_ns,
                .track = e->track,
                .name = e->name,
                .does = (uint8_t)torch_work(&t->words, kind, e->name) };
  (void)mill_attr_int(b, e, t->nodes.correlation, &work.correlation);
  (void)mill_attr_int(b, e, t->nodes.external, &work.external);
  return captured_see(&t->captured, b, e, (uint32_t)t->works.n) &&
         works_add(&t->works, &work, e->dur_ns, t->options.max_duration_ns);
}

static bool observe_event(Tree *t, const MillBatch *b, const MillEvent *e)
{
  TorchKind kind;
  Role role = role_of(t, e, &kind);
  const FlowEnd end = { (int64_t)e->id, e->ts_ns, e->cat, e->track };
  switch (role) {
  case ROLE_NODE: return observe_node(t, b, e, kind);
  case ROLE_WORK: return observe_work(t, b, e, kind);
  case ROLE_STEP: return steps_add(&t->steps, torch_step(&t->words, e->name), e->ts_ns, end_of(e));
  case ROLE_START: return works_add_flow(t->common, &t->works.starts, &end);
  case ROLE_END: return works_add_flow(t->common, &t->works.ends, &end);
  case ROLE_OTHER: break;
  }
  return true;
}

static int tree_observe(void *instance, const MillBatch *b)
{
  Tree *t = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!observe_event(t, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* ---- deciding */

static void add_links(Tree *t)
{
  for (size_t i = 0; i < t->works.n; i++) {
    const Work *w = &t->works.items[i];
    int64_t dur_ns = w->end_ns - w->start_ns;
    int64_t *time_ns = &t->found.time_ns[w->link][w->launched_by];
    t->found.events[w->link][w->launched_by]++;
    *time_ns = add_clipped(*time_ns, dur_ns);
    t->device_ns = add_clipped(t->device_ns, dur_ns);
    if (w->launched_by == LAUNCHED_BY_GRAPH) t->graph_ns = add_clipped(t->graph_ns, dur_ns);
    if (w->launched_by == LAUNCHED_BY_NONE) t->unlinked_ns = add_clipped(t->unlinked_ns, dur_ns);
  }
}

static uint64_t launched(const Tree *t, WorkLauncher by)
{
  uint64_t n = 0;
  for (int i = 0; i < N_LINKS; i++) n += t->found.events[i][by];
  return n;
}

static void note_share(const Tree *t, uint32_t number, uint64_t events, int64_t part_ns)
{
  const double tenths = t->device_ns > 0 ? (double)part_ns / (double)t->device_ns * 1000 : 0;
  const MillNamed values[] = { { "events", mill_int((int64_t)events) },
                               { "share", mill_real((double)(int64_t)(tenths + 0.5) / 10) } };
  if (events) t->common->note(t->common, number, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static void note_count(const Tree *t, uint32_t number, uint64_t n)
{
  const MillNamed values[] = { { "events", mill_int((int64_t)n) },
                               { "longest", mill_int(t->works.longest_ns) } };
  if (n) t->common->note(t->common, number, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

/* So little is common: what was launched before the trace began. */
static bool is_little(const Tree *t, int64_t part_ns)
{
  enum { PARTS = 20 }; /* 5 % */
  return part_ns <= t->device_ns / PARTS;
}

static void note_all(const Tree *t)
{
  if (t->works.n == 0) mill_note(t->common, NO_DEVICE);
  if (t->works.n > 0 && t->n_host == 0) mill_note(t->common, NO_HOST);
  const uint32_t unlinked = is_little(t, t->unlinked_ns) ? UNLINKED : MANY_UNLINKED;
  if (t->n_host > 0) note_share(t, unlinked, launched(t, LAUNCHED_BY_NONE), t->unlinked_ns);
  note_share(t, GRAPHS, launched(t, LAUNCHED_BY_GRAPH), t->graph_ns);
  note_count(t, CORRUPT, t->works.n_corrupt);
  note_count(t, MISFITS, t->tree.n_misfits);
  note_count(t, MANY_ARGS, t->nodes.args.n_left_out);
  note_count(t, APART, t->steps.n_apart);
  note_count(t, TWICE, t->sums.n_twice);
}

static int tree_decide(void *instance)
{
  Tree *t = instance;
  t->n_nodes = t->tree.n;
  if (!works_cut(&t->works) || !captured_plant(&t->captured, &t->tree, &t->nodes.args) ||
      !host_tree_nest(&t->tree) || !works_link(&t->works, &t->tree) || !steps_close(&t->steps))
    return -MILL_LIMIT;
  captured_link(&t->captured, &t->works);
  steps_assign(&t->steps, &t->tree, &t->works);
  if (!sums_make(&t->sums) || !steps_measure(&t->steps, &t->works) ||
      !captured_stand(&t->captured, &t->tree, &t->sums))
    return -MILL_LIMIT;
  add_links(t);
  for (size_t i = 0; i < t->steps.n; i++) {
    const Step *s = &t->steps.items[i];
    moments_add(&t->step_time, interval_span(s->start_ns, s->end_ns));
    if (s->has_period) moments_add(&t->step_period, s->period_ns);
  }
  note_all(t);
  return 0;
}

/* Events come again as they came to be observed. */
static int tree_process(void *instance, MillBatch *b)
{
  Tree *t = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++) {
    TorchKind kind;
    Role role = role_of(t, &b->events[i], &kind);
    if (role == ROLE_NODE && t->next_node < t->n_nodes) status = tell_node(t, b, i);
    if (role == ROLE_WORK && t->next_work < t->works.n) status = tell_work(t, b, i);
  }
  return status;
}

/* ---- summaries and results */

static const StateField tree_fields[] = {
  STATE_SUM(Tree, device_ns),     STATE_SUM(Tree, unlinked_ns),     STATE_SUM(Tree, graph_ns),
  STATE_MOMENTS(Tree, step_time), STATE_MOMENTS(Tree, step_period),
};
static const StateType tree_state = STATE_TYPE(Tree, tree_fields);
STATE_RESULT(Tree, tree_state)

static double share_of(const Tree *t, int64_t part_ns)
{
  return t->device_ns > 0 ? (double)part_ns / (double)t->device_ns * 100 : (double)NAN;
}

typedef struct LinkRow {
  MillSym link, launcher;
  int64_t events, time_ns;
  double share;
} LinkRow;

static int report_links(const Tree *t)
{
  int status = 0;
  for (int k = 0; k < N_LINKS; k++)
    for (int l = 0; l < N_LAUNCHERS && status == 0; l++) {
      if (t->found.events[k][l] == 0) continue;
      const LinkRow row = {
        .link = t->links[k],
        .launcher = t->launchers[l],
        .events = (int64_t)t->found.events[k][l],
        .time_ns = t->found.time_ns[k][l],
        .share = share_of(t, t->found.time_ns[k][l]),
      };
      status = mill_row(t->host, TABLE_LINKS, &row);
    }
  return status;
}

typedef struct StepRow {
  int64_t step, start_ns, duration_ns, busy_ns, computation_ns, communication_ns, exposed_comm_ns,
      idle_ns, device_start_ns, device_span_ns, period_ns;
} StepRow;

static int tree_report(void *instance)
{
  const Tree *t = instance;
  int status = report_links(t);
  for (size_t i = 0; i < t->steps.n && status == 0; i++) {
    const Step *s = &t->steps.items[i];
    const StepRow row = {
      .step = s->number,
      .start_ns = s->start_ns,
      .duration_ns = interval_span(s->start_ns, s->end_ns),
      .busy_ns = s->busy_ns,
      .computation_ns = s->computation_ns,
      .communication_ns = s->communication_ns,
      .exposed_comm_ns = s->exposed_ns,
      .idle_ns = s->idle_ns,
      .device_start_ns = s->has_work ? s->device_start_ns : MILL_NO_INT,
      .device_span_ns =
          s->has_work ? interval_span(s->device_start_ns, s->device_end_ns) : MILL_NO_INT,
      .period_ns = s->has_period ? s->period_ns : MILL_NO_INT,
    };
    status = mill_row(t->host, TABLE_STEPS, &row);
  }
  return status;
}

static int report_share(const Tree *t, uint32_t metric, int64_t part_ns)
{
  double v = share_of(t, part_ns);
  if (isnan(v)) return t->host->no_metric(t->host, metric, NULL, "no time was spent on devices");
  return t->host->metric(t->host, metric, NULL, mill_real(v), 1);
}

static int report_moments(const Tree *t, uint32_t metric, const Moments *m, const char *reason)
{
  static const char *const stats[] = { "mean", "min", "max" };
  const MillValue values[] = { mill_real(moments_mean_or_none(m)), mill_int(m->min),
                               mill_int(m->max) };
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++)
    status = m->n ? t->host->metric(t->host, metric, stats[i], values[i], m->n)
                  : t->host->no_metric(t->host, metric, stats[i], reason);
  return status;
}

static int tree_report_run(void *instance)
{
  const Tree *t = instance;
  int status = report_share(t, METRIC_UNLINKED, t->unlinked_ns);
  if (status == 0) status = report_share(t, METRIC_GRAPH, t->graph_ns);
  if (status == 0) status = report_moments(t, METRIC_STEP, &t->step_time, "there are no steps");
  return status == 0 ? report_moments(t, METRIC_PERIOD, &t->step_period, "no step follows another")
                     : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BOOL_OPTION(TreeOptions, python, "python", "false",
                   "Nest frames of Python too: operators get the path of their modules"),
  MILL_DURATION_OPTION(TreeOptions, max_duration_ns, "max-duration", "1h",
                       "0:", "Longer device work counts as damaged"),
  MILL_INT_OPTION(TreeOptions, max_args, "max-args", "65536", "0:4000000000", "lists",
                  "Largest number of distinct argument lists of operators that are kept"),
};

#define WITHOUT_CALL                                                                            \
  "No call of the host has its correlation, no flow ends where it begins, and no operator has " \
  "its External id. Work that was launched before the trace began has no call in it. More "     \
  "than 5 % of the device's time is more than this explains."

static const MillNotice notices[] = {
  MILL_WARNING(NO_DEVICE, "{lane} has no device work", "its operators launched no known work",
               "record the device too: ProfilerActivity.CUDA, or nsys profile --trace=cuda",
               "No slice has a category of device work, such as kernel or gpu_memcpy."),
  MILL_INFO(NO_HOST, "{lane} has device work, but neither operators nor calls",
            "no work has an operator: kernels are classed by their names",
            "record the host too: ProfilerActivity.CPU",
            "No slice has a category of the host, such as cpu_op or cuda_runtime."),
  MILL_INFO(UNLINKED,
            "{events} device event[|s] of {lane} [has|have] no call, {share} % of its device time",
            "[it is|they are] classed by kernel name", NULL, WITHOUT_CALL),
  MILL_WARNING(
      MANY_UNLINKED,
      "{events} device event[|s] of {lane} [has|have] no call, {share} % of its device time",
      "tables by operator miss [it|them]: [it is|they are] classed by kernel name",
      "record the calls of the host too, with correlation ids, from before the first launch on",
      WITHOUT_CALL),
  MILL_INFO(GRAPHS,
            "{events} device event[|s] of {lane} ran under graph launches, {share} % of its device "
            "time",
            "[it is|they are] classed by kernel name", "give a trace of the capture: capture=PATH",
            "One call, such as cudaGraphLaunch or hipGraphLaunch, runs many kernels. The trace "
            "does not say which operator each of them belongs to; a trace of the capture does."),
  MILL_WARNING(CORRUPT,
               "{events} device event[|s] of {lane} [has|have] a negative duration, or one above "
               "max-duration; the longest is {longest} ns",
               "[it ends|they end] where the next work of [its|their] stream begins",
               "set max-duration if such work is real",
               "Profilers write such durations if a clock was reset or an end was lost. The event "
               "now lasts until the next event of its stream, or has no length."),
  MILL_INFO(MISFITS,
            "{events} slice[|s] of the host in {lane} [crosses|cross] others of [its|their] thread",
            "no slice nests in [it|them]; device work that [it|they] launched is kept", NULL,
            "Slices of one thread nest: each ends within the slice in which it began. This fails "
            "if threads share a number, or if profilers' clocks differ by a microsecond or more."),
  MILL_INFO(MANY_ARGS,
            "{events} operator[|s] of {lane} came after max-args distinct argument lists",
            "[it counts|they count] as without arguments", "raise max-args",
            "Memory holds each distinct argument list once. Lists beyond max-args are left out."),
  MILL_WARNING(
      APART, "{events} step number[|s] of {lane} [occurs|occur] more than once, with time between",
      "[this step counts|these steps count] from the first begin to the last end: too long",
      "keep one recording a file, or cut one out with --from and --to",
      "Slices ProfilerStep#N of one number are one step, as several threads write them. Where such "
      "slices do not touch, the profiler was started anew in the same file, or two recordings were "
      "joined."),
  MILL_WARNING(
      TWICE,
      "{events} device event[|s] of {lane} [is|are] there twice, with one name, stream, time and "
      "correlation",
      "sums and counts of kernels have [it|them] twice",
      "write the trace anew, or take the repeated events out of it",
      "A stream runs one kernel at a time, so that two equal ones are one that was written twice, "
      "as where a recording was joined with itself. Busy times are right, since they are unions."),
};

static const MillColumn link_columns[] = {
  MILL_KEY_BRIEF(LinkRow, link, "link", NULL,
                 "How the stage found the call: correlation, flow, external, none"),
  MILL_KEY_BRIEF(
      LinkRow, launcher, "launcher", NULL,
      "operator; call without an operator around it; graph launch; capture: the operator "
      "within a graph launch; none"),
  MILL_BRIEF(LinkRow, events, "events", "count", "Number of device events"),
  MILL_BRIEF(LinkRow, time_ns, "time", "ns", "Sum of their durations"),
  MILL_BRIEF(LinkRow, share, "share", "percent", "Share of the sum over all device events"),
};
static const MillColumn step_columns[] = {
  MILL_KEY_BRIEF(StepRow, step, "step", "count", "Number N of ProfilerStep#N"),
  MILL_COLUMN(StepRow, start_ns, "start", "ns", 0, "Begin on the host"),
  MILL_BRIEF(StepRow, duration_ns, "duration", "ns", "Duration on the host"),
  MILL_BRIEF(StepRow, busy_ns, "busy", "ns", "Union of the device work that it launched"),
  MILL_COLUMN(StepRow, computation_ns, "computation", "ns", 0, "Union of the computation"),
  MILL_COLUMN(StepRow, communication_ns, "communication", "ns", 0, "Union of the communication"),
  MILL_BRIEF(StepRow, exposed_comm_ns, "exposed_comm", "ns", "Communication without computation"),
  MILL_BRIEF(StepRow, idle_ns, "idle", "ns",
             "Between its first and last device work, with none running"),
  MILL_COLUMN(StepRow, device_start_ns, "device_start", "ns", 0,
              "Begin of the first device work that it launched"),
  MILL_BRIEF(StepRow, device_span_ns, "device_span", "ns",
             "From this begin to the end of its last device work"),
  MILL_BRIEF(StepRow, period_ns, "period", "ns",
             "Time to the start of the step with the next number on the host"),
};
static const MillTable tables[] = {
  [TABLE_LINKS] = { .per = MILL_PER_LANE,
                    .name = "links",
                    .help = "Links of device work to the host",
                    .order = "-time,link,launcher",
                    .columns = MILL_ROWS(link_columns) },
  [TABLE_STEPS] = { .per = MILL_PER_LANE,
                    .name = "steps",
                    .help = "Steps, and the device work in them",
                    .columns = MILL_ROWS(step_columns) },
};

#define SHARE_METRIC(name_, help_)                                               \
  {                                                                              \
    .per = MILL_PER_RUN, .better = MILL_LOWER, .kind = MILL_REAL, .name = name_, \
    .unit = "percent", .help = help_                                             \
  }
#define STEP_METRIC(name_, help_)                                                              \
  {                                                                                            \
    .per = MILL_PER_RUN, .better = MILL_LOWER, .kind = MILL_REAL, .name = name_, .unit = "ns", \
    .stats = "mean,min,max", .headline = "mean", .help = help_                                 \
  }
static const MillMetric metrics[] = {
  [METRIC_UNLINKED] =
      SHARE_METRIC("unlinked_time", "Share of the device time without a known call"),
  [METRIC_GRAPH] = SHARE_METRIC(
      "graph_time",
      "Share of the device time under graph launches, without that of known operators"),
  [METRIC_STEP] = STEP_METRIC("step_time", "Duration of steps on the host, over all ranks"),
  [METRIC_PERIOD] =
      STEP_METRIC("step_period", "From the start of a step to that of the next, over all ranks"),
};

static const MillRead reads[] = {
  TREE_NODES_READS,
  GRAPH_READS,
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "slices", "torch.replays", NULL };
static const char *const provides[] = { "torch.tree", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = tree_open,
  .observe = tree_observe,
  .decide = tree_decide,
  .process = tree_process,
  .report = tree_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = tree_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(TreeOptions),
  .name = "host-tree",
  .family = "torch",
  .version = "1.0.0",
  .tag = "TREE",
  .title = "Link device work to the operators that launched it",
  .help =
      "Nests operators and calls of the host, links device work to the calls that launched it, and "
      "gives later stages the operator, category, pass, step and module of each. Reports tables of "
      "links and steps.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .private_attrs = key_names,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
