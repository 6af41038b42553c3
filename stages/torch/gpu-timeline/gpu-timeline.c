/* How the time of a rank's device divides: computation, communication and copies that
 * computation does not hide, and idleness, by the lengths of unions of intervals (touching ones
 * join) in integer nanoseconds, all streams and devices of the rank together:
 *   computation = |comp|, exposed_comm = |comm - comp|, busy = |all|,
 *   exposed_memcpy = |memcpy - comp - comm|, total = last end - first start, idle = total - busy;
 * so the three and idle add up to total.
 * Events may come in any order.  Memory: up to 32 bytes for every interval of the unions, which
 * is every kernel where none touches the next. */
#include <stagemill/stage.h>
#include <string.h>

#include "lib/interval.h"
#include "lib/moments.h"
#include "lib/symclass.h"

enum { NOTICE_NOTHING = 1 };
enum { TABLE_LANE, TABLE_MEAN };
enum { OTHER = 1, COMPUTE = 2, COMM = 3, MEMCPY = 4, BY_NAME = 5 }; /* classes of symbols */
enum { SAVED_VERSION = 1 };

enum {
  COMPUTATION,
  EXPOSED_COMM,
  EXPOSED_MEMCPY,
  BUSY,
  IDLE,
  MICRO_IDLE,
  MACRO_IDLE,
  TOTAL,
  TOTAL_COMM,
  TOTAL_MEMCPY,
  N_TYPES
};
static const char *const type_names[N_TYPES] = {
  "computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time",
  "idle_time",        "micro_idle_time",   "macro_idle_time",     "total_time",
  "total_comm_time",  "total_memcpy_time",
};

typedef struct Options {
  const MillPattern *categories, *communication, *memcpy;
  int64_t micro_idle_ns;
} Options;

typedef struct Timeline {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  SymClass names, cats;
  IntervalSet comp, comm, copy;
  uint64_t n_events;
  int64_t first_ns, last_ns;
  Moments times[N_TYPES]; /* one value per lane */
  uint64_t n_all_events;
} Timeline;

static int out_of_memory(const Timeline *t)
{
  return mill_fail(t->common, MILL_LIMIT, "the device's intervals do not fit into memory",
                   "cut the trace (clean/limit)");
}

static int timeline_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out_instance)
{
  (void)self, (void)level;
  Timeline *t = mill_new(host->common, sizeof *t);
  if (!t) return -MILL_LIMIT;
  t->host = host;
  t->common = host->common;
  t->options = *(const Options *)options;
  t->comp.common = t->comm.common = t->copy.common = host->common;
  *out_instance = t;
  return 0;
}

/* ---- classes */

static uint8_t class_of_cat(Timeline *t, MillSym cat)
{
  uint8_t known = symclass_get(&t->cats, cat);
  if (known) return known;
  size_t len;
  const char *text = t->common->symbol_text(t->common, cat, &len);
  if (!t->options.categories || !t->common->match_sym(t->common, t->options.categories, cat))
    known = OTHER;
  else
    known = strcmp(text, "gpu_memcpy") == 0 || strcmp(text, "Memcpy") == 0 ? MEMCPY : BY_NAME;
  symclass_put(t->common, &t->cats, cat, known);
  return known;
}

static uint8_t class_of_name(Timeline *t, MillSym name)
{
  uint8_t known = symclass_get(&t->names, name);
  if (known) return known;
  if (t->options.communication && t->common->match_sym(t->common, t->options.communication, name))
    known = COMM;
  else if (t->options.memcpy && t->common->match_sym(t->common, t->options.memcpy, name))
    known = MEMCPY;
  else
    known = COMPUTE;
  symclass_put(t->common, &t->names, name, known);
  return known;
}

static IntervalSet *set_of(Timeline *t, const MillEvent *e)
{
  uint8_t class = class_of_cat(t, e->cat);
  if (class == BY_NAME) class = class_of_name(t, e->name);
  switch (class) {
  case COMPUTE: return &t->comp;
  case COMM: return &t->comm;
  case MEMCPY: return &t->copy;
  default: return NULL;
  }
}

