/* One clock for all ranks: offset and drift of each from the ends of matched collectives, or from the
 * largest stamps of groups.
 * The end of a collective kernel is taken as simultaneous on its ranks; a transfer
 * ends at its receiver one latency after it does at its sender, the same latency
 * for all. Limits: 65,536 marks per lane; drift is one straight line per run;
 * repetitions of a key are matched in order, and only when their numbers agree. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/trace/transfer.h"
#include "kit/text/words.h"
#include "rank-sync-groups.h"
#include "rank-sync-keys.h"
#include "rank-sync-latency.h"
#include "rank-sync-match.h"
#include "rank-sync-move.h"
#include "rank-sync-save.h"
#include "rank-sync-tight.h"

enum {
  UNTIED = 1,
  TOO_MANY = 2,
  STEEP = 3,
  ONE_SIDED = 4,
  LACKS_GROUPS = 5,
  NO_STAMPS = 6,
  NO_MARKS = 7
};

typedef struct Options {
  int64_t method;
  double soc_mhz;
  MillList by;
} Options;

typedef struct RankSync {
  const MillStageHost *host;
  const MillHost *common;
  uint32_t method;
  int64_t hz;
  SyncKeys keys;
  StampReader stamps;
  SyncRun run; /* of a lane: its own marks; of the run: all lanes */
  SyncKey key;
  /* Of a lane, once the decision is loaded: */
  bool decided, matched, any_marks;
  int64_t reference_rank, rms_ns, max_ns, missing;
  SyncMove move;
} RankSync;

/* A lane whose base nobody knows is taken to begin at 0. */
static MillLane lane_of(const RankSync *sync)
{
  MillLane lane = { .size = sizeof lane };
  sync->common->lane(sync->common, MILL_NO_LANE, &lane);
  if (lane.base_ns == MILL_NO_BASE) lane.base_ns = 0;
  return lane;
}

static int sync_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out)
{
  const Options *o = options;
  (void)self;
  RankSync *sync = instance_new(RankSync, host, out);
  if (!sync) return -MILL_LIMIT;
  sync->run = (SyncRun){ .common = host->common, .keys = { .common = host->common } };
  sync->method = (uint32_t)o->method;
  sync->hz = stamps_hz(o->soc_mhz);
  sync_keys_open(&sync->keys, host->common);
  stamps_open(&sync->stamps, host->common);
  if (level == MILL_RUN) return 0;
  MillLane lane = lane_of(sync);
  return sync_run_add(&sync->run, lane.index, lane.rank) ? 0 : -MILL_LIMIT;
}

/* The largest stamps of each group. */
static int observe_group(RankSync *sync, const MillBatch *batch, uint32_t index)
{
  const MillEvent *e = &batch->events[index];
  SyncPart *part = &sync->run.parts[0];
  char number[DIGITS_MAX];
  size_t len, name_len;
  Stamps stamps;
  if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS || e->n_attrs == 0) return 0;
  const MillAttr *attr = mill_attr(batch, e, sync->keys.group);
  const char *group_name = transfer_text(sync->common, batch, attr, number, &len);
  if (!group_name || !stamps_read(&sync->stamps, batch, e, &stamps)) return 0;
  if (part->n_groups >= SYNC_MARKS_MAX && !keyed_find(sync->run.keys.numbers, group_name, len)) {
    sync->common->note(sync->common, TOO_MANY, batch, index, NULL, 0);
    return 0;
  }
  SyncGroup *group = sync_group(&sync->run, part, group_name, len);
  if (!group) return -MILL_LIMIT;
  const char *name = sync->common->symbol_text(sync->common, e->name, &name_len);
  group->tree |= words_have(name, name_len, "AllReduce_all_reduce");
  sync_group_see(group, sync->hz, &stamps, e);
  return 0;
}

static int observe_mark(RankSync *sync, const MillBatch *batch, uint32_t index, int64_t rank)
{
  const MillEvent *e = &batch->events[index];
  SyncPart *part = &sync->run.parts[0];
  if (!sync_keys_find(&sync->keys, batch, e, rank, &sync->key)) return 0;
  if (part->n_marks >= SYNC_MARKS_MAX) {
    sync->common->note(sync->common, TOO_MANY, batch, index, NULL, 0);
    return 0;
  }
  int64_t end_ns = e->ts_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->ts_ns + e->dur_ns;
  bool added =
      sync_part_add(&sync->run, part, sync->key.text, sync->key.len, sync->key.role, end_ns);
  return added ? 0 : -MILL_LIMIT;
}

