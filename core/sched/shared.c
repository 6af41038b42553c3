/* Lanes of a run with --state; see shared.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/shared.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "input/found.h"
#include "model/printable.h"
#include "plan/rounds.h"
#include "results/provenance.h"
#include "sched/lane-bytes.h"
#include "sched/lanes.h"
#include "sched/lane.h"
#include "sched/shared-job.h"
#include "sched/records.h"

typedef struct Shared {
  Records *folder;
  uint32_t *shards;   /* of each input, by its first lane; NULL: there are none */
  guint n_inputs;     /* how many there are */
  uint32_t n_rounds;  /* times a shard is given */
  uint32_t round;     /* where this process stopped; 0: it did not */
  uint32_t n_missing; /* lanes there */
  int first_open; /* stage of the first barrier for which a lane was missing at the begin; INT_MAX: none */
  _Atomic uint32_t n_taken, n_read, n_failed;
} Shared;

bool shared_is_shard(const Run *run) { return run->options.shard.n != 0; }

/* ---------------------------------------------------------------------- keys */

static RecordKey key_of(const Lane *lane, RecordKind kind, uint32_t stage)
{
  return (RecordKey){ kind, stage, lane->input->first_lane, lane->input->n_lanes - 1 };
}

/* ------------------------------------------------------------ what is not the same */

static Error *differs(const void *of, const RecordKey *key, Summary *one, Summary *other)
{
  const Run *run = of;
  const char *stage = key->kind == RECORD_LANE      ? lane_bytes_difference(run, one, other)
                      : key->kind == RECORD_FAILURE ? NULL
                                                    : run->plan->stages[key->stage].id;
  const LaneInfo *lane = inputs_lane(run->inputs, key->input);
  Error *e = error_new(EXIT_STAGE, "RUN-53",
                       "two processes have read %s, and %s %s is not the same", lane->name,
                       stage ? "what came of stage" : "what they found", stage ? stage : "in it");
  error_why(e, "lane %u of the input, in the folder %s", key->place + 1, run->options.state);
  return error_help(e,
                    "remove the folder and repeat the run; if it happens again, the stage is not "
                    "deterministic: report it to its author");
}

/* ---------------------------------------------------------------- who reads what */

static uint32_t stage_at(const Segment *s) { return (uint32_t)s->decides; }

/* The stage of the first barrier, from the segment on, that the folder lacks this lane for; NULL: it has them all. */
static const Segment *first_unmet(const Run *run, const Lane *lane)
{
  for (guint i = 0; i < lane->segments->len; i++) {
    const Segment *s = lane->segments->pdata[i];
    const RecordKey key = { RECORD_OBSERVED, stage_at(s), lane->info->index, 0 };
    if (s->barrier == BARRIER_RUN && !records_has(run->shared->folder, &key)) return s;
  }
  return NULL;
}

/* All lanes of the input are through, or it failed. Under --strict, an input of which a more lenient process
 * counted something may be refused, so it is read. */
static Error *is_through(const Run *run, const Lane *lane, bool *out)
{
  Record r = { .flags = RECORD_FOLLOWED };
  RecordKey key = { RECORD_LANE, 0, lane->info->index, 0 };
  for (*out = true; *out && r.flags & RECORD_FOLLOWED; key.place++) {
    Error *e = records_get(run->shared->folder, &key, out, &r, NULL);
    if (e) return e;
    if (!*out || r.key.kind == RECORD_FAILURE) return NULL;
    if (run->options.strict && r.flags & RECORD_LENIENT) *out = false;
  }
  if (*out) *out = !first_unmet(run, lane);
  return NULL;
}

static bool is_own(const Shared *s, const Run *run, guint input)
{
  return !s->shards || s->shards[input] == run->options.shard.index;
}

static void find_open(Run *run)
{
  Shared *shared = run->shared;
  shared->first_open = INT_MAX;
  for (guint i = 0; i < shared->n_inputs; i++) {
    const Segment *s = first_unmet(run, run->lanes.list->pdata[i]);
    const RecordKey failed = { RECORD_LANE, 0, i, 0 };
    if (s && !records_has(shared->folder, &failed))
      shared->first_open = MIN(shared->first_open, s->decides);
  }
}