static int timeline_process(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || e->dur_ns < 0 || (e->flags & MILL_FLAG_NO_TS)) continue;
    IntervalSet *set = set_of(t, e);
    if (!set) continue;
    int64_t end_ns = interval_end(e->ts_ns, e->dur_ns);
    if (t->n_events == 0 || e->ts_ns < t->first_ns) t->first_ns = e->ts_ns;
    if (t->n_events == 0 || end_ns > t->last_ns) t->last_ns = end_ns;
    t->n_events++;
    if (!interval_add(set, e->ts_ns, end_ns)) return out_of_memory(t);
  }
  return 0;
}

/* ---- the arithmetic, once per lane */

static bool measure(Timeline *t, int64_t ns[N_TYPES])
{
  const IntervalSet empty = { .common = t->common };
  IntervalSet comp_comm = empty, all = empty, comm_alone = empty, copy_alone = empty;
  interval_normalise(&t->comp);
  interval_normalise(&t->comm);
  interval_normalise(&t->copy);
  bool fits = interval_union(&t->comp, &t->comm, &comp_comm) &&
              interval_union(&comp_comm, &t->copy, &all) &&
              interval_subtract(&t->comm, &t->comp, &comm_alone) &&
              interval_subtract(&t->copy, &comp_comm, &copy_alone);
  if (__builtin_sub_overflow(t->last_ns, t->first_ns, &ns[TOTAL])) ns[TOTAL] = INT64_MAX;
  ns[COMPUTATION] = interval_length(&t->comp);
  ns[EXPOSED_COMM] = interval_length(&comm_alone);
  ns[EXPOSED_MEMCPY] = interval_length(&copy_alone);
  ns[BUSY] = interval_length(&all);
  ns[IDLE] = ns[TOTAL] - ns[BUSY];
  ns[MICRO_IDLE] = interval_gaps(&all, t->options.micro_idle_ns).below_ns;
  ns[MACRO_IDLE] = ns[IDLE] - ns[MICRO_IDLE];
  ns[TOTAL_COMM] = interval_length(&t->comm);
  ns[TOTAL_MEMCPY] = interval_length(&t->copy);
  interval_clear(&comp_comm);
  interval_clear(&all);
  interval_clear(&comm_alone);
  interval_clear(&copy_alone);
  return fits;
}

static int timeline_flush(void *instance, MillBatch *b)
{
  Timeline *t = instance;
  int64_t ns[N_TYPES];
  (void)b;
  if (t->n_events == 0) {
    t->common->note(t->common, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
    return 0;
  }
  if (!measure(t, ns)) return out_of_memory(t);
  for (int i = 0; i < N_TYPES; i++) moments_add(&t->times[i], ns[i]);
  t->n_all_events = t->n_events;
  return 0;
}

/* ---- summaries */

static int timeline_save_result(void *instance)
{
  Timeline *t = instance;
  t->host->put_int(t->host, SAVED_VERSION);
  t->host->put_int(t->host, (int64_t)t->n_all_events);
  for (int i = 0; i < N_TYPES; i++) moments_save(&t->times[i], t->host);
  return 0;
}

static int timeline_merge_result(void *instance)
{
  Timeline *t = instance;
  if (t->host->get_int(t->host) != SAVED_VERSION)
    return mill_fail(t->common, MILL_STAGE_FAILED, "the summary was made by another version", NULL);
  t->n_all_events += (uint64_t)t->host->get_int(t->host);
  for (int i = 0; i < N_TYPES; i++) {
    Moments more;
    moments_load(&more, t->host);
    moments_merge(&t->times[i], &more);
  }
  return 0;
}

/* ---- results */

/* The split of idleness is shown when there is a threshold. */
static bool is_shown(const Timeline *t, int type)
{
  return t->options.micro_idle_ns > 0 || (type != MICRO_IDLE && type != MACRO_IDLE);
}

static MillValue share(__int128 part, __int128 whole)
{
  return whole > 0 ? mill_real((double)part / (double)whole * 100) : mill_none();
}

static MillValue type_cell(int type)
{
  return mill_text(type_names[type], strlen(type_names[type]));
}

static int report_lane(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    if (!is_shown(t, i)) continue;
    const MillValue cells[] = { mill_int(++position), type_cell(i), mill_int(m->min),
                                share(m->sum, t->times[TOTAL].sum) };
    status = t->host->row(t->host, TABLE_LANE, cells, MILL_COUNT(cells));
  }
  return status;
}

