/* How much of their time kernels would have needed at best, by the compiler's log.  The first pass learns which kernels
 * each job ran and how long they took, and what the logs say; each job then takes the table that fits it best. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "kit/trace/counter.h"
#include "kit/devices/device.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "compute/lib/level.h"
#include "kit/text/symbol.h"
#include "kit/trace/stamps.h"
#include "util-notices.h"
#include "util-run.h"
#include "util-spans.h"

enum { TABLE_CATEGORIES, TABLE_UTILISATION };

#define PERCENT_UNITS 1e9 /* weights are whole numbers, so that they add up exactly */

typedef struct Options {
  double soc_mhz, core_mhz;
} Options;

typedef struct Utilisation {
  const MillStageHost *host;
  const MillHost *common;
  int64_t soc_hz, core_hz;
  DeviceWords words;
  StampReader stamps;
  UtilSeen seen;
  UtilRun run;
  UtilDecision decision;
  UtilResults results;
  UtilSpans spans;
  Level level;
  MillSym active_key, used_key, category_key;
} Utilisation;

static void open_counter(Utilisation *u)
{
  u->level = (Level){ .host = u->host,
                      .name = symbol_of(u->common, "PT Active"),
                      .key = symbol_of(u->common, "Percent"),
                      .per = PERCENT_UNITS,
                      .most = 100,
                      .beyond = 101 };
}

static int utilisation_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  const MillHost *common = host->common;
  const Options *o = options;
  (void)self;
  Utilisation *u = instance_new(Utilisation, host, out_instance);
  if (!u) return -MILL_LIMIT;
  u->soc_hz = stamps_hz(o->soc_mhz);
  u->core_hz = stamps_hz(o->core_mhz);
  device_open(&u->words, common);
  stamps_open(&u->stamps, common);
  u->active_key = symbol_of(common, "pt_active");
  u->used_key = symbol_of(common, "core used");
  u->category_key = symbol_of(common, "user_cat");
  open_counter(u);
  if (!util_results_open(&u->results, common)) return -MILL_LIMIT;
  if (level == MILL_RUN) {
    util_run_open(&u->run, common);
    return 0;
  }
  return util_seen_open(&u->seen, common) ? 0 : -MILL_LIMIT;
}

/* ------------------------------------------------------------- each kernel */

static bool is_kernel(Utilisation *u, const MillBatch *batch, const MillEvent *e)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) && device_computes(&u->words, e) &&
         device_has(&u->words, batch, e);
}

/* That of the slice, which `cycles` took from the stamps; they are asked only where it has none.  0: nobody knows. */
static int64_t time_of(Utilisation *u, const MillBatch *batch, const MillEvent *e)
{
  Stamps s;
  int64_t by;
  if (e->dur_ns > 0) return e->dur_ns;
  if (!stamps_read(&u->stamps, batch, e, &s) || !s.has[2] || !s.has[3]) return 0;
  if (__builtin_sub_overflow(s.cycles[3], s.cycles[2], &by) || by <= 0) return 0;
  return stamps_span_ns(u->soc_hz, by);
}

static bool observe_kernel(Utilisation *u, const MillBatch *batch, const MillEvent *e)
{
  int64_t time_ns = time_of(u, batch, e), end_ns = interval_end(e->ts_ns, time_ns);
  uint32_t kernel = util_kernels_number(&u->seen.kernels, batch, e);
  UtilJob *job = kernel == UTIL_NO_NAME ? NULL : util_jobs_of(&u->seen.jobs, batch, e);
  if (!job || time_ns == 0) return job != NULL;
  if (job->calls == 0 || e->ts_ns < job->first_ns) job->first_ns = e->ts_ns;
  if (job->calls == 0 || end_ns > job->last_ns) job->last_ns = end_ns;
  job->calls++;
  job->time_ns = add_clipped(job->time_ns, time_ns);
  return util_jobs_add_kernel(&u->seen.jobs, job, kernel);
}

static MillLane lane_of(const Utilisation *u)
{
  MillLane lane = { .size = sizeof lane, .rank = -1 };
  u->common->lane(u->common, MILL_NO_LANE, &lane);
  return lane;
}

static int utilisation_observe(void *instance, const MillBatch *batch)
{
  Utilisation *u = instance;
  int64_t rank = lane_of(u).rank;
  bool fits = true;
  for (uint32_t i = 0; i < batch->n_events && fits; i++) {
    const MillEvent *e = &batch->events[i];
    if (e->kind == MILL_RECORD)
      fits = util_tables_observe(&u->seen.tables, &u->seen.kernels.names, batch, e, rank);
    else if (is_kernel(u, batch, e))
      fits = observe_kernel(u, batch, e);
  }
  return fits ? 0 : -MILL_LIMIT;
}

