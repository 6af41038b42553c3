/* Batches: what stages emit, drop and set; copies that own their bytes. */
#include "events.h"

static Batch *three(void)
{
  Batch *b = batch_new(4);
  batch_reset(b, 0);
  for (uint64_t i = 0; i < 3; i++) batch_append(b, event_at((int64_t)i * 10, 1, i));
  return b;
}

static void settle(Batch *b, uint64_t *out_dropped, uint64_t *out_emitted)
{
  *out_dropped = *out_emitted = 0;
  batch_settle(b, true, out_dropped, out_emitted);
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
  mill_drop(&b->pub.events[1]);
  mill_drop(batch_event(b, child));
  settle(b, &dropped, &emitted);
  check_order(b, "0.0 0.2 0.3 1.1 2.0 2.1");
  CHECK_INT(dropped, 2);
  CHECK_INT(emitted, 5);
  CHECK(batch_event(b, 6) == NULL);
  CHECK(batch_event(b, child) == NULL);
  batch_free(b);
}

static void test_emit_many(void)
{
  Batch *b = three();
  uint64_t dropped, emitted;
  MillEvent e = event_at(5, 1, 99);
  for (int i = 0; i < 70000; i++) batch_emit(b, 1, &e);
  batch_emit(b, MILL_AT_END, &e);
  settle(b, &dropped, &emitted);
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
  MillEvent *e = &b->pub.events[1];
  batch_set_attr(b, e, 7, mill_text("first", 5));
  batch_set_attr(b, e, 8, mill_int(5));
  batch_set_attr(b, &b->pub.events[2], 7, mill_int(1));
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

/* A text that the batch owns already, set again while its memory has to grow. */
static void test_set_own_text(void)
{
  Batch *b = three();
  size_t len = 0;
  g_autofree char *text = g_strnfill(900, 'x');
  batch_set_attr(b, &b->pub.events[0], 1, mill_text(text, 900));
  for (uint32_t i = 0; i < 12; i++) {
    const char *own = mill_attr_text(&b->pub, mill_attr(&b->pub, &b->pub.events[0], 1), &len);
    batch_set_attr(b, &b->pub.events[1], 10 + i, mill_text(own, (uint32_t)len));
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
  from->pub.raw = from->block->bytes;
  MillEvent *e = batch_append(from, event_at(1, 2, 3));
  e->raw_len = 32;
  static const MillAttr rows[] = { { .key = 1, .type = MILL_TEXT, .u.text = { 25, 4 } },
                                   { .key = 2, .type = MILL_TEXT, .u.text = { 32, 9 } },
                                   { .key = 3, .type = MILL_INT, .u.i = 5 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    CHECK(batch_grow_attrs(from));
    from->pub.attrs[from->pub.n_attrs++] = rows[i];
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

TEST_MAIN({ "emitted events stand behind their parent, dropped ones are gone", test_emit_and_drop },
          { "more children than their ordinal can count", test_emit_many },
          { "attributes are set, replaced and removed", test_set },
          { "a batch's own text is set again", test_set_own_text },
          { "copies own their bytes", test_copy }, { "full by events or by bytes", test_full })
