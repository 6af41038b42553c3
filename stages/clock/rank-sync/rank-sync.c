/* One clock for all ranks: offset and drift of each from the ends of matched collectives.
 * The end of a collective kernel is taken as simultaneous on its ranks; a transfer
 * ends at its receiver one latency after it does at its sender, the same latency
 * for all. Limits: 65,536 marks a lane; drift is one straight line a run;
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
  const MillHost *host;
  SyncKeys keys;
  SyncRun run; /* of a lane: its own marks; of the run: all lanes */
  SyncKey key;
  /* Of a lane, after adopt: */
  bool adopted, matched;
  int64_t reference_rank, rms_ns, max_ns;
  SyncLine line;
  int64_t base_ns;
  int64_t last_ts_ns, last_moved_ns; /* the event before, to keep strict order strict */
  bool has_last;
} RankSync;

static MillLane lane_of(const RankSync *sync)
{
  MillLane lane = { .size = sizeof lane };
  sync->host->lane(sync->host, MILL_NO_LANE, &lane);
  return lane;
}

static int no_memory(const RankSync *sync)
{
  return mill_fail(sync->host, MILL_LIMIT, "no memory for the marks of collectives", NULL);
}

static int sync_open(const MillStage *self, const MillHost *host, const void *options, void **out)
{
  (void)self;
  (void)options;
  RankSync *sync = calloc(1, sizeof *sync);
  if (!sync) return mill_fail(host, MILL_LIMIT, "no memory for the state of a rank", NULL);
  sync->host = host;
  *out = sync;
  sync_keys_open(&sync->keys, host);
  MillLane lane = lane_of(sync);
  bool is_run = lane.index == MILL_NO_LANE;
  if (!sync_run_open(&sync->run) || (!is_run && !sync_run_add(&sync->run, lane.index, lane.rank)))
    return no_memory(sync);
  return 0;
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
      sync->host->note(sync->host, TOO_MANY, batch, i, NULL, 0);
      continue;
    }
    int64_t end_ns = e->ts_ns > INT64_MAX - e->dur_ns ? INT64_MAX : e->ts_ns + e->dur_ns;
    if (!sync_part_add(&sync->run, part, sync->key.text, sync->key.len, sync->key.role, end_ns))
      return no_memory(sync);
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

/* Times are put on the absolute scale here: a lane's base may stand after its events. */
static void put_part(RankSync *sync, SyncPart *part, bool is_own)
{
  MillLane lane = lane_of(sync);
  int64_t base_ns = is_own ? lane.base_ns : 0;
  if (is_own) sync_part_sort(part);
  sync->host->put_int(sync->host, part->lane);
  sync->host->put_int(sync->host, is_own ? lane.rank : part->rank);
  sync->host->put_int(sync->host, part->n_marks);
  for (uint32_t i = 0, count; i < part->n_marks; i += count) {
    count = is_own ? repetitions(part, i) : 1;
    for (uint32_t k = 0; k < count; k++) {
      int64_t at_ns = 0;
      bool fits = !__builtin_add_overflow(part->marks[i + k].at_ns, base_ns, &at_ns) &&
                  llabs(at_ns) < INT64_MAX / 4;
      put_key(sync, part->marks[i].key, k, count);
      sync->host->put_int(sync->host, part->marks[i + k].role);
      sync->host->put_int(sync->host, fits);
      sync->host->put_int(sync->host, fits ? at_ns : 0);
    }
  }
}