/* -------------------------------------------------------------- the decision */

static int utilisation_save_observed(void *instance)
{
  Utilisation *u = instance;
  MillLane lane = lane_of(u);
  return util_seen_save(&u->seen, u->host, &lane) ? 0 : -MILL_LIMIT;
}

static int utilisation_merge_observed(void *instance)
{
  Utilisation *u = instance;
  return util_run_merge(&u->run, u->host) ? 0 : -MILL_LIMIT;
}

static int utilisation_decide_run(void *instance)
{
  Utilisation *u = instance;
  return util_run_decide(&u->run, u->core_hz) ? 0 : -MILL_LIMIT;
}

static int utilisation_save_decision(void *instance)
{
  Utilisation *u = instance;
  return util_run_save(&u->run, u->host) ? 0 : -MILL_LIMIT;
}

static void note_jobs(const Utilisation *u)
{
  const UtilJobs *jobs = &u->seen.jobs;
  if (jobs->n_jobs && !u->decision.has_table) mill_note(u->common, UTIL_NO_TABLE);
  for (uint32_t i = 0; i < jobs->n_jobs; i++) {
    const UtilJob *job = &jobs->jobs[i];
    if (job->doubts & UTIL_LOW) mill_note(u->common, UTIL_UNCERTAIN);
    if (job->doubts & UTIL_CLOSE) mill_note(u->common, UTIL_ALIKE);
    if (job->table && u->decision.tables[job->table - 1].autopilot)
      mill_note(u->common, UTIL_AUTOPILOT);
  }
  for (uint32_t i = 0; i < u->spans.hidden; i++) mill_note(u->common, UTIL_HIDDEN);
}

static int utilisation_load_decision(void *instance)
{
  Utilisation *u = instance;
  uint32_t lane = lane_of(u).index;
  if (!util_decision_load(&u->decision, u->host, lane, &u->seen, &u->results) ||
      !util_spans_make(&u->spans, u->common, &u->seen.jobs, &u->decision, u->core_hz))
    return -MILL_LIMIT;
  note_jobs(u);
  return 0;
}

/* ------------------------------------------------------------------ counters */

/* Of the first kernel; it is known before any sample is due. */
static bool find_track(Utilisation *u, const MillEvent *e)
{
  if (u->level.has_track) return true;
  u->level.track = counter_track(u->host, e);
  u->level.has_track = u->level.track != MILL_FAILED;
  return u->level.has_track;
}

static int emit_sample(Utilisation *u, MillBatch *batch, uint32_t after)
{
  const UtilSample *sample = &u->spans.samples[u->spans.next++];
  const Counter counter = { .ts_ns = sample->ts_ns,
                            .name = u->level.name,
                            .key = u->level.key,
                            .track = u->level.track,
                            .value = sample->percent };
  return counter_emit(u->host, batch, after, &counter) == MILL_FAILED ? -MILL_LIMIT : 0;
}

/* What is due before an event, of jobs and of kernels, in order of time; e NULL: all that is left. */
static int reach(Utilisation *u, MillBatch *batch, uint32_t after, const MillEvent *e)
{
  const UtilSpans *s = &u->spans;
  int status = 0;
  while (status >= 0 && s->next < s->n && (!e || s->samples[s->next].ts_ns < e->ts_ns)) {
    status = level_reach_time(&u->level, batch, after, s->samples[s->next].ts_ns);
    if (status >= 0) status = emit_sample(u, batch, after);
  }
  if (status < 0 || !e) return status;
  return level_reach_time(&u->level, batch, after, e->ts_ns);
}

/* -------------------------------------------------------------------- changes */

static int set_category(const Utilisation *u, MillBatch *batch, uint32_t index, MillSym category)
{
  MillEvent *e = &mill_events(batch)[index];
  if (e->cat) return u->host->set(u->host, batch, index, u->category_key, mill_sym(category));
  mill_set_cat(e, category);
  return 0;
}

static int set_share(Utilisation *u, MillBatch *batch, uint32_t index, double share)
{
  int status = u->host->set(u->host, batch, index, u->active_key, mill_real(share));
  return status < 0 ? status : u->host->set(u->host, batch, index, u->used_key, mill_bool(true));
}

static void note(const Utilisation *u, uint32_t number, const MillBatch *batch, uint32_t index)
{
  u->common->note(u->common, number, batch, index, NULL, 0);
}