static int sync_observe(void *instance, const MillBatch *batch)
{
  RankSync *sync = instance;
  int64_t rank = lane_of(sync).rank;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    int status = sync->method == SYNC_FIT ? observe_mark(sync, batch, i, rank)
                                          : observe_group(sync, batch, i);
    if (status < 0) return status;
  }
  return 0;
}

static int sync_save_observed(void *instance)
{
  RankSync *sync = instance;
  const MillLane lane = lane_of(sync);
  SyncRun absolute;
  if (!sync_run_absolute(&sync->run, &lane, &absolute)) return -MILL_LIMIT;
  state_save(sync->host, &sync_run_state, &absolute);
  return 0;
}

static int sync_save_decision(void *instance)
{
  const RankSync *sync = instance;
  SyncDecision decision;
  if (!sync_decision_make(&sync->run, &decision)) return -MILL_LIMIT;
  state_save(sync->host, &sync_decision_state, &decision);
  return 0;
}

static int sync_merge_observed(void *instance)
{
  RankSync *sync = instance;
  SyncRun *run = &sync->run;
  uint32_t i = run->n_parts;
  bool fits = state_merge(sync->host, &sync_run_state, run);
  for (; i < run->n_parts && fits; i++) fits = sync_groups_index(run, &run->parts[i]);
  return fits ? 0 : -MILL_LIMIT;
}

static int sync_decide_run(void *instance)
{
  RankSync *sync = instance;
  if (sync->run.n_parts < 2) {
    sync->run.reference = sync->run.n_parts;
    return 0;
  }
  bool done = false;
  switch (sync->method) {
  case SYNC_FIT: done = sync_run_align(&sync->run) && sync_run_balance(&sync->run); break;
  case SYNC_TIGHT: done = sync_run_tight(&sync->run, sync->hz); break;
  default: done = sync_run_v2(&sync->run, sync->hz);
  }
  return done ? 0 : -MILL_LIMIT;
}

static void take_verdict(RankSync *sync, const SyncVerdict *v)
{
  sync->decided = true;
  sync->matched = v->matched;
  sync->move = (SyncMove){ .line = { .origin_ns = v->origin_ns,
                                     .offset_ns = v->offset_ns,
                                     .drift = v->drift,
                                     .latency_ns = v->latency_ns,
                                     .pairs = v->pairs,
                                     .rejected = v->rejected,
                                     .one_sided = v->one_sided,
                                     .steep = v->steep },
                           .place = v->place,
                           .base_ns = lane_of(sync).base_ns,
                           .hz = sync->hz,
                           .method = sync->method };
  sync->rms_ns = v->rms_ns;
  sync->max_ns = v->max_ns;
  sync->missing = v->missing;
}

static void note_times(const RankSync *sync, uint32_t number, int64_t n)
{
  for (int64_t i = 0; i < n; i++) mill_note(sync->common, number);
}

static int sync_load_decision(void *instance)
{
  RankSync *sync = instance;
  const MillLane lane = lane_of(sync);
  SyncDecision decision = { .n = 0 };
  if (!state_load(sync->host, &sync_decision_state, &decision)) return -MILL_LIMIT;
  sync->reference_rank = decision.reference_rank;
  for (uint32_t i = 0; i < decision.n; i++) {
    const SyncVerdict *v = &decision.verdicts[i];
    sync->any_marks |= v->any_marks != 0;
    if (v->lane == lane.index) take_verdict(sync, v);
  }
  array_free(sync->common, decision.verdicts);
  if (decision.n < 2) {
    sync->decided = false;
    return 0;
  }
  if (!sync->matched) mill_note(sync->common, sync->any_marks ? UNTIED : NO_MARKS);
  note_times(sync, STEEP, sync->move.line.steep);
  note_times(sync, ONE_SIDED, sync->move.line.one_sided);
  note_times(sync, LACKS_GROUPS, sync->missing);
  return 0;
}

/* True when the event is where its stamps belong. */
static bool move_device(RankSync *sync, MillBatch *batch, uint32_t index)
{
  MillEvent *e = &mill_events(batch)[index];
  Stamps stamps;
  if (sync->method == SYNC_FIT || e->kind != MILL_SLICE || e->n_attrs == 0) return false;
  if (!stamps_read(&sync->stamps, batch, e, &stamps)) return false;
  if (sync_move_device(&sync->move, &stamps, e)) return true;
  sync->common->note(sync->common, NO_STAMPS, batch, index, NULL, 0);
  return false;
}

