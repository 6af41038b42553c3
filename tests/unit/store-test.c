/* Held events come back as they went in, or sorted: from memory, from the temporary file, and
 * from both. */
/* SPDX-License-Identifier: MIT */
#include "events.h"
#include "store/store.h"

typedef struct Fixture {
  Budget budget;
  BatchPool *pool;
  BlockPool *blocks;
  Spill *spill;
  StoreEnv env;
} Fixture;

static void open_fixture(Fixture *f, uint64_t limit_bytes, uint32_t batch_events)
{
  *f = (Fixture){ .budget.limit_bytes = limit_bytes };
  f->pool = batch_pool_new(batch_events);
  f->blocks = block_pool_new(HELD_BLOCK);
  f->spill = spill_new(g_get_tmp_dir());
  f->env = (StoreEnv){ &f->budget, f->pool, f->blocks, f->spill, true };
}

static void close_fixture(Fixture *f)
{
  CHECK_INT(f->budget.used_bytes, 0);
  spill_free(f->spill);
  batch_pool_free(f->pool);
  block_pool_free(f->blocks);
}

static void fill(Fixture *f, Store *s, int n, bool shuffled)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(11);
  for (int i = 0; i < n;) {
    Batch *b = batch_take(f->pool, 3);
    for (; i < n && b->pub.n_events < batch_pool_events(f->pool); i++) {
      g_autofree char *raw = g_strdup_printf("event %d", i);
      int64_t ts = shuffled ? g_rand_int_range(random, 0, MAX(1, n / 4)) : i;
      MillEvent *e = batch_append_raw(b, event_at(ts, i % 3, (uint64_t)i), raw);
      batch_set_attr(b, e, 5, mill_text(raw, (uint32_t)strlen(raw)));
    }
    CHECK(store_add(s, b) == NULL);
  }
}

/* Reads all: each event once, with its bytes, and in order. */
static void drain(Fixture *f, Store *s, int n, bool sorted, bool keep)
{
  g_autofree bool *seen = g_new0(bool, (size_t)n);
  MillEvent last = event_at(INT64_MIN, 0, 0);
  int count = 0;
  for (;;) {
    Batch *b;
    if (!CHECK(store_next(s, keep, true, &b) == NULL) || !b) break;
    CHECK(b->pub.n_events > 0 && b->pub.n_events <= batch_pool_events(f->pool));
    CHECK_INT(b->pub.lane, 3);
    for (uint32_t i = 0; i < b->pub.n_events; i++, count++) {
      const MillEvent *e = &b->pub.events[i];
      size_t len = 0;
      g_autofree char *raw = g_strdup_printf("event %d", (int)e->seq);
      if (e->seq >= (uint64_t)n || seen[e->seq] || !raw_is(b, e, raw)) {
        CHECK(!"each event once, with its bytes");
        break;
      }
      seen[e->seq] = true;
      const char *text = mill_attr_text(&b->pub, mill_attr(&b->pub, e, 5), &len);
      CHECK(len == strlen(raw) && !memcmp(text, raw, len));
      if (sorted && count) CHECK(event_compare(&last, e) < 0);
      if (!sorted) CHECK_INT(e->seq, count);
      last = *e;
    }
    batch_give(f->pool, b);
  }
  CHECK_INT(count, n);
}

static void test_all(void)
{
  static const struct {
    const char *name;
    uint64_t limit;
    uint32_t batch;
    int n;
    bool sort, shuffled, spills;
  } rows[] = {
    { "in memory", 1 << 30, 64, 5000, false, false, false },
    { "in memory, sorted", 1 << 30, 64, 5000, true, true, false },
    { "in memory, in order already", 1 << 30, 64, 5000, true, false, false },
    { "spilled", 1 << 16, 64, 5000, false, false, true },
    { "spilled, sorted", 1 << 16, 64, 5000, true, true, true },
    { "spilled, in order already", 1 << 16, 64, 5000, true, false, true },
    { "spilled, batches of one", 1 << 12, 1, 600, true, true, true },
    { "partly spilled", 1 << 18, 64, 5000, false, false, true },
    { "partly spilled, sorted", 1 << 18, 64, 5000, true, true, true },
    { "large batches", 1 << 18, 1024, 9000, true, true, true },
    { "nothing", 1 << 20, 64, 0, true, true, false },
    { "one", 1 << 20, 64, 1, true, true, false },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Fixture f;
    unsigned before = CU_get_number_of_failures();
    open_fixture(&f, rows[i].limit, rows[i].batch);
    Store *s = store_new(&f.env, rows[i].sort);
    fill(&f, s, rows[i].n, rows[i].shuffled);
    CHECK(store_close(s) == NULL);
    CHECK_INT(store_spilled_bytes(s) > 0, rows[i].spills);
    drain(&f, s, rows[i].n, rows[i].sort, true);
    store_rewind(s);
    drain(&f, s, rows[i].n, rows[i].sort, false);
    store_free(s);
    close_fixture(&f);
    if (CU_get_number_of_failures() > before) CHECK_ROW(rows[i].name);
  }
}

/* What is held stays near the limit, however much is added. */
static void test_bounded(void)
{
  Fixture f;
  open_fixture(&f, 1 << 20, 64);
  Store *s = store_new(&f.env, true);
  fill(&f, s, 60000, true);
  CHECK(store_close(s) == NULL);
  CHECK(f.budget.peak_bytes <= (1 << 20) + (1 << 18));
  drain(&f, s, 60000, true, false);
  store_free(s);
  close_fixture(&f);
}

/* A thousand batches that lost nearly all their events do not keep their memory. */
static void test_sparse(void)
{
  Fixture f;
  open_fixture(&f, UINT64_C(1) << 40, 1024);
  Store *s = store_new(&f.env, false);
  for (uint64_t i = 0; i < 1000; i++) {
    Batch *b = batch_take(f.pool, 0);
    batch_append(b, event_at((int64_t)i, 1, i));
    CHECK(store_add(s, b) == NULL);
  }
  CHECK(f.budget.used_bytes < 1 << 20);
  CHECK(store_close(s) == NULL);
  store_free(s); /* without being read */
  close_fixture(&f);
}

static void test_append(void)
{
  Fixture f;
  open_fixture(&f, 1 << 16, 64);
  Store *s = store_new(&f.env, true);
  Batch *b = batch_take(f.pool, 3);
  for (int i = 0; i < 3000; i++) {
    batch_reset(b, 3);
    g_autofree char *raw = g_strdup_printf("event %d", i);
    MillEvent *e = batch_append_raw(b, event_at(-i, 1, (uint64_t)i), raw);
    batch_set_attr(b, e, 5, mill_text(raw, (uint32_t)strlen(raw)));
    CHECK(store_append(s, b, e) == NULL);
  }
  batch_give(f.pool, b);
  CHECK(store_close(s) == NULL);
  drain(&f, s, 3000, true, false);
  store_free(s);
  close_fixture(&f);
}

TEST_MAIN({ "held, spilled, sorted, read twice", test_all },
          { "memory stays near the limit", test_bounded },
          { "sparse batches are put together", test_sparse }, { "single events", test_append })
