/* Events that a stage keeps: copies that outlive their batch, count against the memory limit, and are given back
 * once. */
/* SPDX-License-Identifier: MIT */
#include "host/kept.h"

#include "events.h"
#include "host-fixture.h"

static const MillStageOps ops = { .size = sizeof ops };
static const Descriptor stage = { .kind = MILL_KIND_STAGE,
                                  .name = "s",
                                  .version = "1",
                                  .tag = "TST",
                                  .code = "TST",
                                  .stage_ops = &ops };

/* Event i at 10 i, with bytes and a text attribute of its own. */
static Batch *make_batch(const HostFixture *f, int n)
{
  Batch *b = batch_take(f->env.batches, 0);
  for (int i = 0; i < n; i++) {
    g_autofree char *raw = g_strdup_printf("event %d", i);
    MillEvent *e = batch_append_raw(b, event_at(10 * i, 1, (uint64_t)i), raw);
    batch_set_attr(b, e, 7, mill_text(raw, (uint32_t)strlen(raw)));
  }
  return b;
}

static bool text_is(const MillBatch *b, const MillEvent *e, const char *wanted)
{
  size_t len = 0;
  const MillAttr *a = mill_attr(b, e, 7);
  const char *text = a ? mill_attr_text(b, a, &len) : NULL;
  return text && len == strlen(wanted) && !memcmp(text, wanted, len);
}

/* Kept in one batch, given back in another after the first is gone. */
static void test_give_back(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  const MillStageHost *h = &i->host.stage;
  uint64_t dropped[FATES] = { 0 }, emitted = 0;
  Batch *first = make_batch(&f, 3), *second;
  instance_enter(i, PHASE_PROCESS);
  uint64_t two = h->keep(h, &first->pub, 2), one = h->keep(h, &first->pub, 1);
  CHECK(two && one && two != one);
  CHECK(f.budget.used_bytes > 2 * sizeof(MillEvent));
  batch_give(f.env.batches, first);
  second = make_batch(&f, 1);
  CHECK(h->emit_kept(h, &second->pub, MILL_AT_START, two) != MILL_FAILED);
  CHECK(h->emit_kept(h, &second->pub, 0, one) != MILL_FAILED);
  batch_compact(second, true, dropped, &emitted);
  CHECK_INT(second->pub.n_events, 3);
  static const int order[] = { 2, 0, 1 };
  for (uint32_t k = 0; k < 3; k++) {
    const MillEvent *e = &second->pub.events[k];
    g_autofree char *raw = g_strdup_printf("event %d", order[k]);
    CHECK(e->ts_ns == 10 * order[k] && e->seq == (uint64_t)order[k] && raw_is(second, e, raw));
    CHECK(text_is(&second->pub, e, raw));
  }
  CHECK_INT(f.budget.used_bytes, 0);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  batch_give(f.env.batches, second);
  instance_free(i);
  host_fixture_close(&f);
}

/* Also of an event that was emitted in the same call; without a sink of bytes these are not kept. */
static void test_emitted_and_bare(void)
{
  for (int with_raw = 0; with_raw < 2; with_raw++) {
    HostFixture f;
    host_fixture_open(&f, false);
    f.env.with_raw = with_raw;
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    const MillStageHost *h = &i->host.stage;
    Batch *b = make_batch(&f, 1);
    MillEvent e = event_at(5, 1, 0);
    instance_enter(i, PHASE_PROCESS);
    uint32_t child = h->emit(h, &b->pub, 0, &e);
    uint64_t kept[2] = { h->keep(h, &b->pub, child), h->keep(h, &b->pub, 0) };
    for (int k = 0; k < 2; k++) {
      uint32_t index = h->emit_kept(h, &b->pub, MILL_AT_END, kept[k]);
      const MillEvent *copy = h->event(h, &b->pub, index);
      if (!CHECK(copy != NULL)) continue;
      CHECK_INT(copy->ts_ns, k ? 0 : 5);
      CHECK_INT(copy->raw_len, k && with_raw ? strlen("event 0") : 0);
      CHECK_INT(text_is(&b->pub, copy, "event 0"), k);
    }
    CHECK(instance_leave(i, "testing", 0) == NULL);
    batch_give(f.env.batches, b);
    instance_free(i);
    host_fixture_close(&f);
  }
}

static void test_faults(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  const MillStageHost *h = &i->host.stage;
  Batch *b = make_batch(&f, 2);
  instance_enter(i, PHASE_PROCESS);
  CHECK_INT(h->emit_kept(h, &b->pub, 0, 77), MILL_FAILED);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00", "it does not keep");
  instance_enter(i, PHASE_PROCESS);
  uint64_t kept = h->keep(h, &b->pub, 1);
  h->drop_kept(h, kept);
  h->drop_kept(h, kept);
  h->drop_kept(h, 12345);
  CHECK_INT(h->emit_kept(h, &b->pub, 0, kept), MILL_FAILED);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00", "it does not keep");
  instance_enter(i, PHASE_PROCESS);
  CHECK_INT(h->keep(h, &b->pub, 2), 0);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00",
             "kept an event that does not exist");
  batch_give(f.env.batches, b);
  instance_free(i);
  host_fixture_close(&f);
}

/* The limit ends the run; what is still kept is freed with the instance. */
static void test_limit(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  f.budget.limit_bytes = 1000;
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  const MillStageHost *h = &i->host.stage;
  Batch *b = make_batch(&f, 1);
  int n = 0;
  instance_enter(i, PHASE_OBSERVE);
  while (n < 1000 && h->keep(h, &b->pub, 0)) n++;
  CHECK(n > 1 && n < 20);
  fails_with(instance_leave(i, "testing", 0), EXIT_LIMIT, "TST-00", "exceed the memory limit");
  batch_give(f.env.batches, b);
  instance_free(i);
  host_fixture_close(&f);
}

/* Offsets into the texts of a batch have 32 bits: what does not fit is refused, not cut. */
static void test_no_room(void)
{
  for (int call = 0; call < 2; call++) {
    HostFixture f;
    host_fixture_open(&f, false);
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    const MillStageHost *h = &i->host.stage;
    Batch *b = make_batch(&f, 1);
    size_t had = b->own_len;
    instance_enter(i, PHASE_PROCESS);
    uint64_t kept = h->keep(h, &b->pub, 0);
    b->own_len = UINT32_MAX - 10;
    if (call)
      CHECK_INT(h->set(h, &b->pub, 0, 8, mill_text("eleven more", 11)), -MILL_LIMIT);
    else
      CHECK_INT(h->emit_kept(h, &b->pub, 0, kept), MILL_FAILED);
    b->own_len = had;
    CHECK_INT(h->set(h, &b->pub, 0, 8, mill_text("eleven more", 11)), 0);
    fails_with(instance_leave(i, "testing", -MILL_LIMIT), EXIT_LIMIT, "TST-00", "more than 4 GiB");
    batch_give(f.env.batches, b);
    instance_free(i);
    host_fixture_close(&f);
  }
}

TEST_MAIN({ "more than a batch can hold", test_no_room },
          { "kept, and given back", test_give_back },
          { "emitted ones, and without bytes", test_emitted_and_bare },
          { "handles that are none", test_faults }, { "the memory limit", test_limit })
