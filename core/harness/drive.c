/* The life of a stage, as the program lives it: open, two phases, flush, save, merge, report,
 * close. */
#include <string.h>

#include "harness-drive.h"

typedef struct Instance {
  HarnessHost *host;
  HarnessStream *stream; /* NULL: the run-level instance */
  void *self;
} Instance;

typedef struct Run {
  const HarnessCase *test;
  const HarnessManner *manner;
  const MillStageOps *ops;
  HarnessResult *result;
  Symbols *symbols;
  OptionValues *options;
  Tracks *no_tracks;    /* of the run-level instance */
  GPtrArray *instances; /* Instance, in lane order */
  Instance *run_level;  /* or NULL */
} Run;

/* ---- calls */

static bool check(Run *run, Instance *at, const char *call, int status)
{
  if (at) harness_host_end_call(at->host);
  if (status == 0) return run->result->status == 0;
  if (!run->result->status) {
    harness_break(run->result, "%s returned %d without mill_fail", call, status);
    run->result->status = MILL_STAGE_FAILED;
  }
  return false;
}

static bool save(Run *run, Instance *from, uint32_t what, Summary *out)
{
  if (!run->ops->save) return true;
  from->host->put = out;
  bool good = check(run, from, "save", run->ops->save(from->self, what));
  from->host->put = NULL;
  return good;
}

static bool read_all(Run *run, Instance *to, Summary *summary, const char *call, int status)
{
  to->host->get = NULL;
  if (!check(run, to, call, status)) return false;
  if (summary->broken) harness_break(run->result, "%s read something else than was written", call);
  if (summary_more(summary)) harness_break(run->result, "%s left something unread", call);
  return true;
}

static bool merge(Run *run, Instance *to, uint32_t what, Summary *from)
{
  if (!run->ops->merge) return true;
  summary_rewind(from);
  to->host->get = from;
  return read_all(run, to, from, "merge", run->ops->merge(to->self, what));
}

static bool adopt(Run *run, Instance *to, Summary *from)
{
  if (!run->ops->adopt) return true;
  summary_rewind(from);
  to->host->get = from;
  return read_all(run, to, from, "adopt", run->ops->adopt(to->self));
}

/* ---- what the descriptor claims */

/* That changes are marked is checked where events come out, see batches.c. */
static void check_claims(Run *run, const Batch *b)
{
  uint32_t claims = run->test->stage->flags;
  bool dropped = false, changed = false;
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    dropped |= b->pub.events[i].flags & MILL_FLAG_DROPPED;
    changed |= b->pub.events[i].dirty != 0;
  }
  if ((claims & MILL_READ_ONLY) && (dropped || changed || b->n_fresh))
    harness_break(run->result, "MILL_READ_ONLY, but events were changed");
  if (!(claims & MILL_MAY_DROP) && dropped)
    harness_break(run->result, "events were dropped without MILL_MAY_DROP");
  if (!(claims & MILL_MAY_EMIT) && b->n_fresh)
    harness_break(run->result, "events were made without MILL_MAY_EMIT");
}

/* ---- phases */

static Instance *turn(Run *run, guint i)
{
  guint n = run->instances->len;
  return run->instances->pdata[run->manner->reverse_lanes ? n - 1 - i : i];
}

static void collect(Run *run, Instance *at, Batch *b)
{
  uint64_t dropped = 0, emitted = 0;
  uint32_t lane = at->stream->lane == MILL_NO_LANE ? 0 : at->stream->lane;
  batch_settle(b, true, &dropped, &emitted);
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    g_ptr_array_add(run->result->events->pdata[lane],
                    harness_line_of(at->stream, &b->pub, &b->pub.events[i], run->result));
}

static bool observe_batch(Run *run, Instance *at, Batch *b)
{
  size_t bytes = b->pub.n_events * sizeof(MillEvent);
  g_autofree MillEvent *before = g_memdup2(b->pub.events, bytes);
  bool good = check(run, at, "observe", run->ops->observe(at->self, &b->pub));
  if (bytes && memcmp(before, b->pub.events, bytes) != 0)
    harness_break(run->result, "observe changed events");
  return good;
}

static bool process_batch(Run *run, Instance *at, Batch *b)
{
  if (run->ops->process && !check(run, at, "process", run->ops->process(at->self, &b->pub)))
    return false;
  check_claims(run, b);
  collect(run, at, b);
  return true;
}

