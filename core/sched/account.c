/* The account of a run; see account.h. */
#include "sched/account.h"

void account_read(Lane *lane, const MillBatch *b) { lane->account.read += b->n_events; }

void account_end(Lane *lane, const MillBatch *b)
{
  uint64_t ended[FATES] = { 0 };
  for (uint32_t i = 0; i < b->n_events; i++) ended[fate_of(&b->events[i])]++;
  for (Fate f = FATE_USABLE; f < FATES; f++) lane->account.ended[f] += ended[f];
}

typedef struct Sum {
  uint64_t read, made, used;
  uint64_t left_out[FATES]; /* FATE_USABLE: by stages, which nothing speaks against */
  uint64_t failed;          /* in lanes that were given up */
} Sum;

/* Results are without what a lane that failed gave before that. */
static void add_lane(Sum *s, const Lane *lane)
{
  s->read += lane->account.read;
  if (!lane->through) return;
  s->used += lane->account.ended[FATE_USABLE];
  for (Fate f = FATE_PHASE; f < FATES; f++) s->left_out[f] += lane->account.ended[f];
}

static void add_stage(Sum *s, const Counters *c)
{
  uint64_t told = MIN(c->told, c->dropped[FATE_USABLE]);
  s->made += c->emitted;
  for (Fate f = FATE_USABLE; f < FATES; f++) s->left_out[f] += c->dropped[f];
  s->left_out[FATE_USABLE] -= told;
  s->left_out[FATE_NOTICE] += told;
}

/* What sources read and did not pass on. */
static uint64_t kept_back(const Run *run, const GPtrArray *sources)
{
  uint64_t n = 0;
  for (guint s = 0; s < sources->len; s++) {
    const Descriptor *d = sources->pdata[s];
    const Notices *read = sources_notices(run->sources, d);
    for (uint32_t i = 0; read && i < d->n_notices; i++)
      if (d->notices[i].flags & MILL_NOTICE_LEFT_OUT) n += read->counts[i].count;
  }
  return n;
}

static Sum sum_of(const Run *run, const GPtrArray *sources)
{
  Sum s = { 0 };
  const Lane *lane;
  for (guint i = 0; (lane = run_lane(run, i)); i++) add_lane(&s, lane);
  for (uint32_t i = 0; i < run->plan->n_stages; i++) add_stage(&s, &run->counters[i]);
  uint64_t ended = s.used;
  for (Fate f = FATE_USABLE; f < FATES; f++) ended += s.left_out[f];
  if (run->failures->len && s.read + s.made > ended) s.failed = s.read + s.made - ended;
  uint64_t back = kept_back(run, sources);
  s.read += back;
  s.left_out[FATE_NOTICE] += back;
  return s;
}

void account_put(JsonWriter *out, const Run *run, const GPtrArray *sources)
{
  static const char *const names[FATES] = { "stage", "phase", "no_time", "no_duration", "notice" };
  const Sum s = sum_of(run, sources);
  json_put_open(out, "events", '{');
  json_put_int(out, "read", (int64_t)s.read);
  json_put_int(out, "made", (int64_t)s.made);
  json_put_int(out, "used", (int64_t)s.used);
  json_put_open(out, "left_out", '{');
  for (Fate f = FATE_USABLE; f < FATES; f++) json_put_int(out, names[f], (int64_t)s.left_out[f]);
  json_put_int(out, "failed", (int64_t)s.failed);
  json_put_close(out);
  json_put_close(out);
}
