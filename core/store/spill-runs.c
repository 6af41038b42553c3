/* Runs of held events in the temporary file; see spill-runs.h. */
#include "store/spill-runs.h"

#include "base/heap.h"

/* Small images: one of every run that is merged is in memory at a time. */
#define IMAGE_EVENTS 256u
#define IMAGE_OWN_BYTES (64u << 10)

typedef struct SpillRun {
  GArray *images; /* SpillImage */
  guint next;     /* image to read */
  Batch *batch;   /* being read */
  uint32_t at;
  uint32_t index; /* among those merged: what is equal keeps the order in which it came */
} SpillRun;

struct SpillRuns {
  Spill *spill;
  BatchPool *pool;
  bool with_raw;
  GPtrArray *runs; /* SpillRun * */
  Batch *image;    /* being filled, for the last run */
  guint sequence;  /* the run being read, when they are not merged */
  SpillRun **heap; /* the runs being merged, smallest event first */
  uint32_t n_heap;
  uint64_t bytes;
};

SpillRuns *spill_runs_new(Spill *spill, BatchPool *pool, bool with_raw)
{
  SpillRuns *r = g_new0(SpillRuns, 1);
  r->spill = spill;
  r->pool = pool;
  r->with_raw = with_raw;
  r->runs = g_ptr_array_new();
  return r;
}

static void run_drop_batch(SpillRuns *r, SpillRun *run)
{
  batch_give(r->pool, run->batch);
  run->batch = NULL;
  run->at = 0;
}

static void run_free(SpillRuns *r, SpillRun *run)
{
  run_drop_batch(r, run);
  for (guint i = run->next; i < run->images->len; i++)
    spill_forget(r->spill, &g_array_index(run->images, SpillImage, i));
  g_array_unref(run->images);
  g_free(run);
}

void spill_runs_free(SpillRuns *r)
{
  if (!r) return;
  for (guint i = 0; i < r->runs->len; i++) run_free(r, r->runs->pdata[i]);
  g_ptr_array_unref(r->runs);
  batch_give(r->pool, r->image);
  g_free(r->heap);
  g_free(r);
}

/* ----------------------------------------------------------------- writing */

static SpillRun *run_new(void)
{
  SpillRun *run = g_new0(SpillRun, 1);
  run->images = g_array_new(FALSE, FALSE, sizeof(SpillImage));
  return run;
}

static Error *write_image(SpillRuns *r, SpillRun *run)
{
  SpillImage image;
  if (!r->image || !r->image->pub.n_events) return NULL;
  Error *e = spill_write(r->spill, r->image, &image);
  if (!e) {
    g_array_append_val(run->images, image);
    r->bytes += image.len;
  }
  batch_give(r->pool, r->image);
  r->image = NULL;
  return e;
}

static Error *add_to(SpillRuns *r, SpillRun *run, const MillBatch *from, const MillEvent *e)
{
  if (!r->image) r->image = batch_take(r->pool, from->lane);
  batch_copy_event(r->image, from, e, r->with_raw);
  bool full = r->image->pub.n_events >= MIN(IMAGE_EVENTS, batch_pool_events(r->pool));
  return full || r->image->own_len >= IMAGE_OWN_BYTES ? write_image(r, run) : NULL;
}

void spill_runs_begin(SpillRuns *r) { g_ptr_array_add(r->runs, run_new()); }

Error *spill_runs_add(SpillRuns *r, const MillBatch *from, const MillEvent *e)
{
  return add_to(r, r->runs->pdata[r->runs->len - 1], from, e);
}

Error *spill_runs_end(SpillRuns *r) { return write_image(r, r->runs->pdata[r->runs->len - 1]); }

uint32_t spill_runs_count(const SpillRuns *r) { return r->runs->len; }

uint64_t spill_runs_bytes(const SpillRuns *r) { return r->bytes; }

/* ----------------------------------------------------------------- merging */

static bool run_before(SpillRun *const *x, SpillRun *const *y)
{
  const SpillRun *a = *x, *b = *y;
  int order = event_compare(&a->batch->pub.events[a->at], &b->batch->pub.events[b->at]);
  return order < 0 || (order == 0 && a->index < b->index);
}

HEAP(runs, SpillRun *, run_before)

