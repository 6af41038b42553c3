/* Where the time of each rank's device goes (device-time.h), and how much of it has no launch.
 * Events may come in any order.  Memory: up to 32 bytes for every interval of the unions, which
 * is every kernel where none touches the next; as much for device work until its launch comes. */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "launches.h"
#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/devices/device-time.h"
#include "kit/numbers/moments.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"

enum { NOTICE_NOTHING = 1, NOTICE_NO_LAUNCH, NOTICE_LEFT_OUT, NOTICE_STRANGE };
enum { TABLE_LANE, TABLE_MEAN };
enum { NOT_ASKED = 1, ASKED }; /* classes of categories */

/* What the tables list: the times of device-time.h, and one that is not of a union. */
enum {
  UNLINKED = N_DEVICE_TIMES, /* only of lanes that have launches */
  N_TYPES
};
typedef struct Options {
  const MillPattern *categories, *communication, *memcpy;
  int64_t micro_idle_ns;
  bool linked_only;
  MillList by;
} Options;

typedef struct Strange { /* what has a stream and an unknown category */
  uint64_t events;
  int64_t ns;
  MillSym cat;
} Strange;

typedef struct Timeline {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  SymClass names, cats;
  TorchWords words;
  Strange strange;
  MillSym correlation, stream;
  Launches launches;
  DeviceTime device;
  uint64_t n_unlinked;
  int64_t unlinked_ns, work_ns; /* sums of durations */
  Moments times[N_TYPES];       /* one value per lane */
  uint64_t n_all_events, n_all_unlinked;
  bool has_launches; /* a lane has */
} Timeline;

static int timeline_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level;
  Timeline *t = instance_new(Timeline, host, out_instance);
  if (!t) return -MILL_LIMIT;
  t->words.common = host->common;
  t->options = *(const Options *)options;
  t->correlation = symbol_of(host->common, "correlation");
  t->stream = symbol_of(host->common, "stream");
  launches_init(&t->launches, host->common);
  device_time_init(&t->device, host->common);
  return 0;
}

/* ---- what events are */

/* Of the categories that were asked for, if they were, is device work, and nothing else. */
static TorchKind kind_of(Timeline *t, const MillEvent *e)
{
  TorchKind kind = torch_kind(&t->words, e);
  if (!t->options.categories) return kind;
  uint8_t asked = symclass_get(&t->cats, e->cat);
  if (!asked) {
    asked = t->common->match_sym(t->common, t->options.categories, e->cat) ? ASKED : NOT_ASKED;
    symclass_put(t->common, &t->cats, e->cat, asked);
  }
  if (asked == ASKED) return torch_is_device(kind) ? kind : TORCH_KERNEL;
  return torch_is_device(kind) ? TORCH_WAIT : kind;
}

static bool matches(const Timeline *t, const MillPattern *pattern, MillSym name)
{
  return pattern && t->common->match_sym(t->common, pattern, name);
}

/* By the patterns, if there are some, else as in all stages. */
static TorchWork work_by_name(Timeline *t, MillSym name)
{
  TorchWork does = torch_work(&t->words, TORCH_KERNEL, name);
  const MillPattern *comm = t->options.communication, *memory = t->options.memcpy;
  if (comm ? matches(t, comm, name) : does == WORK_COMMUNICATION) return WORK_COMMUNICATION;
  if (memory ? matches(t, memory, name) : does == WORK_MEMORY) return WORK_MEMORY;
  return WORK_COMPUTATION;
}

static TorchWork work_of(Timeline *t, TorchKind kind, MillSym name)
{
  if (kind == TORCH_COPY || kind == TORCH_FILL) return torch_work(&t->words, kind, name);
  uint8_t known = symclass_get(&t->names, name);
  if (known) return (TorchWork)known;
  known = (uint8_t)work_by_name(t, name);
  symclass_put(t->common, &t->names, name, known);
  return (TorchWork)known;
}