static bool stream_through(Run *run, Instance *at, bool (*call)(Run *, Instance *, Batch *))
{
  for (guint from = 0; from < at->stream->lines->len; from += run->manner->batch_size) {
    guint n = MIN(run->manner->batch_size, at->stream->lines->len - from);
    Batch *b = harness_batch(at->stream, from, n);
    bool good = call(run, at, b);
    harness_batch_free(b);
    if (!good) return false;
  }
  return true;
}

static bool flush(Run *run, Instance *at)
{
  if (!run->ops->flush) return true;
  Batch *b = harness_batch(at->stream, 0, 0);
  at->host->next_seq = at->stream->lines->len;
  bool good = check(run, at, "flush", run->ops->flush(at->self, &b->pub));
  if (good) check_claims(run, b);
  if (good) collect(run, at, b);
  harness_batch_free(b);
  return good;
}

/* Of run scope: the summaries of all lanes meet in the run-level instance and come back settled. */
static bool exchange(Run *run)
{
  Summary settled = { 0 };
  bool good = true;
  for (guint i = 0; good && i < run->instances->len; i++) {
    Summary observed = { 0 };
    good = save(run, run->instances->pdata[i], MILL_OBSERVED, &observed) &&
           merge(run, run->run_level, MILL_OBSERVED, &observed);
    summary_clear(&observed);
  }
  if (good && run->ops->settle)
    good = check(run, run->run_level, "settle", run->ops->settle(run->run_level->self));
  good = good && save(run, run->run_level, MILL_SETTLED, &settled);
  for (guint i = 0; good && i < run->instances->len; i++) good = adopt(run, turn(run, i), &settled);
  summary_clear(&settled);
  return good;
}

static bool first_phase(Run *run)
{
  if (!run->ops->observe) return true;
  for (guint i = 0; i < run->instances->len; i++) {
    Instance *at = turn(run, i);
    if (!stream_through(run, at, observe_batch)) return false;
    if (run->test->stage->scope == MILL_SCOPE_RUN || !run->ops->settle) continue;
    if (!check(run, at, "settle", run->ops->settle(at->self))) return false;
  }
  return run->test->stage->scope != MILL_SCOPE_RUN || exchange(run);
}

static bool second_phase(Run *run)
{
  for (guint i = 0; i < run->instances->len; i++) {
    Instance *at = turn(run, i);
    if (!stream_through(run, at, process_batch) || !flush(run, at)) return false;
  }
  return true;
}

static bool results(Run *run)
{
  for (guint i = 0; i < run->instances->len; i++) {
    Instance *at = run->instances->pdata[i];
    if (run->run_level) {
      Summary *state = g_new0(Summary, 1);
      g_ptr_array_add(run->result->states, state);
      if (!save(run, at, MILL_RESULT, state) || !merge(run, run->run_level, MILL_RESULT, state))
        return false;
    }
    if (run->ops->report && !check(run, at, "report", run->ops->report(at->self))) return false;
  }
  if (!run->run_level || !run->ops->report) return true;
  return check(run, run->run_level, "report", run->ops->report(run->run_level->self));
}

/* ---- putting up and taking down */

static bool set_options(Run *run)
{
  const MillStage *stage = run->test->stage;
  Error *error = NULL;
  for (guint i = 0; !error && i < run->test->options->len; i++) {
    const char *text = run->test->options->pdata[i], *equal = strchr(text, '=');
    g_autofree char *name = g_strndup(text, equal ? (gsize)(equal - text) : strlen(text));
    const MillOption *row = option_find(stage->options, stage->n_options, name);
    if (!row || !equal)
      harness_break(run->result, "there is no option \"%s\"", name);
    else
      error = option_values_set(run->options, row, equal + 1);
  }
  if (!error) error = option_values_complete(run->options);
  if (!error) return true;
  run->result->status = (uint32_t)error->status;
  run->result->failure = g_strdup(error->what);
  error_free(error);
  return false;
}

static Instance *instance_new(Run *run, HarnessStream *stream, Tracks *tracks)
{
  Instance *at = g_new0(Instance, 1);
  uint32_t lane = stream ? stream->lane : MILL_NO_LANE;
  at->stream = stream;
  at->host = harness_host_new(run->test, run->result, run->symbols, tracks, lane);
  check(run, at, "open",
        run->ops->open(run->test->stage, &at->host->table, option_values_struct(run->options),
                       &at->self));
  return at;
}

static void instance_free(Run *run, Instance *at)
{
  if (!at) return;
  if (at->self) run->ops->close(at->self);
  harness_host_free(at->host);
  harness_stream_free(at->stream);
  g_free(at);
}

