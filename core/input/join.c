/* Files of one rank as one input; see join.h.
 * Every file gives batches of its own. A batch that ends before the next events of all other
 * files is passed on unchanged, so jobs that ran one after the other cost nothing. Where files
 * alternate, events are copied. */
/* SPDX-License-Identifier: MIT */
#include "input/join.h"

#include <string.h>

#include "base/heap.h"
#include "input/input.h"

#define THREADS_WITH 4u /* with more files than this, one thread reads each */

typedef struct Head {
  Input *file;
  Batch *batch; /* NULL: the file has ended */
  uint32_t at;
  int64_t shift_ns; /* difference of its base from that of the lane */
} Head;

typedef struct Join {
  Head *heads;
  Head **heap; /* files that have a next event */
  uint32_t n_heap;
  Batch *out; /* copied events, or NULL */
  bool begun;
} Join;

/* ------------------------------------------------------------------ the lane */

/* The lane has the facts of all its files, but joining ends every order. */
static void join_facts(LaneInfo *lane, const LaneInfo *of)
{
  for (guint i = 0; i < of->facts->len; i++)
    if (!g_str_has_prefix(of->facts->pdata[i], "order."))
      lane_info_add_fact(lane, of->facts->pdata[i]);
}

/* The dialect is that of the file with the most facts. */
static LaneInfo *make_lane(const InputEnv *env, const GPtrArray *files, uint32_t index)
{
  const Input *first = files->pdata[0];
  const LaneInfo *best = first->lane;
  LaneInfo *lane = g_new(LaneInfo, 1);
  lane_info_init(lane, index, first->lane->path);
  tracks_charge_to(lane->tracks, env->host->budget);
  lane->name = g_strdup_printf("%s and %u more", first->lane->name, files->len - 1);
  g_free(lane->label);
  lane->label = g_strdup(first->lane->label);
  lane_info_set_rank(lane, first->lane->rank, first->lane->rank_origin);
  tags_set_all(lane->tags, first->spec->hints, TAG_HINT);
  tags_set_all(lane->tags, first->spec->card_tags, TAG_CARD);
  tags_set_all(lane->tags, first->spec->tags, TAG_GIVEN);
  for (guint i = 0; i < files->len; i++) {
    const LaneInfo *of = ((const Input *)files->pdata[i])->lane;
    if (of->facts->len > best->facts->len) best = of;
    join_facts(lane, of);
  }
  g_free(lane->dialect);
  lane->dialect = g_strdup(best->dialect);
  return lane;
}

/* The files number tracks in the lane's own table, so no event needs another track. */
static void share_rows(Input *file, const LaneInfo *lane)
{
  tracks_free(file->lane->tracks);
  file->lane->tracks = lane->tracks;
  file->lane->index = file->first_lane = lane->index;
  file->joined = true;
  if (file->instance) file->instance->tracks = lane->tracks;
}

static Error *join_start(Input *in);
static Error *join_next(Input *in, Batch **out);
static Error *join_stop(Input *in);
static const InputOps ops = { join_start, join_next, join_stop };

Input *join_new(const InputEnv *env, GPtrArray *files, uint32_t index)
{
  const Input *first = files->pdata[0];
  Input *in = g_new0(Input, 1);
  in->env = env;
  in->spec = first->spec;
  in->source = first->source;
  in->lane = make_lane(env, files, index);
  in->files = files;
  in->ops = &ops;
  in->threads = in->n_lanes = in->readings = 1;
  in->first_lane = index;
  for (guint i = 0; i < files->len; i++) {
    Input *file = files->pdata[i];
    share_rows(file, in->lane);
    in->size_bytes += file->size_bytes;
    in->compressed = in->compressed || file->compressed;
  }
  return in;
}

void join_free(Input *in)
{
  for (guint i = 0; i < in->files->len; i++) {
    Input *file = in->files->pdata[i];
    file->lane->tracks = NULL;
    lane_info_clear(file->lane);
    g_clear_pointer(&file->lane, g_free);
  }
  g_ptr_array_unref(in->files);
  g_free(in->known_hash);
  g_free(in);
}

