/* Runs of held events in the temporary file; see spill-runs.h. */
/* SPDX-License-Identifier: MIT */
#include "store/spill-runs.h"

#include <glib.h>

#include "base/heap.h"

/* Small images: one of every run that is merged is in memory at a time. */
#define IMAGE_EVENTS 256u
#define IMAGE_BYTES (64u << 10)

typedef struct SpillRun {
  GArray *images; /* SpillImage */
  guint next;     /* image to read */
  Pack *pack;     /* being read */
  uint32_t at;
  uint32_t index; /* among those merged: what is equal keeps the order in which it came */
} SpillRun;

struct SpillRuns {
  Spill *spill;
  Packing *packing; /* of the last run's next image */
  uint32_t lane;
  GPtrArray *runs; /* SpillRun * */
  guint sequence;  /* the run being read, when they are not merged */
  SpillRun **heap; /* the runs being merged, smallest event first */
  uint32_t n_heap;
  uint64_t bytes;
};

SpillRuns *spill_runs_new(Spill *spill, bool with_raw)
{
  SpillRuns *r = g_new0(SpillRuns, 1);
  r->spill = spill;
  r->packing = packing_new(with_raw);
  r->runs = g_ptr_array_new();
  return r;
}

static void drop_pack(SpillRun *run)
{
  g_clear_pointer(&run->pack, g_free);
  run->at = 0;
}

static void run_free(SpillRuns *r, SpillRun *run)
{
  drop_pack(run);
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
  packing_free(r->packing);
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

static SpillRun *last_run(const SpillRuns *r) { return r->runs->pdata[r->runs->len - 1]; }

static Error *write_image(SpillRuns *r, SpillRun *run, const Pack *p)
{
  SpillImage image;
  Error *e = spill_write(r->spill, p, &image);
  if (e) return e;
  g_array_append_val(run->images, image);
  r->bytes += image.len;
  return NULL;
}

static Error *finish_image(SpillRuns *r, SpillRun *run)
{
  g_autofree Pack *p = packing_finish(r->packing, r->lane);
  return p ? write_image(r, run, p) : NULL;
}

static Error *add_to(SpillRuns *r, SpillRun *run, Held h)
{
  r->lane = h.pack->lane;
  packing_copy(r->packing, h.pack, h.index);
  bool full = packing_is_full(r->packing, IMAGE_EVENTS) || packing_bytes(r->packing) >= IMAGE_BYTES;
  return full ? finish_image(r, run) : NULL;
}

void spill_runs_begin(SpillRuns *r) { g_ptr_array_add(r->runs, run_new()); }

Error *spill_runs_add_pack(SpillRuns *r, const Pack *p) { return write_image(r, last_run(r), p); }

Error *spill_runs_add(SpillRuns *r, Held h) { return add_to(r, last_run(r), h); }

Error *spill_runs_end(SpillRuns *r) { return finish_image(r, last_run(r)); }

uint32_t spill_runs_count(const SpillRuns *r) { return r->runs->len; }

uint64_t spill_runs_bytes(const SpillRuns *r) { return r->bytes; }

/* ----------------------------------------------------------------- merging */

static bool run_before(SpillRun *const *x, SpillRun *const *y)
{
  const SpillRun *a = *x, *b = *y;
  int order = pack_compare(a->pack, a->at, b->pack, b->at);
  return order < 0 || (order == 0 && a->index < b->index);
}

HEAP(runs, SpillRun *, run_before)

/* The next image of the run; no pack at its end. */
static Error *load(SpillRuns *r, SpillRun *run, bool keep)
{
  drop_pack(run);
  if (run->next == run->images->len) return NULL;
  const SpillImage *image = &g_array_index(run->images, SpillImage, run->next++);
  Error *e = spill_read(r->spill, image, &run->pack);
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
    if (run->pack) r->heap[r->n_heap++] = run;
  }
  runs_make(r->heap, r->n_heap);
  return NULL;
}

static Held held_of(const SpillRun *run) { return (Held){ run->pack, run->at }; }

/* The smallest event goes by. */
static Error *advance(SpillRuns *r, bool keep)
{
  SpillRun *run = r->heap[0];
  Error *e = NULL;
  if (++run->at == run->pack->n_events) {
    e = load(r, run, keep);
    if (!run->pack) r->heap[0] = r->heap[--r->n_heap];
  }
  runs_sink(r->heap, r->n_heap, 0);
  return e;
}

static Error *merge_into(SpillRuns *r, SpillRun *to)
{
  Error *e = NULL;
  while (r->n_heap && !e) {
    e = add_to(r, to, held_of(r->heap[0]));
    if (!e) e = advance(r, false);
  }
  return e ? e : finish_image(r, to);
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

static Error *peek_in_sequence(SpillRuns *r, bool keep, Held *out)
{
  for (; r->sequence < r->runs->len; r->sequence++) {
    SpillRun *run = r->runs->pdata[r->sequence];
    Error *e = NULL;
    if (!run->pack || run->at == run->pack->n_events) e = load(r, run, keep);
    if (e) return e;
    *out = held_of(run);
    if (run->pack) return NULL;
  }
  return NULL;
}

Error *spill_runs_peek(SpillRuns *r, bool merged, bool keep, Held *out)
{
  *out = (Held){ 0 };
  if (!merged) return peek_in_sequence(r, keep, out);
  Error *e = r->heap ? NULL : open_heap(r, 0, r->runs->len, keep);
  if (!e && r->n_heap) *out = held_of(r->heap[0]);
  return e;
}

Error *spill_runs_pass(SpillRuns *r, bool merged, bool keep)
{
  if (merged) return advance(r, keep);
  ((SpillRun *)r->runs->pdata[r->sequence])->at++;
  return NULL;
}

void spill_runs_rewind(SpillRuns *r)
{
  for (guint i = 0; i < r->runs->len; i++) {
    drop_pack(r->runs->pdata[i]);
    ((SpillRun *)r->runs->pdata[i])->next = 0;
  }
  r->sequence = 0;
  g_clear_pointer(&r->heap, g_free);
  r->n_heap = 0;
}