static int sync_process(void *instance, MillBatch *batch)
{
  const uint32_t untimed = MILL_KIND(MILL_META) | MILL_KIND(MILL_RECORD);
  RankSync *sync = instance;
  bool stays = sync->move.line.offset_ns == 0 && sync->move.line.drift == 0;
  if (!sync->matched || (stays && sync->method == SYNC_FIT)) return 0;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    MillEvent *e = &mill_events(batch)[i];
    if (e->flags & MILL_FLAG_NO_TS || MILL_KIND(e->kind) & untimed) continue;
    if (!move_device(sync, batch, i) && !stays) sync_move(&sync->move, e);
  }
  return 0;
}

typedef struct RankSyncRow {
  int64_t reference, offset_ns;
  double drift;
  int64_t pairs, rejected, residual_rms_ns, residual_max_ns, latency_ns;
} RankSyncRow;

static int sync_report(void *instance)
{
  const RankSync *sync = instance;
  const SyncLine *line = &sync->move.line;
  if (!sync->decided) return 0;
  bool fitted = sync->matched && line->pairs > 0 && sync->method == SYNC_FIT;
  const RankSyncRow row = {
    .reference = sync->matched ? sync->reference_rank : MILL_NO_INT,
    .offset_ns = sync->matched ? line->offset_ns : MILL_NO_INT,
    .drift = sync->matched ? sync_drift_ppm(line) : (double)NAN,
    .pairs = line->pairs,
    .rejected = line->rejected,
    .residual_rms_ns = fitted ? sync->rms_ns : MILL_NO_INT,
    .residual_max_ns = fitted ? sync->max_ns : MILL_NO_INT,
    .latency_ns = fitted && line->latency_ns != 0 ? line->latency_ns : MILL_NO_INT,
  };
  return mill_row(sync->host, 0, &row);
}

static int sync_report_run(void *instance)
{
  const RankSync *sync = instance;
  const MillStageHost *host = sync->host;
  double squares = 0, max = 0;
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < sync->run.n_parts; i++) {
    const SyncLine *line = &sync->run.parts[i].line;
    squares += line->residual_rms_ns * line->residual_rms_ns * (double)line->pairs;
    if (line->residual_max_ns > max) max = line->residual_max_ns;
    pairs += (uint64_t)line->pairs;
  }
  if (pairs == 0 || sync->method != SYNC_FIT) {
    const char *reason = pairs ? "only the method fit has residuals" : "no matched collectives";
    int status = host->no_metric(host, 0, "rms", reason);
    return status < 0 ? status : host->no_metric(host, 0, "max", reason);
  }
  int status = host->metric(host, 0, "rms", mill_real(sqrt(squares / (double)pairs)), pairs);
  return status < 0 ? status : host->metric(host, 0, "max", mill_real(max), pairs);
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sync_open,
  .observe = sync_observe,
  .process = sync_process,
  .report = sync_report,
  .save_observed = sync_save_observed,
  .merge_observed = sync_merge_observed,
  .decide_run = sync_decide_run,
  .save_decision = sync_save_decision,
  .load_decision = sync_load_decision,
  .report_run = sync_report_run,
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(
      Options, method, "method", "fit", "fit|tight|v2",
      "fit: offset and drift by least squares over matched collectives; tight, v2: by the largest "
      "stamps of groups, as the AIU trace analyser does"),
  STAMPS_SOC_OPTION(Options, soc_mhz),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      UNTIED, "{lane} shares no collective with the other ranks; its clock was not changed",
      "its events may be earlier or later than those of other ranks by any amount",
      "record the arguments of collectives; else do not compare times of this rank with others",
      "Clocks are compared by collectives that two ranks took part in: transfers with a [sync=] "
      "name, CollGroup, Type and Peer, or kernels with Process Group Name and Collective name. "
      "This input has no collective that matches one of another input: it ran none, the profiler "
      "did not record their arguments, or the traces cover different times. If a name occurs "
      "several times, both sides must have the same number of them."),
  MILL_INFO(
      TOO_MANY,
      "{count} collective[|s] of {lane} beyond the first 65,536 [was|were] not used for its clock",
      NULL, NULL,
      "Memory for collectives is limited. The line through the first 65,536 is used for the rest "
      "of the trace; a later change of the clock's rate is not seen."),
  MILL_WARNING(
      STEEP,
      "the clock of {lane} seems to drift by more than 1,000 ppm; only its offset was corrected",
      "its times are right near the middle of the collectives and wrong elsewhere",
      "look at residual_max in the table rank-sync, or add --disable rank-sync",
      "No clock of a computer drifts this much. Probably repeats of a collective were matched "
      "wrongly, or a clock was set during the run. Check residual_max in the table rank-sync."),
  MILL_INFO(ONE_SIDED,
            "transfers of {lane} go in one direction only; its offset includes their latency",
            "its clock may be wrong by the latency of a transfer", NULL,
            "Transfers in both directions, or around a ring of ranks, separate latency from "
            "offset. With one direction, only the sum of both is known."),
  MILL_WARNING(
      LACKS_GROUPS, "{count} group[|s] of collectives [is|are] missing in {lane}",
      "ranks are aligned by the groups that all of them have",
      "check that the traces cover the same time, or use --set rank-sync.method=fit",
      "The methods tight and v2 use a group only if every rank has events of it with the stamps "
      "TS2 and TS5. The reference has them, this rank lacks them: its trace begins later or ends "
      "earlier, events were filtered, or it is not a member. If no group is left, no rank is "
      "moved. The method fit needs only pairs of ranks."),
  MILL_WARNING(
      NO_STAMPS,
      "{count} device event[|s] in {lane} [lacks|lack] TS5 or the stamp at [its|their] begin",
      "[it was|they were] moved like the host's events",
      "use --set rank-sync.method=fit, which needs no stamps",
      "The methods tight and v2 place a device event by its stamps. These events lack a stamp, so "
      "they were moved like the host's tracks."),
  MILL_INFO(
      NO_MARKS, "{lane} and the other ranks have no collectives; its clock was not changed",
      "ranks are placed by the clocks of their hosts", NULL,
      "The stage compares clocks by collectives of two ranks. No rank of this run has any: it ran "
      "none, or the profiler did not record their arguments."),
};