static int open_level(Utilisation *u, const MillEvent *e, int64_t time_ns, double percent)
{
  MillEvent shown = *e;
  shown.dur_ns = time_ns;
  return level_open(&u->level, &shown, llround(percent * PERCENT_UNITS));
}

static int take_kernel(Utilisation *u, MillBatch *batch, uint32_t index, const UtilChosen *table,
                       const UtilCost *cost)
{
  const MillEvent *e = &batch->events[index];
  int64_t time_ns = time_of(u, batch, e), cycles = cost && time_ns ? cost->cycles : 0;
  UtilCategory *category = cost ? cost->category : table->other;
  if (!cost) note(u, UTIL_UNKNOWN, batch, index);
  util_results_add(&u->results, category, time_ns, cycles, cycles > 0);
  int status = set_category(u, batch, index, category->name);
  if (status < 0 || cycles == 0) return status;
  if (util_is_over(cycles, u->core_hz, time_ns)) note(u, UTIL_OVER, batch, index);
  status = set_share(u, batch, index, util_share(cycles, u->core_hz, time_ns));
  if (status < 0) return status;
  return open_level(u, &batch->events[index], time_ns, util_percent(cycles, u->core_hz, time_ns));
}

/* Of a job that has one ideal time for all of its kernels: each has its share. */
static int take_autopilot(Utilisation *u, MillBatch *batch, uint32_t index, const UtilChosen *table,
                          UtilJob *job)
{
  const MillEvent *e = &batch->events[index];
  int64_t time_ns = time_of(u, batch, e), end_ns = interval_end(e->ts_ns, time_ns);
  int64_t job_ns = util_job_time(job), cycles = job_ns ? table->cycles : 0;
  if (job->is_counted && e->ts_ns < job->seen_ns) note(u, UTIL_OVERLAPPING, batch, index);
  if (!job->is_counted && util_is_over(cycles, u->core_hz, job_ns))
    note(u, UTIL_OVER, batch, index);
  util_results_add(&u->results, table->total, time_ns, job->is_counted ? 0 : cycles, cycles > 0);
  if (!job->is_counted || end_ns > job->seen_ns) job->seen_ns = end_ns;
  job->is_counted = true;
  int status = set_category(u, batch, index, table->total->name);
  if (status < 0 || cycles == 0) return status;
  return set_share(u, batch, index, util_share(cycles, u->core_hz, job_ns));
}

static int take(Utilisation *u, MillBatch *batch, uint32_t index)
{
  const MillEvent *e = &batch->events[index];
  uint32_t kernel = util_kernels_number(&u->seen.kernels, batch, e);
  UtilJob *job = kernel == UTIL_NO_NAME ? NULL : util_jobs_of(&u->seen.jobs, batch, e);
  if (!job) return -MILL_LIMIT;
  if (!time_of(u, batch, e)) note(u, UTIL_NO_TIME, batch, index);
  if (!job->table) return 0;
  if (!find_track(u, e)) return -MILL_LIMIT;
  const UtilChosen *table = &u->decision.tables[job->table - 1];
  if (table->autopilot) return take_autopilot(u, batch, index, table, job);
  return take_kernel(u, batch, index, table, util_cost(&u->decision, job->table - 1, kernel));
}

static int utilisation_process(void *instance, MillBatch *batch)
{
  Utilisation *u = instance;
  int status = 0;
  for (uint32_t i = 0; i < batch->n_events && status >= 0 && u->decision.has_table; i++) {
    if (batch->events[i].flags & MILL_FLAG_NO_TS) continue;
    status = reach(u, batch, i > 0 ? i - 1 : MILL_AT_START, &batch->events[i]);
    if (status >= 0 && is_kernel(u, batch, &batch->events[i])) status = take(u, batch, i);
  }
  return status;
}

static int utilisation_flush(void *instance, MillBatch *batch)
{
  Utilisation *u = instance;
  int status = reach(u, batch, MILL_AT_END, NULL);
  return status < 0 ? status : level_finish(&u->level, batch);
}

/* -------------------------------------------------------------------- results */

static int utilisation_report(void *instance)
{
  Utilisation *u = instance;
  return util_results_report(&u->results, u->host, u->core_hz, TABLE_CATEGORIES, TABLE_UTILISATION);
}

static const StateField result_fields[] = { STATE_PART(Utilisation, results, util_results_state) };
static const StateType result_state = STATE_TYPE(Utilisation, result_fields);
STATE_RESULT(Utilisation, result_state)