static int report_mean(Timeline *t)
{
  int status = 0;
  int64_t position = 0;
  for (int i = 0; i < N_TYPES && status == 0; i++) {
    const Moments *m = &t->times[i];
    double mean = 0;
    if (!is_shown(t, i) || !moments_mean(m, &mean)) continue;
    const MillValue cells[] = { mill_int(++position),   type_cell(i),
                                mill_real(mean),        share(m->sum, t->times[TOTAL].sum),
                                mill_int(m->min),       mill_int(m->max),
                                mill_int((int64_t)m->n) };
    status = t->host->row(t->host, TABLE_MEAN, cells, MILL_COUNT(cells));
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
    MillValue v = share(t->times[shares[i].part].sum, whole->sum);
    status = v.type == MILL_NONE ? t->host->no_metric(t->host, i, NULL, shares[i].why_not)
                                 : t->host->metric(t->host, i, NULL, v, t->n_all_events);
  }
  return status;
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
  return status == 0 ? report_metrics(t) : status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_REGEX_OPTION(Options, categories, "categories",
                    "^(kernel|gpu_memcpy|gpu_memset|mtia_ccp_events|Kernel|Memcpy|Memset)$",
                    "Categories of device events"),
  MILL_REGEX_OPTION(Options, communication, "communication", "(?i)nccl|rccl|cross_device_reduce",
                    "Names of communication"),
  MILL_REGEX_OPTION(Options, memcpy, "memcpy", "^MEMORY_COPY_|^__amd_rocclr_copyBuffer",
                    "Names of copies, besides the categories gpu_memcpy and Memcpy"),
  MILL_DURATION_OPTION(Options, micro_idle_ns, "micro-idle", "0",
                       "0:", "Gaps shorter than this are micro idleness; 0: idleness is not split"),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NOTICE_NOTHING, "{lane} has no device events", "it has no gpu-timeline",
      "choose other categories",
      "No slice has one of the categories of device events.  Traces of the host alone have none."),
};

static const MillColumn lane_columns[] = {
  MILL_COLUMN("row", "count", MILL_INT, "Position in the table"),
  { "type", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "What the time was spent on" },
  MILL_BRIEF("time", "ns", MILL_INT, "Length of the union of its intervals"),
  MILL_BRIEF("share", "percent", MILL_REAL, "Of total_time"),
};
static const MillColumn mean_columns[] = {
  MILL_COLUMN("row", "count", MILL_INT, "Position in the table"),
  { "type", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "What the time was spent on" },
  MILL_BRIEF("mean", "ns", MILL_REAL, "Mean over ranks"),
  MILL_BRIEF("share", "percent", MILL_REAL, "Of the mean of total_time"),
  MILL_BRIEF("min", "ns", MILL_INT, "Smallest over ranks"),
  MILL_BRIEF("max", "ns", MILL_INT, "Largest over ranks"),
  MILL_COLUMN("ranks", "count", MILL_INT, "Ranks with device events"),
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

#define SHARE_METRIC(name_, better_, help_)                                                      \
  {                                                                                              \
    .per = MILL_PER_RUN, .better = better_, .kind = MILL_REAL, .name = name_, .unit = "percent", \
    .help = help_                                                                                \
  }
static const MillMetric metrics[] = {
  SHARE_METRIC("gpu_busy", MILL_HIGHER,
               "Share of the time from first to last device event in which any was running"),
  SHARE_METRIC("gpu_idle", MILL_LOWER, "Share of that time in which none was running"),
  SHARE_METRIC("gpu_computation", MILL_HIGHER,
               "Share of that time in which computation was running"),
  SHARE_METRIC("exposed_comm", MILL_LOWER,
               "Share of that time in which communication but no computation was running"),
  SHARE_METRIC("exposed_memcpy", MILL_LOWER,
               "Share of that time in which only copies were running"),
  SHARE_METRIC("comm_not_hidden", MILL_LOWER,
               "Share of the communication time that computation did not hide"),
};
_Static_assert(MILL_COUNT(metrics) == MILL_COUNT(shares), "one metric for each share");

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "gpu-timeline",
    .title = "Where the device time went",
    .table = "gpu-timeline",
    .x = "rank",
    .y = "time",
    .series = "type" },
};

static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "table.gpu-timeline", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = timeline_open,
  .process = timeline_process,
  .flush = timeline_flush,
  .report = timeline_report,
  .save_result = timeline_save_result,
  .merge_result = timeline_merge_result,
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
  .help = "Unions of the intervals of device work: what computed, what communicated or copied "
          "without being hidden, and what was idle, for each rank and as a mean over ranks.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
