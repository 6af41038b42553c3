/* One clock for all ranks: offset and drift of each from the ends of matched collectives.
 * The end of a collective kernel is taken as simultaneous on its ranks; a transfer
 * ends at its receiver one latency after it does at its sender, the same latency
 * for all. Limits: 65,536 marks per lane; drift is one straight line per run;
 * repetitions of a key are matched in order, and only when their numbers agree. */
#include <stagemill/stage.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"
#include "rank-sync-keys.h"
#include "rank-sync-latency.h"
#include "rank-sync-match.h"

enum { UNTIED = 1, TOO_MANY = 2, STEEP = 3, ONE_SIDED = 4 };
enum { STATE_VERSION = 1 };

typedef struct Options {
  int64_t method;
} Options;

typedef struct RankSync {
  const MillStageHost *host;
  const MillHost *common;
  SyncKeys keys;
  SyncRun run; /* of a lane: its own marks; of the run: all lanes */
  SyncKey key;
  /* Of a lane, once the decision is loaded: */
  bool decided, matched;
  int64_t reference_rank, rms_ns, max_ns;
  SyncLine line;
  int64_t base_ns;
  int64_t last_ts_ns, last_moved_ns; /* the event before, to keep strict order strict */
  bool has_last;
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
  (void)self, (void)options;
  RankSync *sync = mill_new(host->common, sizeof *sync);
  if (!sync || !sync_run_open(&sync->run, host->common)) return -MILL_LIMIT;
  sync->host = host;
  sync->common = host->common;
  *out = sync;
  sync_keys_open(&sync->keys, host->common);
  if (level == MILL_RUN) return 0;
  MillLane lane = lane_of(sync);
  return sync_run_add(&sync->run, lane.index, lane.rank) ? 0 : -MILL_LIMIT;
}

static int sync_observe(void *instance, const MillBatch *batch)
{
  RankSync *sync = instance;
  SyncPart *part = &sync->run.parts[0];
  int64_t rank = lane_of(sync).rank;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    const MillEvent *e = &batch->events[i];
    if (!sync_keys_find(&sync->keys, batch, e, rank, &sync->key)) continue;
    if (part->n_marks >= SYNC_MARKS_MAX) {
      sync->common->note(sync->common, TOO_MANY, batch, i, NULL, 0);
      continue;
    }
    int64_t end_ns = e->ts_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->ts_ns + e->dur_ns;
    if (!sync_part_add(&sync->run, part, sync->key.text, sync->key.len, sync->key.role, end_ns))
      return -MILL_LIMIT;
  }
  return 0;
}

/* Repetitions of one key in a lane become keys of their own, "key#2/3", so that
 * they match in order where all sides have the same number of them. */
static void put_key(RankSync *sync, uint32_t key, uint32_t index, uint32_t count)
{
  char *text = sync->key.text;
  const char *name = sync->run.by_number[key]->key;
  size_t len = sync->run.by_number[key]->len;
  if (count == 1 || len > SYNC_KEY_MAX - 2 * DIGITS_MAX - 2) {
    sync->host->put_text(sync->host, name, len);
    return;
  }
  memcpy(text, name, len);
  text[len++] = '#';
  len += digits_write(text + len, index + 1);
  text[len++] = '/';
  len += digits_write(text + len, count);
  sync->host->put_text(sync->host, text, len);
}

static uint32_t repetitions(const SyncPart *part, uint32_t first)
{
  const SyncMark *mark = &part->marks[first];
  uint32_t n = 1;
  while (first + n < part->n_marks && part->marks[first + n].key == mark->key &&
         part->marks[first + n].role == mark->role)
    n++;
  return n;
}

