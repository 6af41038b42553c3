/* Packed events come back as they were: every field, attribute and byte, also those that are read again. */
/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "events.h"
#include "store/gather.h"
#include "store/pack.h"

static bool same_attr(const MillBatch *a, const MillAttr *x, const MillBatch *b, const MillAttr *y)
{
  uint32_t type = x->type & MILL_ATTR_TYPE;
  if (x->key != y->key || type != (y->type & MILL_ATTR_TYPE)) return false;
  if ((x->type ^ y->type) & MILL_ATTR_SET) return false;
  if (type == MILL_NONE) return true;
  if (type != MILL_TEXT && type != MILL_JSON) return x->u.i == y->u.i;
  size_t len = 0, other = 0;
  const char *text = mill_attr_text(a, x, &len), *their = mill_attr_text(b, y, &other);
  return len == other && !memcmp(text, their, len);
}

static bool same_event(const Batch *a, const MillEvent *x, const Batch *b, const MillEvent *y)
{
  uint8_t kept = (uint8_t)~MILL_FLAG_OWN_RAW;
  bool head = x->ts_ns == y->ts_ns && x->dur_ns == y->dur_ns && x->id == y->id &&
              x->seq == y->seq && x->name == y->name && x->cat == y->cat && x->track == y->track &&
              x->kind == y->kind && x->dirty == y->dirty &&
              (x->flags & kept) == (y->flags & kept) && x->id_kind == y->id_kind &&
              x->sub == y->sub && x->n_attrs == y->n_attrs && x->raw_len == y->raw_len;
  if (!head) return false;
  if (x->raw_len && memcmp(batch_raw(&a->pub, x), batch_raw(&b->pub, y), x->raw_len)) return false;
  for (uint32_t i = 0; i < x->n_attrs; i++)
    if (!same_attr(&a->pub, &a->pub.attrs[x->attrs + i], &b->pub, &b->pub.attrs[y->attrs + i]))
      return false;
  return true;
}