void join_use_bases(Input *in)
{
  LaneInfo *lane = in->lane;
  for (guint i = 0; i < in->files->len; i++) {
    LaneInfo *of = ((Input *)in->files->pdata[i])->lane;
    of->base_fixed = true;
    if (lane->base_ns == MILL_NO_BASE) lane->base_ns = of->base_ns;
  }
  lane->base_fixed = true;
}

/* --------------------------------------------------------------------- order */

/* Absurd times stay absurd, and keep their order. */
static int64_t shifted(int64_t ts_ns, int64_t shift_ns)
{
  int64_t sum;
  if (!__builtin_add_overflow(ts_ns, shift_ns, &sum)) return sum;
  return shift_ns > 0 ? INT64_MAX : INT64_MIN;
}

static int64_t time_of(const Head *h, uint32_t at)
{
  const MillEvent *e = &h->batch->pub.events[at];
  return e->flags & MILL_FLAG_NO_TS ? INT64_MIN : shifted(e->ts_ns, h->shift_ns);
}

/* The address gives the order in which the files were named. */
static bool goes_before(const Head *a, uint32_t at, const Head *b)
{
  int64_t ta = time_of(a, at), tb = time_of(b, b->at);
  return ta != tb ? ta < tb : a < b;
}

static bool head_before(Head *const *a, Head *const *b) { return goes_before(*a, (*a)->at, *b); }

HEAP(heads, Head *, head_before)

/* The head that comes next after the first one, or NULL. */
static const Head *runner_up(const Join *j)
{
  if (j->n_heap < 2) return NULL;
  bool right = j->n_heap > 2 && head_before(&j->heap[2], &j->heap[1]);
  return j->heap[right ? 2 : 1];
}

/* ------------------------------------------------------------------- reading */

/* Members that no file before had go to the lane, where sinks look for them. */
static void take_members(LaneInfo *lane, LaneInfo *of, Budget *budget)
{
  for (guint i = 0; i < of->members->len; i++) {
    const LaneMember *m = of->members->pdata[i];
    bool known = false;
    for (guint k = 0; k < lane->members->len && !known; k++)
      known = !strcmp(((const LaneMember *)lane->members->pdata[k])->key, m->key);
    if (known) continue;
    LaneMember copy = { g_strdup(m->key), g_bytes_ref(m->json), m->after_events };
    lane_info_add_member(lane, copy, budget);
  }
  g_ptr_array_set_size(of->members, 0);
}

static Error *holds_runs(const Input *file)
{
  Error *e = error_new(EXIT_INPUT, "RUN-17", "%s cannot be joined with other files of its rank",
                       file->lane->name);
  error_why(e, "it holds several runs, and each is a lane");
  return error_help(e, "remove --join-ranks, or \"join-ranks\" from the profile");
}

static Error *refill(Input *in, Head *h)
{
  if (h->batch) batch_give(in->env->batches, h->batch);
  h->batch = NULL;
  h->at = 0;
  Error *e = input_next(h->file, &h->batch);
  if (!e && h->file->follows) e = holds_runs(h->file);
  take_members(in->lane, h->file->lane, in->env->host->budget);
  return e;
}

static void find_shift(Head *h, const LaneInfo *lane)
{
  int64_t base_ns = h->file->lane->base_ns;
  if (base_ns == MILL_NO_BASE || lane->base_ns == MILL_NO_BASE) return;
  if (__builtin_sub_overflow(base_ns, lane->base_ns, &h->shift_ns)) h->shift_ns = 0;
}

static Error *begin(Input *in, Join *j)
{
  Error *e = NULL;
  j->begun = true;
  for (guint i = 0; i < in->files->len && !e; i++) {
    find_shift(&j->heads[i], in->lane);
    e = refill(in, &j->heads[i]);
    if (!e && j->heads[i].batch) j->heap[j->n_heap++] = &j->heads[i];
  }
  if (!e) heads_make(j->heap, j->n_heap);
  return e;
}