static const MillRead reads[] = {
  { "CollGroup", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Type", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Peer", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Peers", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Collective name", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Process Group Name", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Process Group Ranks", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Seq", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  STAMPS_READS,
};

static const MillColumn columns[] = {
  MILL_COLUMN(RankSyncRow, reference, "reference", NULL, 0,
              "Rank whose clock was kept; empty for an input without matches"),
  MILL_BRIEF(RankSyncRow, offset_ns, "offset", "ns",
             "This clock minus the reference at its first matched collective"),
  MILL_BRIEF(RankSyncRow, drift, "drift", "ppm",
             "How much faster this clock runs; 0 if the difference is not certain"),
  MILL_BRIEF(RankSyncRow, pairs, "pairs", "count",
             "Number of matched collectives or transfers used; for tight and v2, of groups"),
  MILL_COLUMN(RankSyncRow, rejected, "rejected", "count", 0,
              "Number of matched ones left out as outliers; for tight and v2, of groups missing "
              "here"),
  MILL_COLUMN(RankSyncRow, residual_rms_ns, "residual_rms", "ns",
              MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Root mean square distance of the pairs from the line"),
  MILL_COLUMN(RankSyncRow, residual_max_ns, "residual_max", "ns", MILL_COLUMN_LOWER,
              "Largest distance of a pair from the line"),
  MILL_COLUMN(RankSyncRow, latency_ns, "latency", "ns", 0,
              "Latency of one direction, from transfers in both directions"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 8,
    .name = "rank-sync",
    .help = "Clock of each rank against the reference",
    .columns = MILL_ROWS(columns) },
};

static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_REAL,
    .name = "rank_sync_residual",
    .unit = "ns",
    .stats = "rms,max",
    .help =
        "Distance of matched collectives from the lines that align the clocks, over all ranks" },
};

static const char *const wants[] = { "slices", "clock.unwrapped", "clock.device", NULL };
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "clock.shared", NULL };
static const char *const spoils[] = { "order.lane", "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .options_size = sizeof(Options),
  .name = "rank-sync",
  .family = "clock",
  .version = "1.0.0",
  .tag = "SYNC",
  .title = "Align the clocks of all ranks by matched collectives",
  .help = "Every rank has its own clock. Collectives that several ranks took part in show the "
          "difference of the clocks. For each rank, the stage fits offset and drift to the ends of "
          "matched collectives, without outliers, and moves all events, host and device alike. "
          "Ranks that share no collective with the reference are linked over other ranks if "
          "possible. The methods tight and v2 use the largest stamps of groups of collectives, as "
          "the AIU trace analyser does.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  OWN_ROWS(options, notices, reads, tables, metrics),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