static void put_line(const RankSync *sync, const SyncPart *part)
{
  const MillHost *host = sync->host;
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

static int sync_save(void *instance, uint32_t what)
{
  RankSync *sync = instance;
  const MillHost *host = sync->host;
  if (what == MILL_RESULT) return 0;
  host->put_int(host, STATE_VERSION);
  host->put_int(host, sync->run.n_parts);
  if (what == MILL_SETTLED) {
    bool found = sync->run.reference < sync->run.n_parts;
    host->put_int(host, found ? sync->run.parts[sync->run.reference].rank : -1);
    for (uint32_t i = 0; i < sync->run.n_parts; i++) put_line(sync, &sync->run.parts[i]);
    return 0;
  }
  bool is_own = lane_of(sync).index != MILL_NO_LANE;
  for (uint32_t i = 0; i < sync->run.n_parts; i++) put_part(sync, &sync->run.parts[i], is_own);
  return 0;
}

static int check_version(const RankSync *sync)
{
  if (sync->host->get_int(sync->host) == STATE_VERSION) return 0;
  return mill_fail(sync->host, MILL_STAGE_FAILED, "a summary of another version",
                   "run all parts with one build");
}

static int merge_part(RankSync *sync)
{
  const MillHost *host = sync->host;
  int64_t lane = host->get_int(host), rank = host->get_int(host), n = host->get_int(host);
  SyncPart *part = sync_run_add(&sync->run, (uint32_t)lane, rank);
  if (!part) return no_memory(sync);
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    size_t len;
    const char *text = host->get_text(host, &len);
    int64_t role = host->get_int(host);
    bool fits = host->get_int(host) != 0;
    int64_t at_ns = host->get_int(host);
    if (!fits || role < 0 || role >= SYNC_ROLES) continue;
    if (!sync_part_add(&sync->run, part, text, len, (uint32_t)role, at_ns)) return no_memory(sync);
  }
  return 0;
}

static int sync_merge(void *instance, uint32_t what)
{
  RankSync *sync = instance;
  if (what != MILL_OBSERVED) return 0;
  int status = check_version(sync);
  int64_t n = status < 0 ? 0 : sync->host->get_int(sync->host);
  for (int64_t i = 0; i < n && status >= 0 && sync->host->get_more(sync->host); i++)
    status = merge_part(sync);
  return status;
}

static int sync_settle(void *instance)
{
  RankSync *sync = instance;
  if (sync->run.n_parts < 2) {
    sync->run.reference = sync->run.n_parts;
    return 0;
  }
  return sync_run_align(&sync->run) && sync_run_balance(&sync->run) ? 0 : no_memory(sync);
}