/* Times are put on the absolute scale here: a lane's base may come after its events. */
static void put_part(RankSync *sync, SyncPart *part)
{
  const MillStageHost *host = sync->host;
  MillLane lane = lane_of(sync);
  sync_part_sort(part);
  host->put_int(host, part->lane);
  host->put_int(host, lane.rank);
  host->put_int(host, part->n_marks);
  for (uint32_t i = 0, count; i < part->n_marks; i += count) {
    count = repetitions(part, i);
    for (uint32_t k = 0; k < count; k++) {
      int64_t at_ns = 0;
      bool fits =
          mill_abs_ts(&lane, part->marks[i + k].at_ns, &at_ns) && llabs(at_ns) < INT64_MAX / 4;
      put_key(sync, part->marks[i].key, k, count);
      host->put_int(host, part->marks[i + k].role);
      host->put_int(host, fits);
      host->put_int(host, fits ? at_ns : 0);
    }
  }
}

static int sync_save_observed(void *instance)
{
  RankSync *sync = instance;
  const MillStageHost *host = sync->host;
  host->put_int(host, STATE_VERSION);
  host->put_int(host, sync->run.n_parts);
  for (uint32_t i = 0; i < sync->run.n_parts; i++) put_part(sync, &sync->run.parts[i]);
  return 0;
}

static void put_line(const RankSync *sync, const SyncPart *part)
{
  const MillStageHost *host = sync->host;
  const SyncLine *line = &part->line;
  const int64_t values[] = { part->lane,
                             part->matched,
                             line->origin_ns,
                             line->offset_ns,
                             line->drift,
                             line->latency_ns,
                             line->pairs,
                             line->rejected,
                             (int64_t)floor(line->residual_rms_ns + 0.5),
                             (int64_t)floor(line->residual_max_ns + 0.5),
                             line->one_sided,
                             line->steep };
  for (uint32_t i = 0; i < MILL_COUNT(values); i++) host->put_int(host, values[i]);
}

static int sync_save_decision(void *instance)
{
  RankSync *sync = instance;
  const MillStageHost *host = sync->host;
  bool found = sync->run.reference < sync->run.n_parts;
  host->put_int(host, STATE_VERSION);
  host->put_int(host, sync->run.n_parts);
  host->put_int(host, found ? sync->run.parts[sync->run.reference].rank : -1);
  for (uint32_t i = 0; i < sync->run.n_parts; i++) put_line(sync, &sync->run.parts[i]);
  return 0;
}

static int check_version(const RankSync *sync)
{
  if (sync->host->get_int(sync->host) == STATE_VERSION) return 0;
  return mill_fail(sync->common, MILL_STAGE_FAILED, "a summary of another version",
                   "run all parts with one build");
}

static int merge_part(RankSync *sync)
{
  const MillStageHost *host = sync->host;
  int64_t lane = host->get_int(host), rank = host->get_int(host), n = host->get_int(host);
  SyncPart *part = sync_run_add(&sync->run, (uint32_t)lane, rank);
  if (!part) return -MILL_LIMIT;
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    size_t len;
    const char *text = host->get_text(host, &len);
    int64_t role = host->get_int(host);
    bool fits = host->get_int(host) != 0;
    int64_t at_ns = host->get_int(host);
    if (!fits || role < 0 || role >= SYNC_ROLES) continue;
    if (!sync_part_add(&sync->run, part, text, len, (uint32_t)role, at_ns)) return -MILL_LIMIT;
  }
  return 0;
}

static int sync_merge_observed(void *instance)
{
  RankSync *sync = instance;
  int status = check_version(sync);
  int64_t n = status < 0 ? 0 : sync->host->get_int(sync->host);
  for (int64_t i = 0; i < n && status >= 0 && sync->host->get_more(sync->host); i++)
    status = merge_part(sync);
  return status;
}

static int sync_decide_run(void *instance)
{
  RankSync *sync = instance;
  if (sync->run.n_parts < 2) {
    sync->run.reference = sync->run.n_parts;
    return 0;
  }
  return sync_run_align(&sync->run) && sync_run_balance(&sync->run) ? 0 : -MILL_LIMIT;
}