/* It has a stream, but a category that nobody knows: work of a device, as it seems. */
static bool is_strange(const Timeline *t, const MillBatch *b, const MillEvent *e, TorchKind kind)
{
  int64_t stream;
  if (kind != TORCH_OTHER || t->options.categories || !mill_attr(b, e, t->stream)) return false;
  return !mill_attr_int(b, e, t->stream, &stream) || stream >= 0;
}

/* ---- events */

static bool has_time(const MillEvent *e) { return e->dur_ns >= 0 && !(e->flags & MILL_FLAG_NO_TS); }

/* The first category by name stands for all. */
static void add_strange(Timeline *t, const MillEvent *e)
{
  size_t len;
  Strange *s = &t->strange;
  const char *cat = t->common->symbol_text(t->common, e->cat, &len);
  if (s->events == 0 || strcmp(cat, t->common->symbol_text(t->common, s->cat, &len)) < 0)
    s->cat = e->cat;
  s->events++;
  if (has_time(e)) s->ns = add_clipped(s->ns, e->dur_ns);
}

static void count_unlinked(Timeline *t, const DeviceWork *work)
{
  t->n_unlinked++;
  t->unlinked_ns = add_clipped(t->unlinked_ns, work->end_ns - work->start_ns);
}

/* Id 0 is none. */
static bool take_work(Timeline *t, const DeviceWork *work)
{
  bool linked = work->id != 0 && launches_have(&t->launches, work->id);
  t->work_ns = add_clipped(t->work_ns, work->end_ns - work->start_ns);
  if (work->id == 0) count_unlinked(t, work);
  if (work->id != 0 && !linked && !launches_wait(&t->launches, work)) return false;
  return (t->options.linked_only && !linked) ||
         device_time_add(&t->device, work->does, work->start_ns, work->end_ns);
}

static bool take(Timeline *t, const MillBatch *b, const MillEvent *e)
{
  const TorchKind kind = kind_of(t, e);
  DeviceWork work = { 0 };
  if (!mill_attr_int(b, e, t->correlation, &work.id)) work.id = 0;
  if (is_strange(t, b, e, kind)) {
    add_strange(t, e);
    return true;
  }
  if (kind == TORCH_WAIT || kind == TORCH_DEVICE_RANGE) return true;
  if (!torch_is_device(kind)) return work.id == 0 || launches_add(&t->launches, work.id);
  if (!has_time(e)) return true;
  work.does = work_of(t, kind, e->name);
  work.start_ns = e->ts_ns;
  work.end_ns = interval_end(e->ts_ns, e->dur_ns);
  return take_work(t, &work);
}

