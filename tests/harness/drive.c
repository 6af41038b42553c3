/* The life of a stage, as the program lives it: open, two phases, flush, save, merge, report,
 * close. */
#include <string.h>

#include "harness-internal.h"
#include "host/guard.h"

typedef struct Drive {
  const HarnessCase *test;
  const HarnessManner *manner;
  const MillStageOps *ops;
  HarnessResult *result;
  Run run;
  Lane merged;     /* of whole scope */
  Summary nowhere; /* what instances put to and get from when they should not */
  OptionValues *options;
  GPtrArray *streams;  /* HarnessStream, in lane order */
  Instance *run_level; /* or NULL */
} Drive;

/* ---- results */

static void report_free(gpointer p)
{
  reported_free(((HarnessReport *)p)->reported);
  g_free(p);
}

static void state_free(gpointer p)
{
  summary_clear(p);
  g_free(p);
}

static HarnessResult *result_new(const MillStage *stage)
{
  HarnessResult *r = g_new0(HarnessResult, 1);
  r->events = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  r->reports = g_ptr_array_new_with_free_func(report_free);
  notices_init(&r->notices, stage);
  r->states = g_ptr_array_new_with_free_func(state_free);
  r->broken = g_ptr_array_new_with_free_func(g_free);
  return r;
}

void harness_result_free(HarnessResult *r)
{
  if (!r) return;
  g_ptr_array_unref(r->events);
  g_ptr_array_unref(r->reports);
  notices_clear(&r->notices);
  g_ptr_array_unref(r->states);
  g_ptr_array_unref(r->broken);
  g_free(r->failure);
  g_free(r);
}