static int64_t any_number(GRand *random)
{
  uint64_t bits = (uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
  return (int64_t)(bits >> g_rand_int_range(random, 0, 64));
}

static MillValue any_value(GRand *random, const char *text)
{
  int64_t v = any_number(random);
  switch (g_rand_int_range(random, 0, 7)) {
  case MILL_INT: return mill_int(g_rand_boolean(random) ? v : -v);
  case MILL_REAL: return mill_real((double)v / 3);
  case MILL_SYM: return mill_sym((MillSym)v);
  case MILL_TEXT: return mill_text(text, (uint32_t)g_rand_int_range(random, 0, 9));
  case MILL_BOOL: return mill_bool(v & 1);
  case MILL_JSON: return (MillValue){ MILL_JSON, 2, { .text = "[]" } };
  default: return mill_none();
  }
}

static void add_any_event(Batch *b, GRand *random)
{
  static const int64_t durs[] = {
    -1, 0, 5, INT64_MAX, INT64_MIN, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2
  };
  MillEvent e = event_at(any_number(random), durs[g_rand_int_range(random, 0, 8)],
                         (uint64_t)any_number(random));
  char raw[40];
  if (g_rand_boolean(random)) e.seq = ~e.seq;
  e.id_kind = (uint8_t)g_rand_int_range(random, 0, 5);
  e.id = e.id_kind ? (uint64_t)any_number(random) : 0;
  e.name = g_rand_int(random);
  e.cat = g_rand_int(random);
  e.track = g_rand_int(random);
  e.kind = (uint8_t)g_rand_int_range(random, 0, MILL_N_KINDS);
  e.flags =
      (uint8_t)(g_rand_int(random) & (MILL_FLAG_NO_TS | MILL_FLAG_INEXACT | MILL_FLAG_BIND_END));
  e.dirty = (uint8_t)g_rand_int(random);
  e.sub = (uint16_t)(g_rand_boolean(random) ? g_rand_int(random) : 0);
  g_snprintf(raw, sizeof raw, "{\"ts\":%u,\"a\":\"text\"}", g_rand_int(random));
  MillEvent *made = g_rand_boolean(random) ? batch_append(b, e) : batch_append_raw(b, e, raw);
  for (int n = g_rand_int_range(random, 0, 5); n; n--) {
    uint8_t dirty = made->dirty;
    batch_set_attr(b, made, g_rand_int(random), any_value(random, "some text"));
    made->dirty = dirty;
  }
}

static Pack *pack_all(const Batch *b)
{
  Packing *packing = packing_new(true);
  for (uint32_t i = 0; i < b->pub.n_events; i++) packing_add(packing, b, &b->pub.events[i]);
  Pack *p = packing_finish(packing, 0);
  packing_free(packing);
  return p;
}

/* A pack of copies of all its events. */
static Pack *copy_all(const Pack *from)
{
  Packing *packing = packing_new(true);
  for (uint32_t i = 0; i < from->n_events; i++) packing_copy(packing, from, i);
  Pack *p = packing_finish(packing, 0);
  packing_free(packing);
  return p;
}

static Batch *unpack_all(Gather *g, const Pack *p)
{
  Batch *b = NULL;
  for (uint32_t i = 0; i < p->n_events; i++) gather_add(g, p, i);
  CHECK(gather_end(g, true, &b) == NULL);
  return b;
}

static void check_same(const Batch *a, const Batch *b)
{
  if (!CHECK(b != NULL) || !CHECK_INT(b->pub.n_events, a->pub.n_events)) return;
  for (uint32_t i = 0; i < a->pub.n_events; i++)
    if (!CHECK(same_event(a, &a->pub.events[i], b, &b->pub.events[i]))) return;
}

static void test_any_event(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  BatchPool *pool = batch_pool_new(4096);
  BlockPool *blocks = block_pool_new(4096);
  Gather *gather = gather_new(pool, blocks);
  Batch *b = batch_take(pool, 0);
  CHECK_INT(sizeof(HeldEvent), 48);
  for (int i = 0; i < 3000; i++) add_any_event(b, random);
  g_autofree Pack *p = pack_all(b), *copy = copy_all(p);
  Batch *back = unpack_all(gather, p);
  check_same(b, back);
  batch_give(pool, back);
  back = unpack_all(gather, copy);
  check_same(b, back);
  for (uint32_t i = 1; i < p->n_events; i++)
    if (!CHECK_INT(pack_compare(p, i - 1, p, i),
                   event_compare(&b->pub.events[i - 1], &b->pub.events[i])))
      break;
  batch_give(pool, back);
  batch_give(pool, b);
  gather_free(gather);
  batch_pool_free(pool);
  block_pool_free(blocks);
}

/* ------------------------------------------------------------- bytes in a file */

typedef struct FileFixture {
  char *path;
  Reader *reader;
  Origin *origin;
  BatchPool *pool;
  BlockPool *blocks;
  Gather *gather;
  Batch *batch; /* events in the file, read in order */
} FileFixture;

enum { EVENTS = 500, EVENT_BYTES = 100 };

/* Each event is its number in digits, with blanks up to EVENT_BYTES; before the first one, so many blanks. */
static void open_file_after(FileFixture *f, size_t blanks)
{
  GString *text = g_string_new(NULL);
  char *why = NULL;
  for (size_t i = 0; i < blanks; i++) g_string_append_c(text, ' ');
  for (int i = 0; i < EVENTS; i++) g_string_append_printf(text, "%-*d", EVENT_BYTES, i);
  f->path = g_build_filename(g_get_tmp_dir(), "pack-test-XXXXXX", NULL);
  close(g_mkstemp(f->path));
  CHECK(g_file_set_contents(f->path, text->str, (gssize)text->len, NULL));
  f->reader = reader_open(f->path, &why);
  const char *first;
  reader_peek(f->reader, &first); /* finds the codec */
  f->origin = origin_new(f->reader, f->path);
  f->pool = batch_pool_new(1024);
  f->blocks = block_pool_new(4096);
  f->gather = gather_new(f->pool, f->blocks);
  f->batch = batch_take(f->pool, 0);
  f->batch->block = block_take(f->blocks, text->len - blanks);
  memcpy(f->batch->block->bytes, text->str + blanks, text->len - blanks);
  block_add_place(f->batch->block, 0, f->origin, blanks);
  f->batch->pub.raw_ = f->batch->block->bytes;
  for (int i = 0; i < EVENTS; i++) {
    MillEvent *e = batch_append(f->batch, event_at(i, 1, (uint64_t)i));
    e->raw_off = (uint32_t)(i * EVENT_BYTES);
    e->raw_len = EVENT_BYTES - 1;
  }
  g_string_free(text, TRUE);
}

static void open_file_fixture(FileFixture *f) { open_file_after(f, 0); }

static void close_file_fixture(FileFixture *f)
{
  batch_give(f->pool, f->batch);
  gather_free(f->gather);
  batch_pool_free(f->pool);
  block_pool_free(f->blocks);
  origin_free(f->origin);
  reader_close(f->reader);
  unlink(f->path);
  g_free(f->path);
}

static void check_numbers(const Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    const MillEvent *e = &b->pub.events[i];
    if (!CHECK_INT(atoi(batch_raw(&b->pub, e)), e->ts_ns)) return;
    if (!CHECK_INT(e->raw_len, EVENT_BYTES - 1)) return;
  }
}

/* In any order, and once more from the batch that was read again. */
static void test_bytes_of_a_file(void)
{
  FileFixture f;
  open_file_fixture(&f);
  g_autofree Pack *p = pack_all(f.batch);
  CHECK(pack_size(p) < EVENTS * 48 + 200);
  Batch *back = NULL;
  for (uint32_t i = 0; i < EVENTS; i++) gather_add(f.gather, p, i * 7 % EVENTS);
  CHECK(gather_end(f.gather, true, &back) == NULL);
  check_numbers(back);
  g_autofree Pack *again = pack_all(back);
  CHECK_INT(pack_size(again), pack_size(p));
  batch_give(f.pool, back);
  back = unpack_all(f.gather, again);
  check_numbers(back);
  batch_give(f.pool, back);
  close_file_fixture(&f);
}

