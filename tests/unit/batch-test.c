/* Batches: what stages emit, drop and set; copies that own their bytes. */
/* SPDX-License-Identifier: MIT */
#include "events.h"

static Batch *three(void)
{
  Batch *b = batch_new(4);
  batch_reset(b, 0);
  for (uint64_t i = 0; i < 3; i++) batch_append(b, event_at((int64_t)i * 10, 1, i));
  return b;
}

static void compact(Batch *b, uint64_t *out_dropped, uint64_t *out_emitted)
{
  uint64_t dropped[FATES] = { 0 };
  *out_emitted = 0;
  batch_compact(b, true, dropped, out_emitted);
  *out_dropped = dropped[FATE_USABLE];
}

/* As "seq.sub seq.sub ..." */
static char *order_of(const Batch *b)
{
  GString *text = g_string_new(NULL);
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    g_string_append_printf(text, "%s%d.%d", i ? " " : "", (int)b->pub.events[i].seq,
                           b->pub.events[i].sub);
  return g_string_free(text, FALSE);
}

static void check_order(const Batch *b, const char *wanted)
{
  g_autofree char *got = order_of(b);
  CHECK_STR(got, wanted);
}

static void test_emit_and_drop(void)
{
  Batch *b = three();
  uint64_t dropped, emitted;
  MillEvent e = event_at(5, 1, 99);
  uint32_t child = batch_emit(b, 0, &e);
  batch_emit(b, 0, &e);
  batch_emit(b, child, &e);
  batch_emit(b, 2, &e);
  batch_emit(b, 1, &e);
  mill_drop(&b->pub.events_[1]);
  mill_drop(batch_event(b, child));
  compact(b, &dropped, &emitted);
  check_order(b, "0.0 0.2 0.3 1.1 2.0 2.1");
  CHECK_INT(dropped, 2);
  CHECK_INT(emitted, 5);
  CHECK(batch_event(b, 6) == NULL);
  CHECK(batch_event(b, child) == NULL);
  batch_free(b);
}

/* They come before the first event, in the order in which they were emitted, and go by the ordinal before its. */
static void test_emit_at_start(void)
{
  static const struct {
    uint64_t first_seq;
    const char *order;
  } rows[] = { { 0, "0.65535 0.65535 0.65535 0.0 0.1 1.0 2.0" },
               { 5, "4.65535 4.65535 4.65535 5.0 5.1 6.0 7.0" } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Batch *b = three();
    uint64_t dropped, emitted;
    MillEvent e = event_at(-5, 1, 99);
    for (uint32_t k = 0; k < 3; k++) b->pub.events_[k].seq = rows[i].first_seq + k;
    batch_emit(b, 0, &e);
    uint32_t first = batch_emit(b, MILL_AT_START, &e);
    e.ts_ns = -4;
    batch_emit(b, MILL_AT_START, &e);
    e.ts_ns = -3;
    batch_emit(b, first, &e);
    compact(b, &dropped, &emitted);
    check_order(b, rows[i].order);
    static const int64_t times[] = { -5, -4, -3, 0, -5, 10, 20 };
    for (uint32_t k = 0; k < G_N_ELEMENTS(times); k++) CHECK_INT(b->pub.events[k].ts_ns, times[k]);
    CHECK_INT(emitted, 4);
    batch_free(b);
  }
}

/* Where a batch ends makes no difference to what is emitted between its last event and the next one. */
static void test_emit_between_batches(void)
{
  Batch *one = three(), *two = three();
  uint64_t dropped, emitted;
  MillEvent e = event_at(9, 1, 99);
  one->pub.events_[2].seq = 7;
  batch_emit(one, 2, &e);
  batch_emit(one, MILL_AT_END, &e); /* with an ordinal of its own */
  BatchEnd end = batch_end(one);
  CHECK_INT(end.seq, 7);
  CHECK_INT(end.sub, 1);
  two->before = end;
  two->pub.events_[0].seq = 3;
  batch_emit(two, MILL_AT_START, &e);
  batch_emit(two, MILL_AT_START, &e);
  compact(two, &dropped, &emitted);
  check_order(two, "7.2 7.3 3.0 1.0 2.0");
  batch_free(one);
  batch_free(two);
}