/* The last barrier for which the folder has what this lane observed, or -1. */
static int last_met(const Run *run, const Lane *lane)
{
  int met = -1;
  for (guint i = 0; i < lane->segments->len; i++) {
    const Segment *s = lane->segments->pdata[i];
    const RecordKey key = { RECORD_OBSERVED, stage_at(s), lane->info->index, 0 };
    if (s->barrier == BARRIER_RUN && records_has(run->shared->folder, &key)) met = s->decides;
  }
  return met;
}

static Error *choose(Run *run, Lane *lane)
{
  bool through;
  Error *e = is_through(run, lane, &through);
  if (e) return e;
  if (!is_own(run->shared, run, lane->info->index))
    lane->from = LANE_ELSEWHERE;
  else if (through)
    lane->from = shared_is_shard(run) ? LANE_ELSEWHERE : LANE_TAKEN;
  else if (shared_is_shard(run) && last_met(run, lane) >= run->shared->first_open)
    lane->from = LANE_ELSEWHERE; /* it would only get to where it waits already */
  return NULL;
}

static Error *no_reading(const Run *run)
{
  guint n = 0;
  const Lane *first = NULL;
  for (guint i = 0; i < run->lanes.list->len; i++) {
    const Lane *lane = run->lanes.list->pdata[i];
    if (lane->from != LANE_READ) continue;
    if (!n++) first = lane;
  }
  if (!n || !run->options.no_read) return NULL;
  g_autofree char *safe = printable(run->options.state);
  Error *e = error_new(EXIT_INPUT, "RUN-52", "%s lacks %u lane%s, the first of them %s", safe, n,
                       n == 1 ? "" : "s", first->info->name);
  error_why(e, "--no-read only takes what is there");
  return error_help(e, "give the shards again, or leave --no-read out: then they are read here");
}

/* Inputs that are not read here are done, as far as people look on. */
static void pass_input(Input *in)
{
  atomic_store(&in->done_bytes, in->size_bytes * in->readings);
  for (guint i = 0; in->files && i < in->files->len; i++) pass_input(in->files->pdata[i]);
}

static Error *choose_all(Run *run)
{
  Error *e = NULL;
  find_open(run);
  for (guint i = 0; i < run->lanes.list->len && !e; i++) {
    Lane *lane = run->lanes.list->pdata[i];
    e = choose(run, lane);
    if (!e && lane->from != LANE_READ) pass_input(lane->input);
  }
  return e ? e : no_reading(run);
}

static Error *open_folder(Run *run)
{
  EndedRun settings = { .plan = run->plan,
                        .source_settings = run->options.source_set,
                        .cascade = run->options.cascade,
                        .recover = run->options.recover };
  g_autofree char *plan = provenance_plan_hash(&settings);
  Summary job = { 0 };
  shared_job_save(run->inputs, plan, &job);
  const RecordsJob of = { &job, shared_job_difference, differs,
                          run,  run->shared->n_inputs, run->plan->n_stages };
  Error *e = records_open(run->options.state, &of, !run->options.no_read, &run->shared->folder);
  summary_clear(&job);
  return e ? e : records_look(run->shared->folder);
}

/* Absolute, and without links if it is there. */
static char *place_of(const char *path)
{
  char *real = realpath(path, NULL);
  char *place = real ? g_strdup(real) : g_canonicalize_filename(path, NULL);
  free(real);
  return place;
}

static bool is_in(const char *place, const char *folder)
{
  size_t len = strlen(folder);
  return !strncmp(place, folder, len) && (!place[len] || place[len] == '/');
}

static bool is_input(const Run *run)
{
  struct stat state, input;
  bool found = false;
  bool is_there = !stat(run->options.state, &state);
  for (guint i = 0; i < run->inputs->list->len && is_there && !found; i++) {
    const InputSpec *spec = ((const Input *)run->inputs->list->pdata[i])->spec;
    found = !stat(spec->from ? spec->from : spec->path, &input) && input.st_dev == state.st_dev &&
            input.st_ino == state.st_ino;
  }
  return found;
}