static int utilisation_report_run(void *instance)
{
  const Utilisation *u = instance;
  return util_results_report_run(&u->results, u->host, u->core_hz);
}

/* ------------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  STAMPS_SOC_OPTION(Options, soc_mhz),
  STAMPS_CORE_OPTION(Options, core_mhz),
};

static const MillRead reads[] = {
  DEVICE_READS, STAMPS_READS, UTIL_JOBS_READS, UTIL_KERNELS_READS, UTIL_TABLES_READS,
};

static const MillColumn category_columns[] = {
  MILL_KEY_BRIEF(
      CategoryRow, phase, "phase", NULL,
      "Phase for which the program was compiled: TTFT, ITL, or UNKN if the log does not say"),
  MILL_KEY_BRIEF(CategoryRow, category, "category", NULL,
                 "Category of kernels in the log; Total: all kernels; other: kernels that the log "
                 "does not name"),
  MILL_BRIEF(CategoryRow, time_ns, "time", "ns", "Sum of the durations of kernels"),
  MILL_BRIEF(CategoryRow, share, "share", "percent", "Share of the kernel time of the phase"),
  MILL_COLUMN(CategoryRow, calls, "calls", "count", 0, "Kernels"),
  MILL_BRIEF(CategoryRow, ideal_time_ns, "ideal_time", "ns", "Ideal time of these kernels"),
  MILL_COLUMN(CategoryRow, ideal_cycles, "ideal_cycles", "count", 0,
              "Ideal time in cycles of the cores"),
  MILL_COLUMN(CategoryRow, ideal_share, "ideal_share", "percent", 0,
              "Share of the ideal time of the phase"),
  MILL_COLUMN(CategoryRow, pt, "pt", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Ideal time divided by time"),
};

static const MillColumn utilisation_columns[] = {
  MILL_COLUMN(UtilisationRow, pt, "pt", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Ideal time divided by the time of kernels that have one"),
  MILL_COLUMN(UtilisationRow, overall, "overall", "percent", MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,
              "Ideal time divided by the time of all kernels"),
  MILL_BRIEF(UtilisationRow, with_ideal_ns, "with_ideal", "ns",
             "Time of kernels that have an ideal time"),
  MILL_BRIEF(UtilisationRow, without_ideal_ns, "without_ideal", "ns", "Time of the other kernels"),
};

static const MillTable tables[] = {
  [TABLE_CATEGORIES] = { .per = MILL_PER_LANE,
                         .brief_rows = 12,
                         .name = "categories",
                         .help = "Time of kernels by category, and their ideal time",
                         .order = "phase,-time",
                         .columns = MILL_ROWS(category_columns) },
  [TABLE_UTILISATION] = { .per = MILL_PER_LANE,
                          .brief_rows = 8,
                          .name = "utilisation",
                          .help = "Ideal time of kernels as a share of their time",
                          .columns = MILL_ROWS(utilisation_columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_HIGHER,
    .kind = MILL_REAL,
    .name = "pt_utilisation",
    .unit = "percent",
    .help = "Ideal time divided by the time of kernels that have one in the compiler's log, over "
            "all ranks",
    .headline = MILL_HEADLINE_VALUE },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_BAR,
    .name = "categories",
    .title = "Kernel time by category",
    .table = "categories",
    .x = "category",
    .y = "time",
    .series = "phase",
    .facet = "rank",
    .where = "category!=Total" },
};

static const char *const needs[] = { "slices", "order.lane", "compiler.table", NULL };
static const char *const wants[] = { "clock.device", NULL };
static const char *const provides[] = { "attr.pt_active", "table.utilisation", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = utilisation_open,
  .observe = utilisation_observe,
  .save_observed = utilisation_save_observed,
  .merge_observed = utilisation_merge_observed,
  .decide_run = utilisation_decide_run,
  .save_decision = utilisation_save_decision,
  .load_decision = utilisation_load_decision,
  .process = utilisation_process,
  .flush = utilisation_flush,
  .report = utilisation_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = utilisation_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_MAY_EMIT | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "utilisation",
  .family = "compute",
  .version = "1.0.0",
  .tag = "UTIL",
  .title = "Compare kernels with their ideal time in the compiler's log",
  .help =
      "The log of the compiler (log=PATH) has the ideal number of cycles of each kernel. Kernels "
      "get the attribute pt_active, their ideal time divided by their time, and the category that "
      "the log gives them. The counter PT Active shows this share over time. Each job uses the "
      "table of the log that fits it best.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = { util_notices, UTIL_N_NOTICES, sizeof(MillNotice) },
  OWN_ROWS(reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