/* Without an event there is no ordinal to go by: the caller gives one. */
static void test_emit_into_nothing(void)
{
  Batch *b = batch_new(4);
  uint64_t dropped, emitted;
  batch_reset(b, 0);
  MillEvent e = event_at(5, 1, 99);
  batch_emit(b, MILL_AT_END, &e);
  e.seq = 98;
  batch_emit(b, MILL_AT_START, &e);
  compact(b, &dropped, &emitted);
  check_order(b, "98.0 99.0");
  CHECK_INT(emitted, 2);
  batch_free(b);
}

static void test_places(void)
{
  Batch *b = three();
  MillEvent e = event_at(5, 1, 99);
  uint32_t child = batch_emit(b, 1, &e);
  const struct {
    uint32_t after;
    bool there;
  } rows[] = { { 0, true },
               { 2, true },
               { 3, false },
               { child, true },
               { child + 1, false },
               { MILL_AT_START, true },
               { MILL_AT_END, true },
               { MILL_NO_EVENT, false },
               { MILL_FAILED, false },
               { 0x7fffffff, false },
               { 0x80000000, true } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(batch_can_emit_after(b, rows[i].after), rows[i].there))
      printf(" (place %x)", rows[i].after);
  CHECK_INT(child, 0x80000000);
  CHECK(batch_event(b, MILL_AT_START) == NULL && batch_event(b, MILL_AT_END) == NULL);
  batch_free(b);
}

static void test_emit_many(void)
{
  Batch *b = three();
  uint64_t dropped, emitted;
  MillEvent e = event_at(5, 1, 99);
  for (int i = 0; i < 70000; i++) batch_emit(b, 1, &e);
  batch_emit(b, MILL_AT_END, &e);
  compact(b, &dropped, &emitted);
  CHECK_INT(b->pub.n_events, 70004);
  CHECK_INT(b->pub.events[70001].sub, UINT16_MAX);
  CHECK_INT(b->pub.events[70002].seq, 2);
  CHECK_INT(b->pub.events[70003].seq, 99);
  batch_free(b);
}

static void test_set(void)
{
  Batch *b = three();
  size_t len = 0;
  MillEvent *e = &b->pub.events_[1];
  batch_set_attr(b, e, 7, mill_text("first", 5));
  batch_set_attr(b, e, 8, mill_int(5));
  batch_set_attr(b, &b->pub.events_[2], 7, mill_int(1));
  batch_set_attr(b, e, 9, mill_real(0.5));
  batch_set_attr(b, e, 8, mill_int(6));
  int64_t v = 0;
  CHECK(mill_attr_int(&b->pub, e, 8, &v) && v == 6);
  CHECK(mill_attr_int(&b->pub, &b->pub.events[2], 7, &v) && v == 1);
  const MillAttr *a = mill_attr(&b->pub, e, 7);
  if (CHECK(a != NULL)) CHECK(!memcmp(mill_attr_text(&b->pub, a, &len), "first", 5) && len == 5);
  CHECK(e->dirty & MILL_DIRTY_ATTRS);
  CHECK_INT(b->pub.events[0].dirty, 0);
  const MillSym private[] = { 7, 8 };
  batch_remove_attrs(b, private, 2);
  CHECK_INT(e->n_attrs, 1);
  CHECK_INT(b->pub.events[2].dirty & MILL_DIRTY_ATTRS, 0);
  batch_free(b);
}

/* What a source adds goes to the last event, as read: it is no change. */
static void test_add(void)
{
  Batch *b = three();
  int64_t v = 0;
  size_t len = 0;
  b->pub.n_events = 1;
  CHECK(batch_add_attr(b, 7, mill_int(1)));
  CHECK(batch_add_attr(b, 7, mill_int(2)));
  b->pub.n_events = 2;
  CHECK(batch_add_attr(b, 8, mill_text("text", 4)));
  const MillEvent *first = &b->pub.events[0], *second = &b->pub.events[1];
  CHECK(first->attrs == 0 && first->n_attrs == 2 && second->attrs == 2 && second->n_attrs == 1);
  CHECK(mill_attr_int(&b->pub, first, 7, &v) && v == 1);
  CHECK_INT(b->pub.attrs[1].u.i, 2);
  CHECK_INT(b->pub.attrs[1].type, MILL_INT);
  CHECK(!memcmp(mill_attr_text(&b->pub, &b->pub.attrs[2], &len), "text", 4) && len == 4);
  CHECK(first->dirty == 0 && second->dirty == 0);
  for (uint32_t i = 1; i < UINT16_MAX; i++) batch_add_attr(b, 9, mill_int(i));
  CHECK(!batch_add_attr(b, 9, mill_int(0)));
  CHECK_INT(second->n_attrs, UINT16_MAX);
  batch_free(b);
}