/* The folder would be replaced, or read as an input. */
static Error *check_place(const Run *run)
{
  g_autofree char *state = place_of(run->options.state);
  g_autofree char *output = run->options.output ? place_of(run->options.output) : NULL;
  const char *what = is_input(run) ? "an input, too" : NULL;
  if (output && is_in(state, output))
    what = strcmp(state, output) ? "in the output folder" : "the output folder, too";
  if (!what) return NULL;
  g_autofree char *safe = printable(run->options.state);
  Error *e = error_new(EXIT_USAGE, "RUN-55", "--state: %s is %s", safe, what);
  return error_help(e, "give --state a folder of its own");
}

Error *shared_begin(Run *run)
{
  if (!run->options.state) return NULL;
  Error *e = check_place(run);
  if (e) return e;
  Shared *s = run->shared = g_new0(Shared, 1);
  s->n_inputs = run->lanes.list->len;
  s->n_rounds = plan_rounds(run->plan);
  if (shared_is_shard(run)) s->shards = shard_of_lanes(run->inputs, run->options.shard.n);
  e = open_folder(run);
  return e ? e : choose_all(run);
}

void shared_end(Run *run)
{
  if (!run->shared) return;
  records_free(run->shared->folder);
  g_free(run->shared->shards);
  g_clear_pointer(&run->shared, g_free);
}

/* ------------------------------------------------------------------ taking lanes */

static Error *damaged(const Run *run, const Lane *lane)
{
  g_autofree char *safe = printable(run->options.state);
  Error *e =
      error_new(EXIT_INPUT, "RUN-51", "what %s has of %s cannot be used", safe, lane->info->name);
  return error_help(e, "remove the folder, and give the commands again");
}

static Error *lost(const Run *run, const Lane *lane, bool found)
{
  return found ? NULL : damaged(run, lane);
}

static Error *load(Run *run, Lane *lane, const Record *r, Summary *bytes)
{
  bool failed = r->key.kind == RECORD_FAILURE;
  Error *e = lane_bytes_load(run, lane, bytes);
  Error *failure = !e && failed ? error_load(bytes) : NULL;
  if (e || (failed && !failure)) {
    error_free(e);
    return damaged(run, lane);
  }
  lane->input->follows = r->flags & RECORD_FOLLOWED;
  atomic_fetch_add(&run->shared->n_taken, 1);
  return failure;
}

static Error *take(Run *run, Lane *lane)
{
  Summary bytes = { 0 };
  Record r;
  bool found;
  const RecordKey key = key_of(lane, RECORD_LANE, 0);
  Error *e = records_get(run->shared->folder, &key, &found, &r, &bytes);
  if (!e) e = lost(run, lane, found);
  if (!e) e = load(run, lane, &r, &bytes);
  summary_clear(&bytes);
  return e;
}

/* A lane that failed before this barrier does not wait there. */
static bool has_failed(const Run *run, const Lane *lane, uint32_t stage)
{
  const RecordKey observed = key_of(lane, RECORD_OBSERVED, stage);
  const RecordKey ended = key_of(lane, RECORD_LANE, 0);
  return !records_has(run->shared->folder, &observed) && records_has(run->shared->folder, &ended);
}

Error *shared_run_lane(Run *run, Lane *lane)
{
  for (const Segment *s; (s = lane_segment(lane)); lane->next_segment++) {
    if (s->barrier != BARRIER_RUN) continue;
    if (has_failed(run, lane, stage_at(s))) return take(run, lane);
    lane->at_barrier = true;
    return NULL;
  }
  return lane->from == LANE_TAKEN ? take(run, lane) : NULL;
}

/* ----------------------------------------------------------------- leaving lanes */

static bool counted_something(const Input *in)
{
  bool any = in->found.counts != NULL;
  for (guint i = 0; in->files && i < in->files->len && !any; i++)
    any = counted_something(in->files->pdata[i]);
  return any;
}