static void take_line(RankSync *sync, uint32_t own_lane)
{
  const MillStageHost *host = sync->host;
  int64_t v[12];
  for (uint32_t i = 0; i < MILL_COUNT(v); i++) v[i] = host->get_int(host);
  if (v[0] != own_lane) return;
  sync->decided = true;
  sync->matched = v[1] != 0;
  sync->line = (SyncLine){ .origin_ns = v[2],
                           .offset_ns = v[3],
                           .drift = v[4],
                           .latency_ns = v[5],
                           .pairs = v[6],
                           .rejected = v[7],
                           .one_sided = v[10] != 0,
                           .steep = v[11] != 0 };
  sync->rms_ns = v[8];
  sync->max_ns = v[9];
}

static int sync_load_decision(void *instance)
{
  RankSync *sync = instance;
  const MillStageHost *host = sync->host;
  const MillHost *common = sync->common;
  int status = check_version(sync);
  if (status < 0) return status;
  MillLane lane = lane_of(sync);
  int64_t n = host->get_int(host);
  sync->reference_rank = host->get_int(host);
  for (int64_t i = 0; i < n && host->get_more(host); i++) take_line(sync, lane.index);
  sync->base_ns = lane.base_ns;
  if (n < 2) {
    sync->decided = false;
    return 0;
  }
  if (!sync->matched) common->note(common, UNTIED, NULL, MILL_NO_EVENT, NULL, 0);
  if (sync->line.steep) common->note(common, STEEP, NULL, MILL_NO_EVENT, NULL, 0);
  if (sync->line.one_sided) common->note(common, ONE_SIDED, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

static int64_t clip(SyncWide v)
{
  if (v > INT64_MAX) return INT64_MAX;
  return v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

static int64_t moved(const RankSync *sync, SyncWide ts_ns)
{
  return clip(ts_ns - sync_offset_at(&sync->line, clip(ts_ns + sync->base_ns)));
}

/* A clock that runs fast is compressed, which can put two times on one
 * nanosecond; times that differed go on to differ, so the lane's order holds. */
static int64_t moved_start(RankSync *sync, int64_t ts_ns)
{
  int64_t to_ns = moved(sync, ts_ns);
  if (sync->has_last && ts_ns == sync->last_ts_ns) return sync->last_moved_ns;
  if (sync->has_last && ts_ns > sync->last_ts_ns && to_ns <= sync->last_moved_ns)
    to_ns = sync->last_moved_ns < INT64_MAX ? sync->last_moved_ns + 1 : INT64_MAX;
  sync->has_last = true;
  sync->last_ts_ns = ts_ns;
  sync->last_moved_ns = to_ns;
  return to_ns;
}

static void move(RankSync *sync, MillEvent *e)
{
  int64_t ts_ns = e->ts_ns;
  int64_t to_ns = moved_start(sync, ts_ns);
  mill_set_ts(e, to_ns);
  if (sync->line.drift == 0 || e->dur_ns <= 0) return;
  int64_t end_ns = moved(sync, (SyncWide)ts_ns + e->dur_ns);
  int64_t dur_ns = end_ns > to_ns ? end_ns - to_ns : 0;
  if (dur_ns != e->dur_ns) mill_set_dur(e, dur_ns);
}

static int sync_process(void *instance, MillBatch *batch)
{
  const uint32_t untimed = MILL_KIND(MILL_META) | MILL_KIND(MILL_RECORD);
  RankSync *sync = instance;
  if (!sync->matched || (sync->line.offset_ns == 0 && sync->line.drift == 0)) return 0;
  for (uint32_t i = 0; i < batch->n_events; i++) {
    MillEvent *e = &batch->events[i];
    if (e->flags & MILL_FLAG_NO_TS || MILL_KIND(e->kind) & untimed) continue;
    move(sync, e);
  }
  return 0;
}

static int sync_report(void *instance)
{
  const RankSync *sync = instance;
  const SyncLine *line = &sync->line;
  if (!sync->decided) return 0;
  bool fitted = sync->matched && line->pairs > 0;
  const MillValue cells[] = {
    sync->matched ? mill_int(sync->reference_rank) : mill_none(),
    sync->matched ? mill_int(line->offset_ns) : mill_none(),
    sync->matched ? mill_real(sync_drift_ppm(line)) : mill_none(),
    mill_int(line->pairs),
    mill_int(line->rejected),
    fitted ? mill_int(sync->rms_ns) : mill_none(),
    fitted ? mill_int(sync->max_ns) : mill_none(),
    fitted && line->latency_ns != 0 ? mill_int(line->latency_ns) : mill_none(),
  };
  return sync->host->row(sync->host, 0, cells, MILL_COUNT(cells));
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
  if (pairs == 0) {
    int status = host->no_metric(host, 0, "rms", "no matched collectives");
    return status < 0 ? status : host->no_metric(host, 0, "max", "no matched collectives");
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
  MILL_CHOICE_OPTION(Options, method, "method", "fit", "fit",
                     "fit: offset and drift by least squares over matched collectives"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      UNTIED, "{lane} shares no collective with the other ranks; its clock was left alone",
      "its events may be earlier or later than those of other ranks by any amount", NULL,
      "Clocks are compared by collectives that two ranks took part in: transfers with a [sync=] "
      "name, CollGroup, Type and Peer, or kernels with Process Group Name and Collective name. "
      "This input has none that matches one of another input: it ran no collectives, the profiler "
      "did not record their arguments, or the traces cover different times. Repetitions of one "
      "name match only when every side has the same number of them."),
  MILL_INFO(
      TOO_MANY,
      "{count} collective[|s] of {lane} beyond the first 65,536 [was|were] not used for its clock",
      NULL, NULL,
      "Memory for marks is bounded. The line through the first 65,536 is continued over the rest "
      "of the trace; if the clock's rate changes later, that goes unseen."),
  MILL_WARNING(
      STEEP,
      "the clock of {lane} seems to drift by more than 1,000 ppm; only its offset was corrected",
      "its times are right near the middle of the collectives and off elsewhere", NULL,
      "No clock of a computer is that wrong. The collectives are probably matched to the wrong "
      "repetitions, or a clock was set during the run. Look at residual_max in the table "
      "rank-sync."),
  MILL_INFO(ONE_SIDED, "transfers of {lane} go one way only; their latency is part of its offset",
            "its clock may be off by the latency of a transfer", NULL,
            "Transfers in both directions, or around a ring of ranks, separate latency from "
            "offset: one way they add up, the other way they cancel. Here only their sum is seen."),
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
};

static const MillColumn columns[] = {
  MILL_COLUMN("reference", NULL, MILL_INT,
              "Rank whose clock was kept; empty for an input without matches"),
  MILL_BRIEF("offset", "ns", MILL_INT,
             "This clock minus the reference at its first matched collective"),
  MILL_BRIEF("drift", "ppm", MILL_REAL,
             "How much faster this clock runs; 0 when not surely different"),
  MILL_BRIEF("pairs", "count", MILL_INT, "Matched collectives or transfers that were used"),
  MILL_COLUMN("rejected", "count", MILL_INT, "Matched ones that were left out as outliers"),
  MILL_BRIEF("residual_rms", "ns", MILL_INT,
             "Root mean square distance of the pairs from the line"),
  MILL_COLUMN("residual_max", "ns", MILL_INT, "Largest distance of a pair from the line"),
  MILL_COLUMN("latency", "ns", MILL_INT, "One way, from transfers in both directions"),
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
        "Distance of matched collectives from the lines that align the clocks, over all ranks." },
};

static const char *const wants[] = { "slices", "attr.coll_group", NULL };
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "clock.shared", NULL };
static const char *const spoils[] = { "order.run", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .options_size = sizeof(Options),
  .name = "rank-sync",
  .family = "clock",
  .version = "1.0.0",
  .tag = "SYNC",
  .title = "Align the clocks of all ranks by matched collectives",
  .help = "Every rank stamps events with its own clock. Collectives that several ranks took part "
          "in show how far apart the clocks are: for each rank a line of offset and drift is "
          "fitted to the ends of matched collectives, outliers left out, and all its events are "
          "moved, host and device alike. Ranks that share nothing with the reference are tied over "
          "others where possible.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