/* The next image of the run; no batch at its end. */
static Error *load(SpillRuns *r, SpillRun *run, bool keep)
{
  run_drop_batch(r, run);
  if (run->next == run->images->len) return NULL;
  const SpillImage *image = &g_array_index(run->images, SpillImage, run->next++);
  Error *e = spill_read(r->spill, image, r->pool, &run->batch);
  if (!e && !keep) spill_forget(r->spill, image);
  return e;
}

static Error *open_heap(SpillRuns *r, guint first, guint n, bool keep)
{
  g_free(r->heap);
  r->heap = g_new(SpillRun *, MAX(n, 1));
  r->n_heap = 0;
  for (guint i = first; i < first + n; i++) {
    SpillRun *run = r->runs->pdata[i];
    Error *e = load(r, run, keep);
    if (e) return e;
    run->index = i;
    if (run->batch) r->heap[r->n_heap++] = run;
  }
  runs_make(r->heap, r->n_heap);
  return NULL;
}

/* The smallest event goes by. */
static Error *advance(SpillRuns *r, bool keep)
{
  SpillRun *run = r->heap[0];
  Error *e = NULL;
  if (++run->at == run->batch->pub.n_events) {
    e = load(r, run, keep);
    if (!run->batch) r->heap[0] = r->heap[--r->n_heap];
  }
  runs_sink(r->heap, r->n_heap, 0);
  return e;
}

static Error *merge_into(SpillRuns *r, SpillRun *to)
{
  Error *e = NULL;
  while (r->n_heap && !e) {
    const SpillRun *least = r->heap[0];
    e = add_to(r, to, &least->batch->pub, &least->batch->pub.events[least->at]);
    if (!e) e = advance(r, false);
  }
  return e ? e : write_image(r, to);
}

Error *spill_runs_reduce(SpillRuns *r)
{
  while (r->runs->len > SPILL_FAN_IN) {
    g_autoptr(GPtrArray) fewer = g_ptr_array_new();
    Error *e = NULL;
    for (guint first = 0; first < r->runs->len && !e; first += SPILL_FAN_IN) {
      SpillRun *to = run_new();
      g_ptr_array_add(fewer, to);
      e = open_heap(r, first, MIN(SPILL_FAN_IN, r->runs->len - first), false);
      if (!e) e = merge_into(r, to);
    }
    GPtrArray *old = r->runs;
    r->runs = g_steal_pointer(&fewer);
    for (guint i = 0; i < old->len; i++) run_free(r, old->pdata[i]);
    g_ptr_array_unref(old);
    g_clear_pointer(&r->heap, g_free);
    r->n_heap = 0;
    if (e) return e;
  }
  return NULL;
}

/* ----------------------------------------------------------------- reading */

static Error *next_merged(SpillRuns *r, bool keep, Batch **out)
{
  Error *e = r->heap ? NULL : open_heap(r, 0, r->runs->len, keep);
  if (e || !r->n_heap) return e;
  Batch *b = batch_take(r->pool, r->heap[0]->batch->pub.lane);
  while (r->n_heap && !batch_is_full(b, batch_pool_events(r->pool)) && !e) {
    const SpillRun *least = r->heap[0];
    batch_copy_event(b, &least->batch->pub, &least->batch->pub.events[least->at], r->with_raw);
    e = advance(r, keep);
  }
  if (e)
    batch_give(r->pool, b);
  else
    *out = b;
  return e;
}

Error *spill_runs_next(SpillRuns *r, bool merged, bool keep, Batch **out)
{
  *out = NULL;
  if (merged) return next_merged(r, keep, out);
  for (; r->sequence < r->runs->len; r->sequence++) {
    SpillRun *run = r->runs->pdata[r->sequence];
    Error *e = load(r, run, keep);
    *out = run->batch;
    run->batch = NULL;
    if (e || *out) return e;
  }
  return NULL;
}

void spill_runs_rewind(SpillRuns *r)
{
  for (guint i = 0; i < r->runs->len; i++) {
    run_drop_batch(r, r->runs->pdata[i]);
    ((SpillRun *)r->runs->pdata[i])->next = 0;
  }
  r->sequence = 0;
  g_clear_pointer(&r->heap, g_free);
  r->n_heap = 0;
}
