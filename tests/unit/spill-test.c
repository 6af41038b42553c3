/* The temporary file: packs, runs of images, and what happens when it cannot be written. */
/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "events.h"
#include "store/spill-runs.h"
#include "store/spill.h"
#include "scratch.h"

/* One event whose raw bytes are `number` in digits. */
static Pack *pack_of_one(int64_t ts, uint64_t seq, int number)
{
  Batch *b = batch_new(4);
  Packing *packing = packing_new(true);
  batch_reset(b, 0);
  g_autofree char *raw = g_strdup_printf("%d", number);
  packing_add(packing, b, batch_append_raw(b, event_at(ts, 1, seq), raw));
  Pack *p = packing_finish(packing, 0);
  packing_free(packing);
  batch_free(b);
  return p;
}

static void add_event(SpillRuns *r, int64_t ts, uint64_t seq, int number)
{
  g_autofree Pack *p = pack_of_one(ts, seq, number);
  CHECK(spill_runs_add(r, (Held){ p, 0 }) == NULL);
}

/* Passes all events; each must be checked while it is at hand. */
static bool next(SpillRuns *r, bool merged, bool keep, bool first, Held *out)
{
  if (!first && !CHECK(spill_runs_pass(r, merged, keep) == NULL)) return false;
  return CHECK(spill_runs_peek(r, merged, keep, out) == NULL) && out->pack;
}

/* 100 runs, of which each has every hundredth time; so there are more than are merged at once. */
static void test_runs(void)
{
  g_autofree char *folder = scratch_folder();
  Spill *spill = spill_new(folder);
  for (int merged = 0; merged < 2; merged++) {
    SpillRuns *r = spill_runs_new(spill, true);
    for (int run = 0; run < 100; run++) {
      spill_runs_begin(r);
      for (int i = 0; i < 30; i++) add_event(r, i * 100 + run, (uint64_t)(run * 30 + i), run);
      CHECK(spill_runs_end(r) == NULL);
    }
    CHECK_INT(spill_runs_count(r), 100);
    if (merged) CHECK(spill_runs_reduce(r) == NULL && spill_runs_count(r) <= SPILL_FAN_IN);
    for (int pass = 0; pass < 2; pass++) {
      int64_t n = 0;
      for (Held h; next(r, merged, pass == 0, !n, &h); n++) {
        const HeldEvent *e = &pack_events(h.pack)[h.index];
        CHECK_INT(e->ts_ns, merged ? n : n % 30 * 100 + n / 30);
      }
      CHECK_INT(n, 3000);
      spill_runs_rewind(r);
    }
    spill_runs_free(r);
  }
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  CHECK(g_dir_read_name(dir) == NULL); /* the file has no name */
  spill_free(spill);
  rmdir(folder);
}

/* Equal events keep the order of their runs, also over more than one pass. */
static void test_ties(void)
{
  Spill *spill = spill_new(g_get_tmp_dir());
  SpillRuns *r = spill_runs_new(spill, true);
  for (int run = 0; run < 70; run++) {
    spill_runs_begin(r);
    add_event(r, 5, 7, run);
    CHECK(spill_runs_end(r) == NULL);
  }
  CHECK(spill_runs_reduce(r) == NULL);
  int n = 0;
  for (Held h; next(r, true, false, !n, &h); n++) {
    BlockPlace nowhere;
    bool texts = false;
    Batch *b = batch_new(4);
    batch_reset(b, 0);
    g_autofree char *raw = g_strdup_printf("%d", n);
    CHECK(raw_is(b, pack_unpack(h.pack, h.index, b, &nowhere, &texts), raw));
    batch_free(b);
  }
  CHECK_INT(n, 70);
  spill_runs_free(r);
  spill_free(spill);
}

static void test_image(void)
{
  Spill *spill = spill_new(g_get_tmp_dir());
  g_autofree Pack *p = pack_of_one(1, 2, 3), *back = NULL;
  SpillImage image;
  CHECK(spill_write(spill, p, &image) == NULL);
  CHECK(spill_read(spill, &image, &back) == NULL);
  if (CHECK(back && pack_size(back) == pack_size(p))) CHECK(!memcmp(back, p, pack_size(p)));
  spill_free(spill);
}

static void test_no_folder(void)
{
  Spill *spill = spill_new("/nonexistent/folder");
  g_autofree Pack *p = pack_of_one(1, 1, 1);
  SpillImage image;
  g_autoptr(Error) e = spill_write(spill, p, &image);
  if (CHECK(e != NULL)) CHECK_INT(e->status, EXIT_OUTPUT);
  spill_free(spill);
}

TEST_MAIN({ "runs, one after the other and merged", test_runs }, { "equal events", test_ties },
          { "a pack comes back as it was", test_image },
          { "a folder that is not there", test_no_folder })