/* Of a large file, near each other and in no order: those at its very end are on a page that is not whole. */
static void test_nearly_in_order(void)
{
  FileFixture f;
  open_file_after(&f, (20u << 20) + 77);
  g_autofree Pack *p = pack_all(f.batch);
  for (uint32_t n = EVENTS - 50; n <= EVENTS; n += 25)
    for (int time = 0; time < 2; time++) {
      Batch *back = NULL;
      for (uint32_t i = 0; i < n; i++) gather_add(f.gather, p, i * 211 % n);
      CHECK(gather_end(f.gather, true, &back) == NULL);
      CHECK_INT(back->pub.n_events, n);
      check_numbers(back);
      g_autofree Pack *again = pack_all(back);
      batch_give(f.pool, back);
      back = unpack_all(f.gather, again);
      check_numbers(back);
      batch_give(f.pool, back);
    }
  close_file_fixture(&f);
}

/* As a merged stream has them: the files take turns, each in its order, or in none. */
static void test_two_files(void)
{
  FileFixture f[2];
  Pack *p[2];
  for (int i = 0; i < 2; i++) {
    open_file_after(&f[i], (size_t)i * 1000);
    p[i] = pack_all(f[i].batch);
  }
  for (uint32_t step = 1; step < 9; step += 7) {
    Batch *back = NULL;
    for (uint32_t i = 0; i < EVENTS; i++)
      gather_add(f[0].gather, p[(i / 3) % 2], i * step % EVENTS);
    CHECK(gather_end(f[0].gather, true, &back) == NULL);
    CHECK_INT(back->pub.n_events, EVENTS);
    check_numbers(back);
    batch_give(f[0].pool, back);
  }
  for (int i = 0; i < 2; i++) {
    g_free(p[i]);
    close_file_fixture(&f[i]);
  }
}

/* Where nobody looks at them they are not read, and their places are still known. */
static void test_absent_bytes(void)
{
  FileFixture f;
  open_file_fixture(&f);
  g_autofree Pack *p = pack_all(f.batch);
  Batch *absent = NULL;
  for (uint32_t i = 0; i < EVENTS; i++) gather_add(f.gather, p, EVENTS - 1 - i);
  CHECK(gather_end(f.gather, false, &absent) == NULL);
  CHECK(absent->block->bytes == NULL && absent->pub.raw_ == NULL);
  g_autofree Pack *again = pack_all(absent);
  Batch *back = unpack_all(f.gather, again);
  check_numbers(back);
  batch_give(f.pool, back);
  CHECK(block_read_again(absent->block) == NULL);
  absent->pub.raw_ = absent->block->bytes;
  check_numbers(absent);
  batch_give(f.pool, absent);
  close_file_fixture(&f);
}

/* A text in the event's bytes, of which nobody asks for the bytes as such. */
static void test_texts_in_bytes(void)
{
  FileFixture f;
  open_file_fixture(&f);
  MillEvent *e = &f.batch->pub.events_[42];
  MillAttr *a = batch_add_attrs(f.batch, 1);
  *a = (MillAttr){ .key = 9, .type = MILL_TEXT, .u.text = { e->raw_off, 2 } };
  e->attrs = f.batch->pub.n_attrs - 1;
  e->n_attrs = 1;
  g_autofree Pack *p = pack_all(f.batch);
  Batch *back = NULL;
  for (uint32_t i = 0; i < EVENTS; i++) gather_add(f.gather, p, i);
  CHECK(gather_end(f.gather, false, &back) == NULL);
  size_t len = 0;
  const MillEvent *it = &back->pub.events[42];
  const char *text = mill_attr_text(&back->pub, &back->pub.attrs[it->attrs], &len);
  CHECK(len == 2 && !memcmp(text, "42", 2));
  batch_give(f.pool, back);
  close_file_fixture(&f);
}

static void test_changed_file(void)
{
  FileFixture f;
  Batch *back = NULL;
  open_file_fixture(&f);
  g_autofree Pack *p = pack_all(f.batch);
  CHECK(origin_check(f.origin) == NULL); /* nobody has read it again */
  gather_add(f.gather, p, 0);
  CHECK(gather_end(f.gather, true, &back) == NULL);
  batch_give(f.pool, back);
  CHECK(g_file_set_contents(f.path, "shorter", -1, NULL));
  g_autoptr(Error) late = origin_check(f.origin);
  if (CHECK(late != NULL)) CHECK_INT(late->status, EXIT_INPUT);
  Gather *fresh = gather_new(f.pool, f.blocks);
  gather_add(fresh, p, 1);
  g_autoptr(Error) e = gather_end(fresh, true, &back);
  if (CHECK(e != NULL)) CHECK_INT(e->status, EXIT_INPUT);
  CHECK(back == NULL);
  gather_free(fresh);
  close_file_fixture(&f);
}

TEST_MAIN({ "any event", test_any_event }, { "bytes that stay in a file", test_bytes_of_a_file },
          { "bytes near each other", test_nearly_in_order },
          { "bytes of two files", test_two_files },
          { "bytes that nobody looks at", test_absent_bytes },
          { "texts within them", test_texts_in_bytes },
          { "a file that changes", test_changed_file })
