/* Lanes merged by time, with bases and tracks of their own, and distributed to where they came
 * from. */
/* SPDX-License-Identifier: MIT */
#include "sched/merge.h"

#include "events.h"
#include "model/engine.h"
#include "sched/lane.h"

enum { LANES = 3 };

typedef struct Fixture {
  Run run;
  Lane *merged;
} Fixture;

static void open_fixture(Fixture *f, uint64_t limit_bytes)
{
  *f = (Fixture){ .run = { .env = { .with_raw = true } } };
  f->run.pools.budget.limit_bytes = limit_bytes;
  f->run.pools.batches = batch_pool_new(16);
  f->run.pools.held_blocks = block_pool_new(HELD_BLOCK);
  f->run.pools.spill = spill_new(g_get_tmp_dir());
  f->run.lanes.list = g_ptr_array_new();
  notices_init(&f->run.aside.notices, engine_stage());
  StoreEnv env = { &f->run.pools.budget, f->run.pools.batches, f->run.pools.held_blocks,
                   f->run.pools.spill, true };
  for (uint32_t l = 0; l < LANES; l++) {
    Lane *lane = g_new0(Lane, 1);
    lane->info = g_new(LaneInfo, 1);
    lane_info_init(lane->info, l, NULL);
    lane_info_set_base(lane->info, 1000 * (int64_t)l);
    lane->info->name = g_strdup_printf("lane %u", l);
    lane->store = store_new(&env, true);
    g_ptr_array_add(f->run.lanes.list, lane);
  }
}

static void close_fixture(Fixture *f)
{
  lane_free(f->merged);
  for (guint l = 0; l < LANES; l++) lane_free(f->run.lanes.list->pdata[l]);
  g_ptr_array_unref(f->run.lanes.list);
  notices_clear(&f->run.aside.notices);
  CHECK_INT(f->run.pools.budget.used_bytes, 0);
  spill_free(f->run.pools.spill);
  batch_pool_free(f->run.pools.batches);
  block_pool_free(f->run.pools.held_blocks);
}

/* Lane l: n events at 10 i of the common clock, each second one without time, on rows that all
 * lanes name alike. */
static void fill(Fixture *f, int n)
{
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f->run.lanes.list->pdata[l];
    for (int i = 0; i < n; i++) {
      Batch *b = batch_take(f->run.pools.batches, lane->info->index);
      g_autofree char *raw = g_strdup_printf("%d of %d", i, l);
      MillEvent *e = batch_append_raw(
          b, event_at(i % 2 ? NO_TS : 10 * i - lane->info->base_ns, 1, (uint64_t)i), raw);
      e->track = tracks_find(lane->info->tracks, lane->info->index, mill_int(7), mill_int(i % 4));
      CHECK(store_add(lane->store, b) == NULL);
    }
    CHECK(store_close(lane->store) == NULL);
  }
}

/* Takes the merged stream, checks it, and holds it as the next segment would. */
static void merge_all(Fixture *f, int n)
{
  StoreEnv env = { &f->run.pools.budget, f->run.pools.batches, f->run.pools.held_blocks,
                   f->run.pools.spill, true };
  Store *held = store_new(&env, false);
  MillEvent last = { .flags = MILL_FLAG_NO_TS };
  int count = 0;
  Batch *b;
  f->merged = merge_lanes(&f->run, f->run.lanes.list);
  f->run.lanes.merged = f->merged;
  while (CHECK(merge_next(f->merged->merge, true, &b) == NULL) && b) {
    for (uint32_t i = 0; i < b->pub.n_events; i++, count++) {
      const MillEvent *e = &b->pub.events[i];
      CHECK(!count || event_compare(&last, e) < 0);
      CHECK_INT(e->seq, count);
      last = *e;
    }
    CHECK(store_add(held, b) == NULL);
  }
  CHECK_INT(count, LANES * n);
  CHECK_INT(tracks_count(f->merged->info->tracks), LANES * 4);
  CHECK(store_close(held) == NULL);
  f->merged->store = held;
}