/* A text that the batch owns already, set again while its memory has to grow. */
static void test_set_own_text(void)
{
  Batch *b = three();
  size_t len = 0;
  g_autofree char *text = g_strnfill(900, 'x');
  batch_set_attr(b, &b->pub.events_[0], 1, mill_text(text, 900));
  for (uint32_t i = 0; i < 12; i++) {
    const char *own = mill_attr_text(&b->pub, mill_attr(&b->pub, &b->pub.events[0], 1), &len);
    batch_set_attr(b, &b->pub.events_[1], 10 + i, mill_text(own, (uint32_t)len));
  }
  for (uint32_t i = 0; i < 12; i++) {
    const char *copy = mill_attr_text(&b->pub, mill_attr(&b->pub, &b->pub.events[1], 10 + i), &len);
    CHECK(len == 900 && !memcmp(copy, text, 900));
  }
  batch_free(b);
}

static void test_copy(void)
{
  BlockPool *blocks = block_pool_new(64);
  Batch *from = batch_new(4), *to = batch_new(4);
  batch_reset(from, 0);
  batch_reset(to, 0);
  from->block = block_take(blocks, 64);
  memcpy(from->block->bytes, "{\"name\":\"n\",\"args\":{\"k\":\"text\"}}elsewhere", 42);
  from->pub.raw_ = from->block->bytes;
  MillEvent *e = batch_append(from, event_at(1, 2, 3));
  e->raw_len = 32;
  static const MillAttr rows[] = { { .key = 1, .type = MILL_TEXT, .u.text = { 25, 4 } },
                                   { .key = 2, .type = MILL_TEXT, .u.text = { 32, 9 } },
                                   { .key = 3, .type = MILL_INT, .u.i = 5 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    CHECK(batch_grow_attrs(from));
    from->pub.attrs_[from->pub.n_attrs++] = rows[i];
  }
  e->n_attrs = 3;
  for (int with_raw = 0; with_raw < 2; with_raw++) batch_copy_event(to, &from->pub, e, with_raw);
  batch_free(from); /* the copies have to live without it */
  for (uint32_t i = 0; i < 2; i++) {
    size_t len = 0;
    const MillEvent *copy = &to->pub.events[i];
    CHECK_INT(copy->raw_len, i ? 32 : 0);
    CHECK(!memcmp(mill_attr_text(&to->pub, mill_attr(&to->pub, copy, 1), &len), "text", 4) &&
          len == 4);
    CHECK(!memcmp(mill_attr_text(&to->pub, mill_attr(&to->pub, copy, 2), &len), "elsewhere", 9) &&
          len == 9);
  }
  CHECK(raw_is(to, &to->pub.events[1], "{\"name\":\"n\",\"args\":{\"k\":\"text\"}}"));
  batch_free(to);
  block_pool_free(blocks);
}

static void test_full(void)
{
  Batch *b = three();
  CHECK(!batch_is_full(b, 4));
  CHECK(batch_is_full(b, 3));
  g_autofree char *huge = g_strnfill(BATCH_MAX_OWN, 'x');
  batch_own_text(b, huge, BATCH_MAX_OWN);
  CHECK(batch_is_full(b, 1000));
  batch_free(b);
}

TEST_MAIN({ "emitted events come after their parent, dropped ones are gone", test_emit_and_drop },
          { "more children than their ordinal can count", test_emit_many },
          { "emitted at the start", test_emit_at_start },
          { "emits between batches", test_emit_between_batches },
          { "emitted where nothing is", test_emit_into_nothing },
          { "places to emit at", test_places }, { "attributes are added", test_add },
          { "attributes are set, replaced and removed", test_set },
          { "a batch's own text is set again", test_set_own_text },
          { "copies own their bytes", test_copy }, { "full by events or by bytes", test_full })