static int timeline_process(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (b->events[i].kind == MILL_SLICE && !take(t, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

/* All launches are known now. */
static bool settle_waiting(Timeline *t)
{
  const Launches *l = &t->launches;
  bool fits = true;
  t->has_launches = l->n > 0;
  for (size_t i = 0; i < l->n_waiting && fits; i++) {
    const DeviceWork *work = &l->waiting[i];
    if (!launches_have(l, work->id))
      count_unlinked(t, work);
    else if (t->options.linked_only)
      fits = device_time_add(&t->device, work->does, work->start_ns, work->end_ns);
  }
  launches_clear(&t->launches);
  return fits;
}

static void note_unlinked(const Timeline *t)
{
  uint32_t number = t->options.linked_only ? NOTICE_LEFT_OUT : NOTICE_NO_LAUNCH;
  if (!t->options.linked_only && !t->has_launches) return;
  for (uint64_t i = 0; i < t->n_unlinked; i++)
    t->common->note(t->common, number, NULL, MILL_NO_EVENT, NULL, 0);
}

static void note_strange(const Timeline *t)
{
  const Strange *s = &t->strange;
  if (s->events == 0) return;
  double all_ns = (double)t->work_ns + (double)s->ns;
  const MillNamed values[] = {
    { "events", mill_int((int64_t)s->events) },
    { "category", mill_sym(s->cat) },
    { "share", mill_real(all_ns > 0 ? 100 * (double)s->ns / all_ns : 0) },
  };
  t->common->note(t->common, NOTICE_STRANGE, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

/* ---- the end of a lane */

static int timeline_flush(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  int64_t ns[N_DEVICE_TIMES];
  (void)b;
  if (!settle_waiting(t)) return -MILL_LIMIT;
  note_unlinked(t);
  note_strange(t);
  t->n_all_unlinked = t->n_unlinked;
  if (t->has_launches) moments_add(&t->times[UNLINKED], t->unlinked_ns);
  if (t->device.n_events == 0) {
    if (t->n_unlinked == 0)
      t->common->note(t->common, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
    return 0;
  }
  if (!device_time_measure(&t->device, t->options.micro_idle_ns, ns)) return -MILL_LIMIT;
  for (int i = 0; i < N_DEVICE_TIMES; i++) moments_add(&t->times[i], ns[i]);
  t->n_all_events = t->device.n_events;
  return 0;
}

/* ---- summaries */

static const StateField timeline_fields[] = {
  STATE_SUM(Timeline, n_all_events),
  STATE_SUM(Timeline, n_all_unlinked),
  STATE_MOST(Timeline, has_launches),
  STATE_PART(Timeline, times, moments_state),
};
static const StateType timeline_state = STATE_TYPE(Timeline, timeline_fields);
STATE_RESULT(Timeline, timeline_state)

/* ---- results */

/* The split of idleness is shown when there is a threshold. */
static bool is_shown(const Timeline *t, int type)
{
  if (type == UNLINKED) return t->times[UNLINKED].n > 0;
  return t->options.micro_idle_ns > 0 || (type != MICRO_IDLE && type != MACRO_IDLE);
}

static double share(__int128 part, __int128 whole)
{
  return whole > 0 ? (double)part / (double)whole * 100 : (double)NAN;
}

static const char *type_name(int type)
{
  const char *name = type == UNLINKED ? "unlinked_time" : device_time_names[type];
  return name;
}

typedef struct LaneRow {
  int64_t row;
  const char *type;
  int64_t time_ns;
  double share;
} LaneRow;

static int report_lane(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    if (!is_shown(t, i)) continue;
    const LaneRow row = {
      .row = ++position,
      .type = type_name(i),
      .time_ns = m->min,
      .share = share(m->sum, t->times[TOTAL].sum),
    };
    status = mill_row(t->host, TABLE_LANE, &row);
  }
  return status;
}

typedef struct MeanRow {
  int64_t row;
  const char *type;
  double mean_ns, share;
  int64_t min_ns, max_ns, ranks;
} MeanRow;

static int report_mean(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    double mean = 0;
    if (!is_shown(t, i) || !moments_mean(m, &mean)) continue;
    const MeanRow row = {
      .row = ++position,
      .type = type_name(i),
      .mean_ns = mean,
      .share = share(m->sum, t->times[TOTAL].sum),
      .min_ns = m->min,
      .max_ns = m->max,
      .ranks = (int64_t)m->n,
    };
    status = mill_row(t->host, TABLE_MEAN, &row);
  }
  return status;
}

/* Metrics are shares of one of the times in another; the rows of `metrics` are in the same
 * order. */
static const struct {
  int part, whole;
  const char *why_not;
} shares[] = {
  { BUSY, TOTAL, "there are no device events, or all of them are at one time" },
  { IDLE, TOTAL, "there are no device events, or all of them are at one time" },
  { COMPUTATION, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_COMM, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_MEMCPY, TOTAL, "there are no device events, or all of them are at one time" },
  { EXPOSED_COMM, TOTAL_COMM, "there is no communication on the device" },
};

static int report_metrics(Timeline *t)
{
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(shares) && status == 0; i++) {
    const Moments *whole = &t->times[shares[i].whole];
    double v = share(t->times[shares[i].part].sum, whole->sum);
    status = isnan(v) ? t->host->no_metric(t->host, i, NULL, shares[i].why_not)
                      : t->host->metric(t->host, i, NULL, mill_real(v), t->n_all_events);
  }
  return status;
}

static int report_unlinked(Timeline *t)
{
  const uint32_t count = MILL_COUNT(shares), time = count + 1;
  const Moments *ns = &t->times[UNLINKED];
  if (!t->has_launches) {
    const char *why = "no event of the host has a correlation id, as launches have";
    int status = t->host->no_metric(t->host, count, NULL, why);
    return status == 0 ? t->host->no_metric(t->host, time, NULL, why) : status;
  }
  uint64_t n = t->n_all_events + (t->options.linked_only ? t->n_all_unlinked : 0);
  int status = t->host->metric(t->host, count, NULL, mill_int((int64_t)t->n_all_unlinked), n);
  return status == 0 ? t->host->metric(t->host, time, NULL, mill_int(moments_sum(ns)), n) : status;
}

static int timeline_report(void *instance)
{
  Timeline *t = instance;
  return t->times[TOTAL].n ? report_lane(t) : 0;
}

static int timeline_report_run(void *instance)
{
  Timeline *t = instance;
  int status = report_mean(t);
  if (status == 0) status = report_metrics(t);
  return status == 0 ? report_unlinked(t) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, categories, "categories", "",
                    "Categories of device events; empty: the usual categories of device work"),
  MILL_REGEX_OPTION(
      Options, communication, "communication", "",
      "Names of communication; empty: kernels of the class COMM, as in kernel-summary"),
  MILL_REGEX_OPTION(Options, memcpy, "memcpy", "",
                    "Names of copies and fills, in addition to their categories; empty: kernels of "
                    "the class Memory, as in kernel-summary"),
  MILL_DURATION_OPTION(Options, micro_idle_ns, "micro-idle", "0",
                       "0:", "Count shorter gaps as micro idle time; 0: do not split idle time"),
  MILL_BOOL_OPTION(Options, linked_only, "linked-only", "false",
                   "Leave out device work that has no launch, as TraceLens does"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NOTICE_NOTHING, "{lane} has no device events", "gpu-timeline leaves it out",
      "choose other categories",
      "No slice has one of the categories of device events.  Traces of the host alone have none."),
  MILL_INFO(NOTICE_NO_LAUNCH, "{count} device event[|s] of {lane} [has|have] no launch",
            "gpu-timeline counts [it|them]",
            "leave [it|them] out, as TraceLens does: linked-only=true",
            "No host event has the same correlation id. Work that was launched before the trace "
            "began has no launch in it, and neither has work that the driver starts by itself."),
  MILL_INFO(NOTICE_LEFT_OUT, "{count} device event[|s] of {lane} [has|have] no launch",
            "gpu-timeline leaves [it|them] out", NULL,
            "No event of the host has the same correlation id, and linked-only=true leaves such "
            "device work out."),
  MILL_WARNING(
      NOTICE_STRANGE,
      "{events} slice[|s] of {lane} [has|have] a stream and an unknown category, such as "
      "{category}: {share} % of its device time",
      "tables of device work leave [it|them] out",
      "if [it is|they are] device work, name all its categories for gpu-timeline (categories=), or "
      "give [it|them] the category kernel",
      "stagemill recognises device work by its category: kernel, gpu_memcpy, gpu_memset, "
      "mtia_ccp_events, or an old spelling of these. A slice with a stream ran on a device. The "
      "share is of the sum of durations."),
};

static const MillColumn lane_columns[] = {
  MILL_COLUMN(LaneRow, row, "row", "count", 0, "Position in the table"),
  MILL_KEY_BRIEF(LaneRow, type, "type", NULL, "Kind of time"),
  MILL_COLUMN(LaneRow, time_ns, "time", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Length of the union of its intervals"),
  MILL_BRIEF(LaneRow, share, "share", "percent", "Of total_time"),
};
static const MillColumn mean_columns[] = {
  MILL_COLUMN(MeanRow, row, "row", "count", 0, "Position in the table"),
  MILL_KEY_BRIEF(MeanRow, type, "type", NULL, "Kind of time"),
  MILL_COLUMN(MeanRow, mean_ns, "mean", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean over ranks"),
  MILL_BRIEF(MeanRow, share, "share", "percent", "Share of the mean of total_time"),
  MILL_COLUMN(MeanRow, min_ns, "min", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Smallest over ranks"),
  MILL_COLUMN(MeanRow, max_ns, "max", "ns", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Largest over ranks"),
  MILL_COLUMN(MeanRow, ranks, "ranks", "count", 0, "Ranks with device events"),
};
static const MillTable tables[] = {
  [TABLE_LANE] = { .per = MILL_PER_LANE,
                   .name = "gpu-timeline",
                   .help = "Where the time of each rank's device went",
                   .order = "row",
                   .columns = MILL_ROWS(lane_columns) },
  [TABLE_MEAN] = { .per = MILL_PER_RUN,
                   .brief_rows = N_TYPES,
                   .name = "gpu-timeline-mean",
                   .help = "Where the time of the devices went, over ranks",
                   .order = "row",
                   .columns = MILL_ROWS(mean_columns) },
};

#define SHARE_METRIC(name_, better_, headline_, help_)                                           \
  {                                                                                              \
    .per = MILL_PER_RUN, .better = better_, .kind = MILL_REAL, .name = name_, .unit = "percent", \
    .headline = headline_, .help = help_                                                         \
  }
static const MillMetric metrics[] = {
  SHARE_METRIC("gpu_busy", MILL_HIGHER, MILL_HEADLINE_VALUE,
               "Share of the time from first to last device event in which any device event was "
               "running"),
  SHARE_METRIC("gpu_idle", MILL_LOWER, NULL,
               "Share of that time in which no device event was "
               "running"),
  SHARE_METRIC("gpu_computation", MILL_HIGHER, NULL,
               "Share of that time in which computation was running"),
  SHARE_METRIC("exposed_comm", MILL_LOWER, NULL,
               "Share of that time in which communication but no computation was running"),
  SHARE_METRIC("exposed_memcpy", MILL_LOWER, NULL,
               "Share of that time in which only copies and fills were running"),
  SHARE_METRIC("comm_not_hidden", MILL_LOWER, NULL,
               "Share of the communication time that computation did not hide"),
  { .per = MILL_PER_RUN,
    .better = MILL_NEITHER,
    .kind = MILL_INT,
    .name = "gpu_unlinked",
    .unit = "count",
    .help = "Device events that no event of the host launched" },
  { .per = MILL_PER_RUN,
    .better = MILL_NEITHER,
    .kind = MILL_INT,
    .name = "gpu_unlinked_time",
    .unit = "ns",
    .help = "Sum of the durations of device events that no event of the host launched" },
};
_Static_assert(MILL_COUNT(metrics) == MILL_COUNT(shares) + 2, "one metric for each share");

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_STACKED_BAR,
    .name = "torch-timeline",
    .title = "Where the device time went",
    .table = "gpu-timeline",
    .x = "rank",
    .y = "time",
    .series = "type",
    .where = "type=computation_time|exposed_comm_time|exposed_memcpy_time|idle_time" },
};

static const MillRead reads[] = {
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "stream", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.gpu-timeline", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = timeline_open,
  .process = timeline_process,
  .flush = timeline_flush,
  .report = timeline_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = timeline_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "gpu-timeline",
  .family = "torch",
  .version = "1.0.0",
  .tag = "GPUTL",
  .title = "Device time: computation, exposed communication and copies, idle",
  .help = "Splits the time of devices by unions of intervals: computation, communication and "
          "copies that computation does not hide, and idle time, for each rank and as a mean over "
          "ranks.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