static Record record_of(const Run *run, const Lane *lane, RecordKind kind, uint32_t stage)
{
  const Input *in = lane->input;
  Record r = { .key = key_of(lane, kind, stage), .n_events = lane->info->n_events };
  if (in->follows) r.flags |= RECORD_FOLLOWED;
  if (!run->options.strict && counted_something(in)) r.flags |= RECORD_LENIENT;
  return r;
}

/* What went wrong around the lane, such as too little memory, may not happen again. */
static bool stays_failed(const Error *e)
{
  return e->status == EXIT_INPUT || e->status == EXIT_STAGE;
}

static Error *put_failure(Run *run, const Lane *lane)
{
  Record r = record_of(run, lane, RECORD_FAILURE, 0);
  Summary bytes = { 0 };
  if (!stays_failed(lane->error)) return NULL;
  r.flags = 0;
  lane_bytes_save(run, lane, &bytes);
  error_save(lane->error, &bytes);
  Error *e = records_put(run->shared->folder, &r, &bytes);
  summary_clear(&bytes);
  atomic_fetch_add(&run->shared->n_failed, 1);
  return e;
}

static Error *put_lane(Run *run, const Lane *lane)
{
  const Record r = record_of(run, lane, RECORD_LANE, 0);
  Summary bytes = { 0 };
  Error *e = input_check_unchanged(lane->input);
  if (!e) {
    lane_bytes_save(run, lane, &bytes);
    e = records_put(run->shared->folder, &r, &bytes);
  }
  summary_clear(&bytes);
  atomic_fetch_add(&run->shared->n_read, 1);
  return e;
}

Error *shared_let_go(Run *run, Lane *lane)
{
  if (!run->shared || lane->at_barrier || lane->from != LANE_READ) return NULL;
  Error *e = lane->error ? put_failure(run, lane) : put_lane(run, lane);
  if (shared_is_shard(run)) g_clear_pointer(&lane->outcome, outcome_free);
  return e;
}

Error *shared_check_following(const Run *run, const GPtrArray *lanes)
{
  if (!run->shared || !lanes->len || run->shared->n_rounds < 2) return NULL;
  const Lane *second = lanes->pdata[0];
  Error *e =
      error_new(EXIT_PROFILE, "RUN-54",
                "this run cannot be shared (--state): %s holds several runs", second->info->name);
  error_why(e, "each of them is a lane, and this profile has a stage that waits for all lanes");
  return error_help(e, "leave --state out, or write each run to a file of its own");
}

/* --------------------------------------------------------------------- barriers */

Error *shared_put_observed(Run *run, const Lane *lane, uint32_t stage, const Summary *observed)
{
  const Record r = record_of(run, lane, RECORD_OBSERVED, stage);
  Summary bytes = { 0 };
  lane_bytes_save(run, lane, &bytes);
  summary_put_text(&bytes, observed->len ? (const char *)observed->bytes : "", observed->len);
  Error *e = records_put(run->shared->folder, &r, &bytes);
  summary_clear(&bytes);
  return e;
}

Error *shared_get_observed(Run *run, Lane *lane, uint32_t stage, Summary *out)
{
  Summary bytes = { 0 };
  Record r;
  bool found;
  size_t len;
  const RecordKey key = key_of(lane, RECORD_OBSERVED, stage);
  Error *e = records_get(run->shared->folder, &key, &found, &r, &bytes);
  if (!e) e = lost(run, lane, found);
  if (!e && lane->from != LANE_READ) e = lane_bytes_load_waiting(run, lane, &bytes);
  if (!e && lane->from == LANE_READ) summary_get_text(&bytes, &len);
  if (!e) summary_get_int(&bytes);
  const char *observed = summary_get_text(&bytes, &len);
  if (!e && bytes.broken) e = damaged(run, lane);
  if (!e) summary_set_bytes(out, observed, len, &run->pools.budget);
  summary_clear(&bytes);
  return e;
}

