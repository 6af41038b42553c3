/* The dmat sink: pages of accesses by clock, in order, in the bytes of the original; and what cannot be. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "check.h"
#include "fake-host.h"

#define FILE_NAME "accesses.dmat"

typedef struct Options { /* as the sink has them */
  int64_t page;
  bool keep_empty;
} Options;

typedef struct Opened {
  FakeHost fake;
  void *instance;
} Opened;

typedef struct Page {
  int64_t clock, page, count;
} Page;

static const FakeLane lanes[] = { { .rank = -1, .base_ns = MILL_NO_BASE } };
static const Options usual = { 65536, false };

static void open_sink(Opened *o)
{
  fake_host_init(&o->fake, lanes, 1, 0);
  CHECK_INT(fake_host_open(&o->fake, &usual, &o->instance), 0);
}

static void write_pages(Opened *o, const Page *pages, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    MillAttr attrs[] = {
      { .key = fake_symbol(&o->fake, "clock"), .type = MILL_INT, .u.i = pages[i].clock },
      { .key = fake_symbol(&o->fake, "page"), .type = MILL_INT, .u.i = pages[i].page },
      { .key = fake_symbol(&o->fake, "count"), .type = MILL_INT, .u.i = pages[i].count },
    };
    MillEvent e = { .kind = MILL_RECORD, .n_attrs = 3 };
    e.name = fake_symbol(&o->fake, "probe.page");
    MillBatch b = { .size = sizeof b, .events = &e, .n_events = 1, .attrs = attrs, .n_attrs = 3 };
    CHECK_INT(sink_under_test()->ops->write(o->instance, &b), 0);
  }
}

static void close_sink(Opened *o)
{
  fake_host_close(o->instance);
  fake_host_clear(&o->fake);
}

static GByteArray *made;

static void word(uint64_t v, guint bytes)
{
  v = GUINT64_TO_LE(v);
  g_byte_array_append(made, (const guint8 *)&v, bytes);
}

static void entry(uint64_t page, uint64_t count) { word(page, 8), word(count, 4); }

/* Clocks and pages in order whatever order they came in; a page that was given twice at a clock is one.  65,537 lies in the
 * page that begins at 65,536; 2^64-1 is no clock. */
static void test_order(void)
{
  static const Page pages[] = { { 9, 131072, 3 }, { 4, 65537, 1 }, { 9, 65536, 2 },
                                { 4, 65536, 6 },  { -1, 0, 5 },    { 5, 65536, 0 } };
  Opened o;
  open_sink(&o);
  write_pages(&o, pages, G_N_ELEMENTS(pages));
  CHECK_INT(sink_under_test()->ops->finish(o.instance), 0);
  made = g_byte_array_new();
  word(2, 8), word(2, 8), word(65536, 8), word(131072, 8);
  word(4, 8), word(1, 8), entry(65536, 7);
  word(9, 8), word(2, 8), entry(65536, 2), entry(131072, 3);
  CHECK_INT(o.fake.outputs->len, 1);
  const FakeOutput *file = o.fake.outputs->pdata[0];
  CHECK_STR(file->name, FILE_NAME);
  CHECK_INT(file->bytes->len, made->len);
  CHECK(file->bytes->len == made->len && !memcmp(file->bytes->str, made->data, made->len));
  g_byte_array_unref(made);
  close_sink(&o);
}

static void test_nothing(void)
{
  Opened o;
  open_sink(&o);
  CHECK_INT(sink_under_test()->ops->finish(o.instance), 0);
  CHECK_INT(o.fake.outputs->len, 0);
  close_sink(&o);
}

/* Counts have 32 bits, clocks 39. */
static void test_limits(void)
{
  static const Page many[] = { { 1, 65536, 4294967295 }, { 1, 65536, 1 } };
  static const Page late[] = { { INT64_C(1) << 39, 65536, 1 } };
  Opened o;
  open_sink(&o);
  write_pages(&o, many, 2);
  CHECK_INT(sink_under_test()->ops->finish(o.instance), -MILL_LIMIT);
  close_sink(&o);
  open_sink(&o);
  write_pages(&o, late, 1);
  CHECK_INT(sink_under_test()->ops->finish(o.instance), -MILL_LIMIT);
  close_sink(&o);
}

TEST_MAIN({ "order", test_order }, { "nothing", test_nothing }, { "limits", test_limits })
