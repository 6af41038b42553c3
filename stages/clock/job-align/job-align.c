/* Device events of a job that lie outside of the host's round trip are moved into it.
 * State of a lane: two ranges for each job. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <stdlib.h>
#include <string.h>

#include "job-align-ranges.h"
#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/trace/dialect.h"
#include "kit/trace/jobs.h"
#include "kit/trace/stamps.h"
#include "kit/state/state.h"
#include "kit/text/symbol.h"

enum { SHIFTED = 1, WIDER = 2, OVERLAPPING = 3, NO_ROUND_TRIP = 4 };

typedef struct Options {
  int64_t slack_ns;
} Options;

typedef struct JobAlign {
  const MillStageHost *host;
  const MillHost *common;
  int64_t slack_ns; /* 0: as in jobs that fit */
  StampReader stamps;
  Jobs jobs; /* to Job */
  MillSym round_trip, adjust_key;
  bool idle;
} JobAlign;

static int align_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level;
  JobAlign *a = instance_new(JobAlign, host, out);
  if (!a) return -MILL_LIMIT;
  a->slack_ns = ((const Options *)options)->slack_ns;
  stamps_open(&a->stamps, common);
  a->round_trip = symbol_of(common, "AIU Roundtrip");
  a->adjust_key = symbol_of(common, "ts_adj");
  a->idle = lane_names_device_work(common);
  return jobs_open(&a->jobs, common, sizeof(Job)) ? 0 : -MILL_LIMIT;
}

typedef enum Side { NEITHER, HOST, DEVICE } Side;

static Side side_of(JobAlign *a, const MillBatch *batch, const MillEvent *e)
{
  Stamps stamps;
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) return NEITHER;
  if (e->n_attrs > 0 && stamps_read(&a->stamps, batch, e, &stamps)) return DEVICE;
  return e->name == a->round_trip ? HOST : NEITHER;
}

static int align_observe(void *instance, const MillBatch *batch)
{
  JobAlign *a = instance;
  for (uint32_t i = 0; i < batch->n_events && !a->idle; i++) {
    const MillEvent *e = &batch->events[i];
    Side side = side_of(a, batch, e);
    if (side == NEITHER) continue;
    Job *job = jobs_of(&a->jobs, batch, e);
    if (!job) return -MILL_LIMIT;
    range_add(side == HOST ? &job->host : &job->device, e->ts_ns, e->dur_ns);
  }
  return 0;
}