static Error *join_start(Input *in)
{
  Error *e = NULL;
  guint n = in->files->len;
  Join *j = in->join = g_new0(Join, 1);
  j->heads = g_new0(Head, n);
  j->heap = g_new0(Head *, n);
  for (guint i = 0; i < n && !e; i++) {
    Input *file = j->heads[i].file = in->files->pdata[i];
    file->threads = n > THREADS_WITH ? 1 : in->threads;
    e = input_start(file);
  }
  return e;
}

/* How many events of the first head come before any of another. */
static uint32_t run_of(const Head *h, const Head *other)
{
  uint32_t n = h->batch->pub.n_events, at = h->at;
  if (!other) return n - at;
  while (at < n && goes_before(h, at, other)) at++;
  return at - h->at;
}

static void adapt(const Input *in, const Head *h, MillEvent *e)
{
  e->seq = in->lane->n_events++;
  if (h->shift_ns && !(e->flags & MILL_FLAG_NO_TS)) mill_set_ts(e, shifted(e->ts_ns, h->shift_ns));
}

static Batch *pass_whole(const Input *in, Head *h)
{
  Batch *b = g_steal_pointer(&h->batch);
  for (uint32_t i = 0; i < b->pub.n_events; i++) adapt(in, h, &b->pub.events_[i]);
  return b;
}

/* Copies as much of the run as fits; true if the batch is full. */
static bool copy_run(const Input *in, Join *j, Head *h, uint32_t n)
{
  BatchPool *pool = in->env->batches;
  const HostEnv *host = in->env->host;
  uint32_t size = batch_pool_events(pool);
  if (!j->out) j->out = batch_take(pool, in->lane->index);
  for (; n && !batch_is_full(j->out, size); n--) {
    const MillEvent *e = &h->batch->pub.events[h->at++];
    adapt(in, h, batch_copy_event(j->out, &h->batch->pub, e, host->with_raw || host->verify));
  }
  return batch_is_full(j->out, size);
}

static Error *advance(Input *in, Join *j, Head *h)
{
  Error *e = NULL;
  if (!h->batch || h->at == h->batch->pub.n_events) e = refill(in, h);
  if (!h->batch) j->heap[0] = j->heap[--j->n_heap];
  heads_sink(j->heap, j->n_heap, 0);
  return e;
}

/* One run of one file; *out_done: there is a batch to give. */
static Error *step(Input *in, Join *j, Batch **out, bool *out_done)
{
  Head *h = j->heap[0];
  uint32_t n = run_of(h, runner_up(j));
  bool whole = !h->at && n == h->batch->pub.n_events;
  *out_done = true;
  if (whole && j->out) return NULL; /* copied events come first */
  if (whole)
    *out = pass_whole(in, h);
  else
    *out_done = copy_run(in, j, h, n);
  return advance(in, j, h);
}

static Error *join_next(Input *in, Batch **out)
{
  Join *j = in->join;
  Error *e = j->begun ? NULL : begin(in, j);
  for (bool done = false; j->n_heap && !done && !e;) e = step(in, j, out, &done);
  if (!*out) *out = g_steal_pointer(&j->out);
  in->lane->next_seq = in->lane->n_events;
  if (!e || !*out) return e;
  batch_give(in->env->batches, *out);
  *out = NULL;
  return e;
}

static Error *join_stop(Input *in)
{
  Join *j = in->join;
  Error *errors = NULL;
  for (guint i = 0; i < in->files->len; i++) {
    if (j->heads[i].batch) batch_give(in->env->batches, j->heads[i].batch);
    if (j->heads[i].file) errors = error_join(errors, input_stop(j->heads[i].file));
  }
  if (j->out) batch_give(in->env->batches, j->out);
  g_free(j->heads);
  g_free(j->heap);
  g_free(j);
  in->join = NULL;
  return errors;
}
