/* Lanes merged by time, with bases and tracks of their own, and dealt back to where they came
 * from. */
#include "sched/merge.h"

#include "events.h"
#include "sched/lane.h"

enum { LANES = 3 };

typedef struct Fixture {
  Run run;
  Lane *merged;
} Fixture;

static void open_fixture(Fixture *f, uint64_t limit_bytes)
{
  *f = (Fixture){ .run = { .want_raw = true } };
  f->run.budget.limit_bytes = limit_bytes;
  f->run.batches = batch_pool_new(16);
  f->run.spill = spill_new(g_get_tmp_dir());
  f->run.lanes = g_ptr_array_new();
  StoreEnv env = { &f->run.budget, f->run.batches, f->run.spill, true };
  for (uint32_t l = 0; l < LANES; l++) {
    Lane *lane = g_new0(Lane, 1);
    lane->index = l;
    lane->base_ns = 1000 * (int64_t)l;
    lane->name = g_strdup_printf("lane %u", l);
    lane->dialect = g_strdup("");
    lane->facts = g_ptr_array_new();
    lane->members = g_ptr_array_new();
    lane->tracks = tracks_new();
    lane->store = store_new(&env, true);
    g_ptr_array_add(f->run.lanes, lane);
  }
}

static void close_fixture(Fixture *f)
{
  lane_free(f->merged);
  for (guint l = 0; l < LANES; l++) lane_free(f->run.lanes->pdata[l]);
  g_ptr_array_unref(f->run.lanes);
  CHECK_INT(f->run.budget.used_bytes, 0);
  spill_free(f->run.spill);
  batch_pool_free(f->run.batches);
}

/* Lane l: n events at 10 i of the common clock, each second one without time, on rows that all
 * lanes name alike. */
static void fill(Fixture *f, int n)
{
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f->run.lanes->pdata[l];
    for (int i = 0; i < n; i++) {
      Batch *b = batch_take(f->run.batches, lane->index);
      g_autofree char *raw = g_strdup_printf("%d of %d", i, l);
      MillEvent *e = batch_append_raw(
          b, event_at(i % 2 ? NO_TS : 10 * i - lane->base_ns, 1, (uint64_t)i), raw);
      e->track = tracks_find(lane->tracks, lane->index, mill_int(7), mill_int(i % 4));
      CHECK(store_add(lane->store, b) == NULL);
    }
    CHECK(store_close(lane->store) == NULL);
  }
}

/* Takes the merged stream, checks it, and holds it as the next segment would. */
static void merge_all(Fixture *f, int n)
{
  StoreEnv env = { &f->run.budget, f->run.batches, f->run.spill, true };
  Store *held = store_new(&env, false);
  MillEvent last = { .flags = MILL_FLAG_NO_TS };
  int count = 0;
  Batch *b;
  f->merged = merge_lanes(&f->run, f->run.lanes);
  f->run.merged = f->merged;
  while (CHECK(merge_next(f->merged->merge, &b) == NULL) && b) {
    for (uint32_t i = 0; i < b->pub.n_events; i++, count++) {
      const MillEvent *e = &b->pub.events[i];
      CHECK(!count || event_compare(&last, e) < 0);
      CHECK_INT(e->seq, count);
      last = *e;
    }
    CHECK(store_add(held, b) == NULL);
  }
  CHECK_INT(count, LANES * n);
  CHECK_INT(tracks_count(f->merged->tracks), LANES * 4);
  CHECK(store_close(held) == NULL);
  f->merged->store = held;
}

static void check_dealt(Fixture *f, int n)
{
  for (int l = 0; l < LANES; l++) {
    Lane *lane = f->run.lanes->pdata[l];
    Batch *b;
    int count = 0;
    for (; CHECK(store_next(lane->store, false, &b) == NULL) && b; batch_give(f->run.batches, b))
      for (uint32_t k = 0; k < b->pub.n_events; k++, count++) {
        const MillEvent *e = &b->pub.events[k];
        bool timed = !(e->flags & MILL_FLAG_NO_TS);
        int i = timed ? (int)(e->ts_ns + lane->base_ns) / 10 : 2 * count + 1;
        g_autofree char *raw = g_strdup_printf("%d of %d", i, l);
        CHECK_INT(timed, count >= n / 2);
        CHECK(raw_is(b, e, raw));
        const MillTrack *row = tracks_get(lane->tracks, e->track);
        CHECK(row->lane == lane->index && row->process.u.i == 7 && row->thread.u.i == i % 4);
      }
    CHECK_INT(count, n);
    CHECK_INT(tracks_count(lane->tracks), 4);
    CHECK_INT(lane->next_seq > 0, 1);
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
    Lane *lane = f.run.lanes->pdata[l];
    b = batch_take(f.run.batches, lane->index);
    for (uint64_t i = 0; i < G_N_ELEMENTS(times); i++)
      batch_append(b, event_at(times[i], 1, i))->track =
          tracks_find(lane->tracks, lane->index, mill_int(1), mill_none());
    CHECK(store_add(lane->store, b) == NULL);
    CHECK(store_close(lane->store) == NULL);
  }
  f.merged = merge_lanes(&f.run, f.run.lanes);
  StoreEnv env = { &f.run.budget, f.run.batches, f.run.spill, true };
  f.merged->store = store_new(&env, false);
  int64_t last = INT64_MIN;
  for (; CHECK(merge_next(f.merged->merge, &b) == NULL) && b;) {
    for (uint32_t i = 0; i < b->pub.n_events; last = b->pub.events[i++].ts_ns)
      CHECK(b->pub.events[i].ts_ns >= last);
    b->pub.events[0].track = tracks_find(f.merged->tracks, LANES, mill_int(99), mill_none());
    CHECK(store_add(f.merged->store, b) == NULL);
  }
  CHECK(store_close(f.merged->store) == NULL);
  CHECK(merge_split(&f.run, f.merged) == NULL);
  uint64_t total = 0;
  for (int l = 0; l < LANES; l++) {
    Store *dealt = ((Lane *)f.run.lanes->pdata[l])->store;
    for (; CHECK(store_next(dealt, false, &b) == NULL) && b; store_give(dealt, b, false))
      total += b->pub.n_events;
  }
  CHECK_INT(total, LANES * G_N_ELEMENTS(times));
  close_fixture(&f);
}

TEST_MAIN({ "merged and dealt back", test_there_and_back },
          { "odd rows and times", test_odd_events })