static void note(const JobAlign *a, uint32_t number, const KeyedEntry *entry)
{
  const Job *job = entry->state;
  const MillNamed named[] = {
    { "job", entry->len ? mill_text(entry->key, entry->len) : mill_text("the rank", 8) },
    { "us", mill_real((double)job->offset_ns / 1000.0) },
  };
  a->common->note(a->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int by_size(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* The median of jobs that fit; 0: there is none.  False: memory was refused. */
static bool usual_slack(const JobAlign *a, const KeyedEntry *const *entries, uint32_t n,
                        int64_t *out_ns)
{
  int64_t *slacks = a->common->scratch(a->common, (n + (size_t)1) * sizeof *slacks);
  uint32_t n_slacks = 0;
  if (!slacks) return false;
  for (uint32_t i = 0; i < n; i++) n_slacks += job_slack(entries[i]->state, &slacks[n_slacks]);
  qsort(slacks, n_slacks, sizeof *slacks, by_size);
  *out_ns = n_slacks ? slacks[(n_slacks - 1) / 2] : 0;
  return true;
}

static int align_decide(void *instance)
{
  static const uint32_t numbers[] = {
    [JOB_FITS] = 0, [JOB_SHIFTED] = SHIFTED, [JOB_WIDER] = WIDER, [JOB_NO_HOST] = NO_ROUND_TRIP
  };
  JobAlign *a = instance;
  uint32_t n = keyed_count(a->jobs.states), n_over;
  const KeyedEntry *const *entries = keyed_sorted(a->jobs.states), *over = NULL;
  int64_t slack_ns = a->slack_ns;
  if (!entries || (!slack_ns && !usual_slack(a, entries, n, &slack_ns))) return -MILL_LIMIT;
  for (uint32_t i = 0; i < n; i++) {
    JobVerdict verdict = job_judge(entries[i]->state, slack_ns);
    if (numbers[verdict]) note(a, numbers[verdict], entries[i]);
  }
  if (!jobs_overlapping(a->common, entries, n, &n_over, &over)) return -MILL_LIMIT;
  for (uint32_t i = 0; i < n_over; i++) note(a, OVERLAPPING, over);
  return 0;
}

/* ---------------------------------------------------------------- decision */

static const StateField range_fields[] = {
  STATE_FIRST(JobRange, known),
  STATE_FIRST(JobRange, from_ns),
  STATE_FIRST(JobRange, to_ns),
};
static const StateType range_state = STATE_TYPE(JobRange, range_fields);

static const StateField job_fields[] = {
  STATE_PART(Job, host, range_state),
  STATE_PART(Job, device, range_state),
  STATE_FIRST(Job, offset_ns),
};
static const StateType job_state = STATE_TYPE(Job, job_fields);

static const StateField align_fields[] = { STATE_KEYED(JobAlign, jobs.states, job_state) };
static const StateType align_state = STATE_TYPE(JobAlign, align_fields);
STATE_DECISION(JobAlign, align_state)

/* ------------------------------------------------------------------ moving */

static int move(JobAlign *a, MillBatch *batch, uint32_t index)
{
  MillEvent *e = &mill_events(batch)[index];
  const Job *job = jobs_of(&a->jobs, batch, e);
  int64_t ts_ns;
  if (!job) return -MILL_LIMIT;
  if (job->offset_ns == 0 || __builtin_add_overflow(e->ts_ns, job->offset_ns, &ts_ns)) return 0;
  mill_set_ts(e, ts_ns);
  return a->host->set(a->host, batch, index, a->adjust_key,
                      mill_real((double)job->offset_ns / 1000.0));
}

static int align_process(void *instance, MillBatch *batch)
{
  JobAlign *a = instance;
  for (uint32_t i = 0; i < batch->n_events && !a->idle; i++) {
    if (side_of(a, batch, &batch->events[i]) != DEVICE) continue;
    int status = move(a, batch, i);
    if (status < 0) return status;
  }
  return 0;
}

static int64_t when(const JobRange *range, int64_t ns) { return range->known ? ns : MILL_NO_INT; }

static int64_t room_of(const Job *job)
{
  int64_t room_ns;
  return job_room(job, &room_ns) ? room_ns : MILL_NO_INT;
}

typedef struct JobAlignRow {
  MillText job;
  int64_t host_begin_ns, host_end_ns, device_begin_ns, device_end_ns, offset_ns, room_ns;
} JobAlignRow;

static int align_report(void *instance)
{
  const JobAlign *a = instance;
  const KeyedEntry *const *entries = keyed_sorted(a->jobs.states);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(a->jobs.states); i++) {
    const Job *job = entries[i]->state;
    const JobAlignRow row = {
      .job = { entries[i]->key, entries[i]->len },
      .host_begin_ns = when(&job->host, job->host.from_ns),
      .host_end_ns = when(&job->host, job->host.to_ns),
      .device_begin_ns = when(&job->device, job->device.from_ns),
      .device_end_ns = when(&job->device, job->device.to_ns),
      .offset_ns = job->offset_ns,
      .room_ns = room_of(job),
    };
    int status = mill_row(a->host, 0, &row);
    if (status < 0) return status;
  }
  return 0;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = align_open,
  .observe = align_observe,
  .decide = align_decide,
  .save_decision = save_decision,
  .load_decision = load_decision,
  .process = align_process,
  .report = align_report,
};

static const MillNotice notices[] = {
  MILL_INFO(
      SHIFTED,
      "device events of {count} job[|s] in {lane} were outside the host's round trip and were "
      "moved into it (first: {job}, by {us} us)",
      NULL, NULL,
      "The host saw the device work between the first begin and the last end of the job's AIU "
      "Roundtrip slices, but device events are before or after that: they were written with "
      "shifted times. The stage moved all device events of the job. The delay of the first one "
      "after the begin of the round trip is the option slack, else the median delay of jobs that "
      "fit, else 0. The column room of the table job-align is the limit of the error; ts_adj has "
      "the distance in microseconds."),
  MILL_WARNING(
      WIDER,
      "device events of {count} job[|s] in {lane} take longer than the host's round trip (first: "
      "{job})",
      "they do not fit into it and were not moved", "check soc-mhz with the stage freq",
      "The job's device events take longer than its AIU Roundtrip slices, so no shift can fit "
      "them. Single device events have wrong times, a wrong frequency stretches them, or round "
      "trips are missing from the trace."),
  MILL_WARNING(
      OVERLAPPING,
      "{count} job[|s] of {lane} [begins|begin] before an earlier one has ended (first: {job})",
      "jobs of one rank run one after the other, so their times contradict each other",
      "check that the files given for this rank are of one run",
      "After shifted jobs were moved, the round trip or the device events of a job still begin "
      "before those of an earlier job end. Files of different runs were given as one rank, the "
      "clocks of the recording processes differ, or device events are shifted within their round "
      "trip, which this stage cannot detect."),
  MILL_INFO(
      NO_ROUND_TRIP,
      "{count} job[|s] in {lane} [has|have] no AIU Roundtrip (first: {job}) and [was|were] not "
      "moved",
      NULL, NULL,
      "Slices named AIU Roundtrip show when the host saw the device work. The job has device "
      "events but no such slice: the tracer did not write it, or it was filtered."),
};

static const MillOption options[] = {
  MILL_DURATION_OPTION(Options, slack_ns, "slack", "0", "0:",
                       "Delay from the begin of the round trip to the first device event of a job; "
                       "0: as in jobs of the rank that fit"),
};

static const MillRead reads[] = { STAMPS_READS, JOBS_READS(MILL_KIND(MILL_SLICE)) };

static const MillColumn columns[] = {
  MILL_KEY(JobAlignRow, job, "job", NULL, "Name of the job; empty for events that name none"),
  MILL_COLUMN(JobAlignRow, host_begin_ns, "host_begin", "ns", 0, "Begin of its first round trip"),
  MILL_COLUMN(JobAlignRow, host_end_ns, "host_end", "ns", 0, "End of its last round trip"),
  MILL_COLUMN(JobAlignRow, device_begin_ns, "device_begin", "ns", 0,
              "Begin of its first device event, as written"),
  MILL_COLUMN(JobAlignRow, device_end_ns, "device_end", "ns", 0,
              "End of its last device event, as written"),
  MILL_COLUMN(JobAlignRow, offset_ns, "offset", "ns", 0, "Time added to its device events"),
  MILL_COLUMN(
      JobAlignRow, room_ns, "room", "ns", 0,
      "Time by which its round trips are longer than its device events: the limit of the offset's "
      "error"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "job-align",
    .help = "Times of jobs on host and device, and how their device events were moved",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.cycles", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const spoils[] = { "order.lane", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "job-align",
  .family = "clock",
  .version = "1.0.0",
  .tag = "JOBAL",
  .title = "Move device events of shifted jobs into the host's round trip",
  .help =
      "Device events of a job must be between the first begin and the last end of its AIU "
      "Roundtrip slices. If they are not but would fit, the stage moves all of them by the same "
      "distance, so that their delay is the same as in jobs that fit. The attribute ts_adj has the "
      "distance in microseconds. Put the stage before ovc and cycles, which use the host's times.",
  .needs = needs,
  .wants = wants,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