Error *shared_meet(Run *run, const GPtrArray *lanes, uint32_t stage, bool *out_complete)
{
  Shared *s = run->shared;
  *out_complete = true;
  if (!s) return NULL;
  Error *e = records_look(s->folder);
  s->n_missing = 0;
  for (guint i = 0; i < lanes->len && !e; i++) {
    const RecordKey key = key_of(lanes->pdata[i], RECORD_OBSERVED, stage);
    s->n_missing += !records_has(s->folder, &key);
  }
  *out_complete = !s->n_missing;
  s->round = s->n_missing ? plan_round_of(run->plan, stage) : 0;
  return e;
}

Error *shared_get_decision(Run *run, const Lane *first, uint32_t stage, bool *out_found,
                           Summary *out)
{
  Record r;
  const RecordKey key = key_of(first, RECORD_DECISION, stage);
  *out_found = false;
  if (!run->shared || !shared_is_shard(run)) return NULL;
  return records_get(run->shared->folder, &key, out_found, &r, out);
}

Error *shared_put_decision(Run *run, const Lane *first, uint32_t stage, const Summary *decision)
{
  const Record r = { .key = key_of(first, RECORD_DECISION, stage) };
  return run->shared ? records_put(run->shared->folder, &r, decision) : NULL;
}

/* ------------------------------------------------------------------- afterwards */

bool shared_counts(const Run *run, uint32_t *out_taken, uint32_t *out_read)
{
  if (!run->shared) return false;
  *out_taken = run->shared->n_taken;
  *out_read = run->shared->n_read;
  return true;
}

typedef struct Share { /* what the folder has of a shard's inputs */
  uint64_t n_lanes, n_events, n_failed;
  uint32_t n_waiting; /* lanes that are not through */
} Share;

static Error *add_lanes(const Run *run, uint32_t input, Share *share)
{
  Record r = { .flags = RECORD_FOLLOWED };
  bool found = true;
  RecordKey key = { RECORD_LANE, 0, input, 0 };
  for (; r.flags & RECORD_FOLLOWED; key.place++) {
    Error *e = records_get(run->shared->folder, &key, &found, &r, NULL);
    if (e) return e;
    if (!found) break;
    share->n_lanes++;
    share->n_events += r.n_events;
    share->n_failed += r.key.kind == RECORD_FAILURE;
  }
  if (found) return NULL;
  int met = last_met(run, run->lanes.list->pdata[input]);
  share->n_waiting++;
  if (met < 0) return NULL;
  key = (RecordKey){ RECORD_OBSERVED, (uint32_t)met, input, 0 };
  share->n_lanes++;
  Error *e = records_get(run->shared->folder, &key, &found, &r, NULL);
  if (!e) share->n_events += r.n_events;
  return e;
}

static void put_number(GString *out, uint64_t n, const char *what)
{
  char text[NUM_BUF];
  num_format_count(text, (int64_t)n);
  g_string_append_printf(out, "%s %s%s", text, what, n == 1 ? "" : "s");
}

static void put_rest(const Shared *s, const Share *share, GString *out)
{
  uint32_t round = s->round ? s->round : s->n_rounds;
  uint32_t n = s->round ? s->n_missing : share->n_waiting;
  if (share->n_failed) {
    g_string_append(out, "; ");
    put_number(out, share->n_failed, "lane");
    g_string_append(out, " failed");
  }
  if (!share->n_waiting) return;
  g_string_append_printf(out, "; round %u of %u, ", round, s->n_rounds);
  put_number(out, n, "lane");
  g_string_append_printf(out, " %s missing: again when all shards are through",
                         n == 1 ? "is" : "are");
}

Error *shared_say(Run *run, GString *out)
{
  Shared *s = run->shared;
  Share share = { 0 };
  Error *e = records_look(s->folder);
  for (guint i = 0; i < s->n_inputs && !e; i++)
    if (is_own(s, run, i)) e = add_lanes(run, i, &share);
  if (e) return e;
  g_string_append_printf(out, "shard %u of %u: ", run->options.shard.index, run->options.shard.n);
  put_number(out, share.n_lanes, "lane");
  g_string_append(out, ", ");
  put_number(out, share.n_events, "event");
  g_string_append_printf(out, ", in %s", run->options.state);
  put_rest(s, &share, out);
  return NULL;
}
