/* The temporary file: images of batches, runs of images, and what happens when it cannot be written. */
#include <sys/stat.h>

#include "events.h"
#include "store/spill-runs.h"
#include "store/spill.h"
#include "scratch.h"

static void add_event(SpillRuns *r, BatchPool *pool, int64_t ts, uint64_t seq)
{
  Batch *b = batch_take(pool, 0);
  g_autofree char *raw = g_strdup_printf("%d", (int)seq);
  MillEvent *e = batch_append_raw(b, event_at(ts, 1, seq), raw);
  CHECK(spill_runs_add(r, &b->pub, e) == NULL);
  batch_give(pool, b);
}

/* 100 runs, of which each has every hundredth time; so there are more than are merged at once. */
static void test_runs(void)
{
  BatchPool *pool = batch_pool_new(50);
  g_autofree char *folder = scratch_folder();
  Spill *spill = spill_new(folder);
  for (int merged = 0; merged < 2; merged++) {
    SpillRuns *r = spill_runs_new(spill, pool, true);
    for (int run = 0; run < 100; run++) {
      spill_runs_begin(r);
      for (int i = 0; i < 30; i++) add_event(r, pool, i * 100 + run, (uint64_t)(run * 30 + i));
      CHECK(spill_runs_end(r) == NULL);
    }
    CHECK_INT(spill_runs_count(r), 100);
    if (merged) CHECK(spill_runs_reduce(r) == NULL && spill_runs_count(r) <= SPILL_FAN_IN);
    for (int pass = 0; pass < 2; pass++) {
      int64_t n = 0;
      Batch *b;
      for (; CHECK(spill_runs_next(r, merged, pass == 0, &b) == NULL) && b; batch_give(pool, b))
        for (uint32_t i = 0; i < b->pub.n_events; i++, n++)
          CHECK_INT(merged ? b->pub.events[i].ts_ns : (int64_t)b->pub.events[i].seq, n);
      CHECK_INT(n, 3000);
      spill_runs_rewind(r);
    }
    spill_runs_free(r);
  }
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  CHECK(g_dir_read_name(dir) == NULL); /* the file has no name */
  spill_free(spill);
  batch_pool_free(pool);
  rmdir(folder);
}

/* Equal events keep the order of their runs, also over more than one pass. */
static void test_ties(void)
{
  BatchPool *pool = batch_pool_new(50);
  Spill *spill = spill_new(g_get_tmp_dir());
  SpillRuns *r = spill_runs_new(spill, pool, true);
  for (int run = 0; run < 70; run++) {
    Batch *b = batch_take(pool, 0);
    g_autofree char *raw = g_strdup_printf("%d", run);
    spill_runs_begin(r);
    CHECK(spill_runs_add(r, &b->pub, batch_append_raw(b, event_at(5, 1, 7), raw)) == NULL);
    CHECK(spill_runs_end(r) == NULL);
    batch_give(pool, b);
  }
  CHECK(spill_runs_reduce(r) == NULL);
  int n = 0;
  Batch *b;
  for (; CHECK(spill_runs_next(r, true, false, &b) == NULL) && b; batch_give(pool, b))
    for (uint32_t i = 0; i < b->pub.n_events; i++, n++) {
      g_autofree char *raw = g_strdup_printf("%d", n);
      CHECK(raw_is(b, &b->pub.events[i], raw));
    }
  CHECK_INT(n, 70);
  spill_runs_free(r);
  spill_free(spill);
  batch_pool_free(pool);
}

/* Of many batches the events lie in pieces that several share: a larger image finds a place of its own. */
static void test_larger_image(void)
{
  enum { TAKEN = 70, EVENTS = 3 * BATCH_EVENTS };
  BatchPool *pool = batch_pool_new(BATCH_EVENTS);
  Spill *spill = spill_new(g_get_tmp_dir());
  Batch *taken[TAKEN], *large = batch_new(EVENTS), *back = NULL;
  SpillImage image;
  for (int i = 0; i < TAKEN; i++) taken[i] = batch_take(pool, 0);
  batch_reset(large, 0);
  for (uint32_t i = 0; i < EVENTS; i++) batch_append(large, event_at(i, 1, i));
  CHECK(spill_write(spill, large, &image) == NULL);
  CHECK(spill_read(spill, &image, pool, &back) == NULL);
  if (CHECK(back && back->part && back->pub.n_events == EVENTS))
    CHECK(!memcmp(back->pub.events, large->pub.events, EVENTS * sizeof(MillEvent)));
  batch_give(pool, back);
  batch_free(large);
  for (int i = 0; i < TAKEN; i++) batch_give(pool, taken[i]);
  spill_free(spill);
  batch_pool_free(pool);
}

static void test_no_folder(void)
{
  BatchPool *pool = batch_pool_new(4);
  Spill *spill = spill_new("/nonexistent/folder");
  Batch *b = batch_take(pool, 0);
  batch_append(b, event_at(1, 1, 1));
  SpillImage image;
  g_autoptr(Error) e = spill_write(spill, b, &image);
  if (CHECK(e != NULL)) CHECK_INT(e->status, EXIT_OUTPUT);
  batch_give(pool, b);
  spill_free(spill);
  batch_pool_free(pool);
}

TEST_MAIN({ "runs, one after the other and merged", test_runs }, { "equal events", test_ties },
          { "an image larger than a batch", test_larger_image },
          { "a folder that is not there", test_no_folder })