static void take_line(RankSync *sync, uint32_t own_lane)
{
  const MillHost *host = sync->host;
  int64_t v[12];
  for (uint32_t i = 0; i < MILL_COUNT(v); i++) v[i] = host->get_int(host);
  if (v[0] != own_lane) return;
  sync->adopted = true;
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

static int sync_adopt(void *instance)
{
  RankSync *sync = instance;
  const MillHost *host = sync->host;
  int status = check_version(sync);
  if (status < 0) return status;
  MillLane lane = lane_of(sync);
  int64_t n = host->get_int(host);
  sync->reference_rank = host->get_int(host);
  for (int64_t i = 0; i < n && host->get_more(host); i++) take_line(sync, lane.index);
  sync->base_ns = lane.base_ns;
  if (n < 2) {
    sync->adopted = false;
    return 0;
  }
  if (!sync->matched) host->note(host, UNTIED, NULL, MILL_NO_EVENT, NULL, 0);
  if (sync->line.steep) host->note(host, STEEP, NULL, MILL_NO_EVENT, NULL, 0);
  if (sync->line.one_sided) host->note(host, ONE_SIDED, NULL, MILL_NO_EVENT, NULL, 0);
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

static int report_lane(const RankSync *sync)
{
  const SyncLine *line = &sync->line;
  if (!sync->adopted) return 0;
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

static int report_run(const RankSync *sync)
{
  const MillHost *host = sync->host;
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

static int sync_report(void *instance)
{
  RankSync *sync = instance;
  return lane_of(sync).index == MILL_NO_LANE ? report_run(sync) : report_lane(sync);
}

static void sync_close(void *instance)
{
  RankSync *sync = instance;
  if (!sync) return;
  sync_run_close(&sync->run);
  free(sync);
}

static const MillStageOps ops = {
  .size = sizeof(MillStageOps),
  .open = sync_open,
  .observe = sync_observe,
  .settle = sync_settle,
  .adopt = sync_adopt,
  .process = sync_process,
  .save = sync_save,
  .merge = sync_merge,
  .report = sync_report,
  .close = sync_close,
};

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, method, "method", "fit", "fit",
                     "fit: offset and drift by least squares over matched collectives"),
};

#define NOTICE(number, level, what, effect, help, explain)                   \
  {                                                                          \
    (uint32_t)sizeof(MillNotice), number, level, what, effect, help, explain \
  }

static const MillNotice notices[] = {
  NOTICE(UNTIED, MILL_LEVEL_WARNING,
         "{lane} shares no collective with the other ranks; its clock was left alone",
         "its events may stand earlier or later than those of other ranks by any amount", NULL,
         "Clocks are compared by collectives that two ranks took part in: transfers with a [sync=] "
         "name, CollGroup, Type and Peer, or kernels with Process Group Name and Collective name. "
         "This lane has none that matches one of another lane: it ran no collectives, the profiler "
         "did not record their arguments, or the traces cover different times. Repetitions of one "
         "name match only when every side has the same number of them."),
  NOTICE(
      TOO_MANY, MILL_LEVEL_INFO,
      "{count} collective[|s] of {lane} beyond the first 65,536 [was|were] not used for its clock",
      NULL, NULL,
      "Memory for marks is bounded. The line through the first 65,536 is continued over the rest "
      "of the trace; if the clock's rate changes later, that goes unseen."),
  NOTICE(STEEP, MILL_LEVEL_WARNING,
         "the clock of {lane} seems to drift by more than 1,000 ppm; only its offset was corrected",
         "its times are right near the middle of the collectives and off elsewhere", NULL,
         "No clock of a computer is that wrong. The collectives are probably matched to the wrong "
         "repetitions, or a clock was set during the run. Look at residual_max in the table "
         "rank-sync."),
  NOTICE(ONE_SIDED, MILL_LEVEL_INFO,
         "transfers of {lane} go one way only; their latency is part of its offset",
         "its clock may be off by the latency of a transfer", NULL,
         "Transfers in both directions, or around a ring of ranks, tell latency and offset apart: "
         "one way they add up, the other way they cancel. Here only their sum is seen."),
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
  { "reference", NULL, MILL_INT, 0, "Rank whose clock was kept; empty for a lane without matches" },
  { "offset", "ns", MILL_INT, MILL_COLUMN_BRIEF,
    "This clock minus the reference at its first matched collective" },
  { "drift", "ppm", MILL_REAL, MILL_COLUMN_BRIEF,
    "How much faster this clock runs; 0 when not surely different" },
  { "pairs", "count", MILL_INT, MILL_COLUMN_BRIEF,
    "Matched collectives or transfers that were used" },
  { "rejected", "count", MILL_INT, 0, "Matched ones that were left out as outliers" },
  { "residual_rms", "ns", MILL_INT, MILL_COLUMN_BRIEF,
    "Root mean square distance of the pairs from the line" },
  { "residual_max", "ns", MILL_INT, 0, "Largest distance of a pair from the line" },
  { "latency", "ns", MILL_INT, 0, "One way, from transfers in both directions" },
};

static const MillTable tables[] = {
  { sizeof(MillTable), MILL_PER_LANE, "rank-sync", "Clock of each rank against the reference",
    columns, MILL_COUNT(columns), 8, NULL },
};

static const MillMetric metrics[] = {
  { sizeof(MillMetric), MILL_PER_RUN, "rank_sync_residual", "ns", MILL_LOWER, MILL_REAL, "rms,max",
    NULL, "Distance of matched collectives from the lines that align the clocks, over all ranks." },
};

static const char *const wants[] = { "slices", "attr.coll_group", NULL };
static const char *const needs[] = { "events", NULL };
static const char *const provides[] = { "clock.shared", NULL };
static const char *const spoils[] = { "order.run", NULL };

static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_RUN,
  .name = "rank-sync",
  .family = "clock",
  .version = "1.0.0",
  .tag = "SYNC",
  .title = "Put the clocks of all ranks on one by matched collectives",
  .help = "Every rank stamps events with its own clock. Collectives that several ranks took part "
          "in tell "
          "how far apart the clocks are: for each rank a line of offset and drift is fitted to the "
          "ends of "
          "matched collectives, outliers left out, and all its events are moved, host and device "
          "alike. "
          "Ranks that share nothing with the reference are tied over others where possible.",
  .needs = needs,
  .wants = wants,
  .provides = provides,
  .spoils = spoils,
  .options = options,
  .notices = notices,
  .reads = reads,
  .tables = tables,
  .metrics = metrics,
  .n_options = MILL_COUNT(options),
  .n_notices = MILL_COUNT(notices),
  .n_reads = MILL_COUNT(reads),
  .n_tables = MILL_COUNT(tables),
  .n_metrics = MILL_COUNT(metrics),
  .options_size = sizeof(Options),
  .ops = &ops,
};

MILL_MODULE(stage, "stagemill", "MIT");