static void check_dealt(Fixture *f, int n)
{
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f->run.lanes.list->pdata[l];
    Batch *b;
    int count = 0;
    for (; CHECK(store_next(lane->store, false, true, &b) == NULL) && b;
         batch_give(f->run.pools.batches, b))
      for (uint32_t k = 0; k < b->pub.n_events; k++, count++) {
        const MillEvent *e = &b->pub.events[k];
        bool timed = !(e->flags & MILL_FLAG_NO_TS);
        int i = timed ? (int)(e->ts_ns + lane->info->base_ns) / 10 : 2 * count + 1;
        g_autofree char *raw = g_strdup_printf("%d of %d", i, l);
        CHECK_INT(timed, count >= n / 2);
        CHECK(raw_is(b, e, raw));
        const MillTrack *row = tracks_get(lane->info->tracks, e->track);
        CHECK(row->lane == lane->info->index && row->process.u.i == 7 && row->thread.u.i == i % 4);
      }
    CHECK_INT(count, n);
    CHECK_INT(tracks_count(lane->info->tracks), 4);
    CHECK(lane->info->next_seq > 0);
  }
}

static void test_there_and_back(void)
{
  static const uint64_t limits[] = { 1 << 30, 1 << 14 };
  for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
    Fixture f;
    open_fixture(&f, limits[i]);
    fill(&f, 200);
    merge_all(&f, 200);
    CHECK(merge_split(&f.run, f.merged) == NULL);
    check_dealt(&f, 200);
    close_fixture(&f);
  }
}

/* What was made on a row that only the merged stream has goes to the first lane; absurd times
 * stay in place. */
static void test_odd_events(void)
{
  static const int64_t times[] = { INT64_MIN, INT64_MIN + 5, 0, INT64_MAX - 5, INT64_MAX };
  Fixture f;
  Batch *b;
  open_fixture(&f, 1 << 30);
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f.run.lanes.list->pdata[l];
    b = batch_take(f.run.pools.batches, lane->info->index);
    for (uint64_t i = 0; i < G_N_ELEMENTS(times); i++)
      batch_append(b, event_at(times[i], 1, i))->track =
          tracks_find(lane->info->tracks, lane->info->index, mill_int(1), mill_none());
    CHECK(store_add(lane->store, b) == NULL);
    CHECK(store_close(lane->store) == NULL);
  }
  f.merged = merge_lanes(&f.run, f.run.lanes.list);
  StoreEnv env = { &f.run.pools.budget, f.run.pools.batches, f.run.pools.held_blocks,
                   f.run.pools.spill, true };
  f.merged->store = store_new(&env, false);
  int64_t last = INT64_MIN;
  for (; CHECK(merge_next(f.merged->merge, true, &b) == NULL) && b;) {
    for (uint32_t i = 0; i < b->pub.n_events; last = b->pub.events[i++].ts_ns)
      CHECK(b->pub.events[i].ts_ns >= last);
    b->pub.events_[0].track = tracks_find(f.merged->info->tracks, LANES, mill_int(99), mill_none());
    CHECK(store_add(f.merged->store, b) == NULL);
  }
  CHECK(store_close(f.merged->store) == NULL);
  CHECK(merge_split(&f.run, f.merged) == NULL);
  uint64_t total = 0;
  for (int l = 0; l < LANES; l++) {
    Store *own = ((Lane *)f.run.lanes.list->pdata[l])->store;
    for (; CHECK(store_next(own, false, true, &b) == NULL) && b; batch_give(f.run.pools.batches, b))
      total += b->pub.n_events;
  }
  CHECK_INT(total, LANES * G_N_ELEMENTS(times));
  close_fixture(&f);
}

/* One event per lane, at 5 of its own clock; the times that they have when merged, in lane order. */
static void merge_bases(const int64_t *bases, int64_t *out_ts, int64_t *out_base,
                        uint64_t *out_notes)
{
  Fixture f;
  Batch *b;
  open_fixture(&f, 1 << 30);
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f.run.lanes.list->pdata[l];
    lane->info->base_ns = bases[l];
    lane->info->timed = true;
    b = batch_take(f.run.pools.batches, lane->info->index);
    batch_append(b, event_at(5, 1, 0))->track =
        tracks_find(lane->info->tracks, lane->info->index, mill_int(1), mill_none());
    CHECK(store_add(lane->store, b) == NULL && store_close(lane->store) == NULL);
  }
  f.merged = merge_lanes(&f.run, f.run.lanes.list);
  for (; CHECK(merge_next(f.merged->merge, true, &b) == NULL) && b;
       batch_give(f.run.pools.batches, b))
    for (uint32_t i = 0; i < b->pub.n_events; i++) {
      const MillEvent *e = &b->pub.events[i];
      out_ts[tracks_get(f.merged->info->tracks, e->track)->lane] = e->ts_ns;
    }
  *out_base = f.merged->info->base_ns;
  *out_notes =
      f.run.aside.notices.counts[notices_find(engine_stage(), ENGINE_UNKNOWN_BASE)].count;
  close_fixture(&f);
}