/* Results must not depend on the numbers that symbols happen to have. */
static void shuffle_symbols(Run *run)
{
  for (guint l = run->test->lanes->len; l-- > 0;) {
    const HarnessLane *lane = run->test->lanes->pdata[l];
    for (guint i = lane->lines->len; i-- > 0;) {
      const HarnessLine *line = lane->lines->pdata[i];
      symbols_intern(run->symbols, line->name, strlen(line->name));
    }
  }
}

static void open_all(Run *run)
{
  const MillStage *stage = run->test->stage;
  bool whole = stage->scope == MILL_SCOPE_WHOLE;
  guint n = whole ? 1 : run->test->lanes->len;
  if (run->manner->shuffle_symbols) shuffle_symbols(run);
  for (guint i = 0; i < n; i++) {
    uint32_t lane = whole ? MILL_NO_LANE : i;
    HarnessStream *s = harness_stream_new(run->test, run->manner, run->symbols, lane);
    s->options = option_values_struct(run->options);
    g_ptr_array_add(run->instances, instance_new(run, s, s->tracks));
    g_ptr_array_add(run->result->events,
                    g_ptr_array_new_with_free_func((GDestroyNotify)harness_line_free));
  }
  if (stage->scope == MILL_SCOPE_RUN || (!whole && (stage->flags & MILL_MERGES)))
    run->run_level = instance_new(run, NULL, run->no_tracks);
}

static void row_free(gpointer p)
{
  HarnessRow *row = p;
  g_ptr_array_unref(row->cells);
  g_free(row);
}

static void metric_free(gpointer p)
{
  HarnessMetric *m = p;
  g_free(m->stat);
  g_free(m->value);
  g_free(m);
}

static void state_free(gpointer p)
{
  summary_clear(p);
  g_free(p);
}

HarnessResult *harness_result_new(void)
{
  HarnessResult *r = g_new0(HarnessResult, 1);
  r->events = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  r->rows = g_ptr_array_new_with_free_func(row_free);
  r->metrics = g_ptr_array_new_with_free_func(metric_free);
  r->notices = g_hash_table_new(NULL, NULL);
  r->states = g_ptr_array_new_with_free_func(state_free);
  r->broken = g_ptr_array_new_with_free_func(g_free);
  return r;
}

void harness_result_free(HarnessResult *r)
{
  if (!r) return;
  g_ptr_array_unref(r->events);
  g_ptr_array_unref(r->rows);
  g_ptr_array_unref(r->metrics);
  g_hash_table_unref(r->notices);
  g_ptr_array_unref(r->states);
  g_ptr_array_unref(r->broken);
  g_free(r->failure);
  g_free(r);
}

static void run_init(Run *run, const HarnessCase *c, const HarnessManner *manner,
                     HarnessResult *result)
{
  const MillStage *stage = c->stage;
  *run = (Run){ .test = c, .manner = manner, .ops = stage->ops, .result = result };
  run->symbols = symbols_new();
  run->no_tracks = tracks_new();
  run->options = option_values_new(stage->options, stage->n_options, stage->options_size);
  run->instances = g_ptr_array_new();
}

static void run_clear(Run *run)
{
  for (guint i = 0; i < run->instances->len; i++) instance_free(run, run->instances->pdata[i]);
  instance_free(run, run->run_level);
  g_ptr_array_unref(run->instances);
  option_values_free(run->options);
  tracks_free(run->no_tracks);
  symbols_free(run->symbols);
}

HarnessResult *harness_drive(const HarnessCase *c, const HarnessManner *manner)
{
  Run run;
  HarnessResult *result = harness_result_new();
  run_init(&run, c, manner, result);
  if (set_options(&run)) {
    open_all(&run);
    if (result->status == 0 && first_phase(&run) && second_phase(&run)) results(&run);
  }
  run_clear(&run);
  return result;
}

bool harness_fold(const HarnessCase *c, const Summary *const *states, uint32_t n, Summary *out,
                  HarnessResult *r)
{
  Run run;
  HarnessManner manner = { .batch_size = 1 };
  run_init(&run, c, &manner, r);
  bool good = set_options(&run);
  if (good) run.run_level = instance_new(&run, NULL, run.no_tracks);
  for (uint32_t i = 0; good && i < n; i++) {
    Summary copy = *states[i];
    good = merge(&run, run.run_level, MILL_RESULT, &copy);
  }
  good = good && save(&run, run.run_level, MILL_RESULT, out);
  run_clear(&run);
  return good;
}