static void break_promise(HarnessResult *r, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void break_promise(HarnessResult *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_ptr_array_add(r->broken, g_strdup_vprintf(format, args));
  va_end(args);
}

/* The notice that the failure is told as counts like any other. */
static void count_failure(HarnessResult *r, const char *code)
{
  const char *dash = strrchr(code, '-');
  uint32_t number = dash ? (uint32_t)g_ascii_strtoull(dash + 1, NULL, 10) : 0;
  int row = notices_find(r->notices.stage, number);
  if (row >= 0) notices_add(&r->notices, (uint32_t)row, 0, NULL, NULL, 0, NULL, NULL);
  if (row < 0 && number) break_promise(r, "notice %u is not in the descriptor", number);
}

static void fail(HarnessResult *r, const Error *e)
{
  r->status = (uint32_t)e->status;
  r->failure =
      e->help ? g_strdup_printf("%s; %s", e->what, (char *)e->help->pdata[0]) : g_strdup(e->what);
}

/* What a guard found, or what the host refused, such as a row of the wrong form. */
static bool is_broken_promise(const Error *e)
{
  return e->status == EXIT_INTERNAL || strstr(e->causes->pdata[0], "host/host-");
}

/* Takes errors. */
static void tell(Drive *d, const char *call, Error *errors)
{
  for (const Error *e = errors; e; e = e->next) {
    if (is_broken_promise(e)) {
      const char *why = e->why ? e->why->pdata[0] : NULL;
      break_promise(d->result, "%s: %s%s%s", call, e->what, why ? ": " : "", why ? why : "");
    } else if (!d->result->status) {
      fail(d->result, e);
      count_failure(d->result, e->code);
    }
  }
  error_free(errors);
}

/* ---- calls */

static bool check(Drive *d, Instance *at, const char *call, int status)
{
  instance_end_call(at);
  at->summary = &d->nowhere;
  if (status && !at->error && !d->result->status)
    break_promise(d->result, "%s returned %d without mill_fail", call, status);
  tell(d, call, g_steal_pointer(&at->error));
  if (status && !d->result->status) d->result->status = MILL_STAGE_FAILED;
  return d->result->status == 0;
}

static bool save(Drive *d, Instance *from, uint32_t what, Summary *out)
{
  if (!d->ops->save) return true;
  from->summary = out;
  return check(d, from, "save", d->ops->save(from->self, what));
}

/* After a call that had to read all of the summary. */
static bool check_read(Drive *d, Instance *to, Summary *summary, const char *call, int status)
{
  if (!check(d, to, call, status)) return false;
  if (summary->broken) break_promise(d->result, "%s read something else than was written", call);
  if (summary_more(summary)) break_promise(d->result, "%s left something unread", call);
  return true;
}

static bool merge(Drive *d, Instance *to, uint32_t what, Summary *from)
{
  if (!d->ops->merge) return true;
  summary_rewind(from);
  to->summary = from;
  return check_read(d, to, from, "merge", d->ops->merge(to->self, what));
}

static bool adopt(Drive *d, Instance *to, Summary *from)
{
  if (!d->ops->adopt) return true;
  summary_rewind(from);
  to->summary = from;
  return check_read(d, to, from, "adopt", d->ops->adopt(to->self));
}

/* ---- phases */

static Instance *instance_at(const Drive *d, guint i)
{
  return ((HarnessStream *)d->streams->pdata[i])->instance;
}

static HarnessStream *turn(const Drive *d, guint i)
{
  return d->streams->pdata[d->manner->reverse_lanes ? d->streams->len - 1 - i : i];
}

static void collect(Drive *d, const HarnessStream *s, Batch *b)
{
  uint64_t dropped = 0, emitted = 0;
  const Lane *lane = s->instance->lane;
  GPtrArray *out = d->result->events->pdata[lane == &d->merged ? 0 : lane->index];
  batch_settle(b, true, &dropped, &emitted);
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    g_ptr_array_add(out, harness_line_of(s, &b->pub, &b->pub.events[i]));
}

static bool observe(Drive *d, HarnessStream *s, Batch *b)
{
  Instance *at = s->instance;
  Guard *guard = guard_before(b);
  bool good = check(d, at, "observe", d->ops->observe(at->self, &b->pub));
  tell(d, "observe", guard_after_observe(guard, at, b));
  return good;
}

static bool change(Drive *d, HarnessStream *s, Batch *b, const char *doing,
                   int (*call)(void *, MillBatch *))
{
  Instance *at = s->instance;
  if (call) {
    Guard *guard = guard_before(b);
    bool good = check(d, at, doing, call(at->self, &b->pub));
    tell(d, doing, guard_after(guard, at, b));
    if (!good) return false;
  }
  collect(d, s, b);
  return true;
}

static bool process(Drive *d, HarnessStream *s, Batch *b)
{
  return change(d, s, b, "process", d->ops->process);
}

static bool stream_through(Drive *d, HarnessStream *s,
                           bool (*call)(Drive *, HarnessStream *, Batch *))
{
  for (guint from = 0; from < s->items->len; from += d->manner->batch_size) {
    Batch *b = harness_batch(s, from, MIN(d->manner->batch_size, s->items->len - from));
    bool good = call(d, s, b);
    harness_batch_free(b);
    if (!good) return false;
  }
  return true;
}

static bool flush(Drive *d, HarnessStream *s)
{
  Batch *b = harness_batch(s, 0, 0);
  s->instance->lane->next_seq = s->items->len;
  bool good = change(d, s, b, "flush", d->ops->flush);
  harness_batch_free(b);
  return good;
}

/* Of run scope: the summaries of all lanes meet in the run-level instance and come back settled. */
static bool exchange(Drive *d)
{
  Summary settled = { 0 };
  bool good = true;
  for (guint i = 0; good && i < d->streams->len; i++) {
    Summary observed = { 0 };
    good = save(d, instance_at(d, i), MILL_OBSERVED, &observed) &&
           merge(d, d->run_level, MILL_OBSERVED, &observed);
    summary_clear(&observed);
  }
  if (good && d->ops->settle)
    good = check(d, d->run_level, "settle", d->ops->settle(d->run_level->self));
  good = good && save(d, d->run_level, MILL_SETTLED, &settled);
  for (guint i = 0; good && i < d->streams->len; i++)
    good = adopt(d, turn(d, i)->instance, &settled);
  summary_clear(&settled);
  return good;
}

static bool first_phase(Drive *d)
{
  if (!d->ops->observe) return true;
  bool of_run = d->test->stage->scope == MILL_SCOPE_RUN;
  for (guint i = 0; i < d->streams->len; i++) {
    HarnessStream *s = turn(d, i);
    if (!stream_through(d, s, observe)) return false;
    if (of_run || !d->ops->settle) continue;
    if (!check(d, s->instance, "settle", d->ops->settle(s->instance->self))) return false;
  }
  return !of_run || exchange(d);
}

static bool second_phase(Drive *d)
{
  for (guint i = 0; i < d->streams->len; i++)
    if (!stream_through(d, turn(d, i), process) || !flush(d, turn(d, i))) return false;
  return true;
}

static bool report(Drive *d, Instance *at)
{
  return !d->ops->report || check(d, at, "report", d->ops->report(at->self));
}

static bool results(Drive *d)
{
  for (guint i = 0; i < d->streams->len; i++) {
    Instance *at = instance_at(d, i);
    if (d->run_level) {
      Summary *state = g_new0(Summary, 1);
      g_ptr_array_add(d->result->states, state);
      if (!save(d, at, MILL_RESULT, state) || !merge(d, d->run_level, MILL_RESULT, state))
        return false;
    }
    if (!report(d, at)) return false;
  }
  return !d->run_level || report(d, d->run_level);
}

/* ---- putting up and taking down */

static bool set_options(Drive *d)
{
  const MillStage *stage = d->test->stage;
  Error *error = NULL;
  for (guint i = 0; !error && i < d->test->options->len; i++) {
    const char *text = d->test->options->pdata[i], *equal = strchr(text, '=');
    g_autofree char *name = g_strndup(text, equal ? (gsize)(equal - text) : strlen(text));
    const MillOption *row = option_find(stage->options, stage->n_options, name);
    if (!row || !equal)
      break_promise(d->result, "there is no option \"%s\"", name);
    else
      error = option_values_set(d->options, row, equal + 1);
  }
  if (!error) error = option_values_complete(d->options);
  if (!error) return true;
  fail(d->result, error);
  error_free(error);
  return false;
}

static Instance *open_instance(Drive *d, Lane *lane)
{
  const MillStage *stage = d->test->stage;
  Instance *at = instance_new(&d->run, lane, stage, stage->name);
  const void *options = option_values_struct(d->options);
  at->summary = &d->nowhere;
  check(d, at, "open", d->ops->open(stage, &at->host, options, &at->self));
  return at;
}

static void open_stream(Drive *d, Lane *lane)
{
  lane->tracks = tracks_new();
  HarnessStream *s = harness_stream_new(d->test, d->manner->max_events, open_instance(d, lane));
  s->options = option_values_struct(d->options);
  g_ptr_array_add(d->streams, s);
  g_ptr_array_add(d->result->events,
                  g_ptr_array_new_with_free_func((GDestroyNotify)harness_line_free));
}

/* Results must not depend on the numbers that symbols happen to have. */
static void shuffle_symbols(Drive *d)
{
  for (guint l = d->test->lanes->len; l-- > 0;) {
    const HarnessLane *lane = d->test->lanes->pdata[l];
    for (guint i = lane->lines->len; i-- > 0;) {
      const HarnessLine *line = lane->lines->pdata[i];
      symbols_intern(d->run.symbols, line->name, strlen(line->name));
    }
  }
}

static void open_all(Drive *d)
{
  const MillStage *stage = d->test->stage;
  bool whole = stage->scope == MILL_SCOPE_WHOLE;
  if (d->manner->shuffle_symbols) shuffle_symbols(d);
  if (whole)
    open_stream(d, d->run.merged = &d->merged);
  else
    for (guint i = 0; i < d->test->lanes->len; i++) open_stream(d, d->test->lanes->pdata[i]);
  if (stage->scope == MILL_SCOPE_RUN || (!whole && (stage->flags & MILL_MERGES)))
    d->run_level = open_instance(d, NULL);
}

static void drive_init(Drive *d, const HarnessCase *c, const HarnessManner *manner,
                       HarnessResult *result)
{
  const MillStage *stage = c->stage;
  *d = (Drive){ .test = c, .manner = manner, .ops = stage->ops, .result = result };
  d->merged = (Lane){ .index = c->lanes->len, .rank = -1, .name = "", .label = "", .dialect = "" };
  harness_run_init(&d->run, c->lanes);
  d->options = option_values_new(stage->options, stage->n_options, stage->options_size);
  d->streams = g_ptr_array_new();
}

static void close_instance(Drive *d, Instance *at)
{
  HarnessReport *report = g_new0(HarnessReport, 1);
  report->lane = at->lane ? at->lane->index : MILL_NO_LANE;
  report->reported = g_steal_pointer(&at->reported);
  g_ptr_array_add(d->result->reports, report);
  notices_merge(&d->result->notices, &at->notices, 0);
  if (at->lane) g_clear_pointer(&at->lane->tracks, tracks_free);
  instance_free(at);
}

static void drive_clear(Drive *d)
{
  for (guint i = 0; i < d->streams->len; i++) {
    close_instance(d, instance_at(d, i));
    harness_stream_free(d->streams->pdata[i]);
  }
  if (d->run_level) close_instance(d, d->run_level);
  if (d->nowhere.len || d->nowhere.broken)
    break_promise(d->result, "put or get outside of save, merge and adopt");
  summary_clear(&d->nowhere);
  g_ptr_array_unref(d->streams);
  option_values_free(d->options);
  harness_run_clear(&d->run);
}

HarnessResult *harness_drive(const HarnessCase *c, const HarnessManner *manner)
{
  Drive d;
  HarnessResult *result = result_new(c->stage);
  drive_init(&d, c, manner, result);
  if (set_options(&d)) {
    open_all(&d);
    if (result->status == 0 && first_phase(&d) && second_phase(&d)) results(&d);
  }
  drive_clear(&d);
  return result;
}

void harness_fold(const HarnessCase *c, const Summary *const *states, uint32_t n, Summary *out,
                  HarnessResult *r)
{
  Drive d;
  HarnessManner manner = { .batch_size = 1 };
  drive_init(&d, c, &manner, r);
  bool good = set_options(&d);
  if (good) d.run_level = open_instance(&d, NULL);
  for (uint32_t i = 0; good && i < n; i++) {
    Summary copy = *states[i];
    good = merge(&d, d.run_level, MILL_RESULT, &copy);
  }
  if (good) save(&d, d.run_level, MILL_RESULT, out);
  drive_clear(&d);
}