/* Known bases are put on that of the first lane that has one; what is unknown stays where it is, with a notice. */
static void test_bases(void)
{
  enum { NONE = -1 };
  static const struct {
    const char *what;
    int64_t bases[LANES], ts[LANES], base;
    uint64_t notes;
  } rows[] = {
    { "all known", { 1000, 3000, 0 }, { 5, 2005, -995 }, 1000, 0 },
    { "all unknown", { NONE, NONE, NONE }, { 5, 5, 5 }, NONE, 0 },
    { "the first unknown", { NONE, 3000, 1000 }, { 5, 5, -1995 }, 3000, 1 },
    { "one known", { NONE, NONE, 7 }, { 5, 5, 5 }, 7, 2 },
    { "1970 is a date", { 0, 50, NONE }, { 5, 55, 5 }, 0, 1 },
    { "too far apart", { -INT64_MAX, INT64_MAX, 0 }, { 5, 5, INT64_MAX }, -INT64_MAX, 0 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int64_t bases[LANES], ts[LANES], base;
    uint64_t notes;
    for (int l = 0; l < LANES; l++)
      bases[l] = rows[i].bases[l] == NONE ? MILL_NO_BASE : rows[i].bases[l];
    merge_bases(bases, ts, &base, &notes);
    bool ok = CHECK_INT(base, rows[i].base == NONE ? MILL_NO_BASE : rows[i].base) &&
              CHECK_INT(notes, rows[i].notes);
    for (int l = 0; l < LANES; l++) ok = CHECK_INT(ts[l], rows[i].ts[l]) && ok;
    if (!ok) CHECK_ROW(rows[i].what);
  }
}

/* An event on a row that nobody made stays with its lane, on a row without names. */
static void test_unknown_track(void)
{
  Fixture f;
  Batch *b;
  open_fixture(&f, 1 << 30);
  StoreEnv env = { &f.run.pools.budget, f.run.pools.batches, f.run.pools.held_blocks,
                   f.run.pools.spill, true };
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f.run.lanes.list->pdata[l];
    b = batch_take(f.run.pools.batches, lane->info->index);
    batch_append(b, event_at(5, 1, 0))->track = l == 1 ? UINT32_MAX : 1u << 30;
    CHECK(store_add(lane->store, b) == NULL && store_close(lane->store) == NULL);
  }
  f.merged = merge_lanes(&f.run, f.run.lanes.list);
  f.merged->store = store_new(&env, false);
  while (CHECK(merge_next(f.merged->merge, true, &b) == NULL) && b)
    CHECK(store_add(f.merged->store, b) == NULL);
  CHECK_INT(tracks_count(f.merged->info->tracks), LANES);
  CHECK(store_close(f.merged->store) == NULL);
  CHECK(merge_split(&f.run, f.merged) == NULL);
  for (int l = 0; l < LANES; l++) {
    const Lane *lane = f.run.lanes.list->pdata[l];
    if (!CHECK(store_next(lane->store, false, true, &b) == NULL) || !CHECK(b != NULL)) continue;
    const MillTrack *row = tracks_get(lane->info->tracks, b->pub.events[0].track);
    CHECK(b->pub.n_events == 1 && row->lane == lane->info->index && row->process.type == MILL_NONE);
    batch_give(f.run.pools.batches, b);
  }
  close_fixture(&f);
}

TEST_MAIN({ "merged and split again", test_there_and_back },
          { "known and unknown bases", test_bases }, { "odd rows and times", test_odd_events },
          { "rows that nobody made", test_unknown_track })
