/* The event-rows sink: what a slice becomes, and what it lacks. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-host.h"

#define EVENTS "events.csv"

static const FakeLane lanes[] = { { .rank = 3, .base_ns = 100 }, { .rank = -1, .base_ns = 350 } };

typedef struct Opened {
  FakeHost fake;
  void *instance;
} Opened;

static void open_at(Opened *o, uint32_t lane)
{
  fake_host_init(&o->fake, lanes, 2, lane);
  CHECK_INT(fake_host_open(&o->fake, NULL, &o->instance), 0);
}

static void expect_rows(Opened *o, MillBatch *b, const char *wanted)
{
  const MillSinkOps *ops = sink_under_test()->ops;
  b->size = sizeof *b;
  CHECK_INT(ops->write(o->instance, b), 0);
  CHECK_INT(ops->finish(o->instance), 0);
  const char *text = fake_output(&o->fake, EVENTS);
  CHECK_STR(text ? text : "", wanted);
  fake_host_close(o->instance);
  fake_host_clear(&o->fake);
}

static void test_header(void)
{
  Opened o;
  open_at(&o, 0);
  CHECK_INT(sink_under_test()->ops->begin_run(o.instance), 0);
  MillBatch none = { 0 };
  expect_rows(&o, &none, "rank,ts_ns,dur_ns,category,name,class,job,bytes,pt_active\r\n");
}

static void test_all_cells(void)
{
  Opened o;
  open_at(&o, 0);
  FakeHost *f = &o.fake;
  static const char own[] = "j0.json(0)4096";
  MillAttr attrs[] = {
    { .key = fake_symbol(f, "class"), .type = MILL_SYM, .u.sym = fake_symbol(f, "DATA_OUT") },
    { .key = fake_symbol(f, "jobname"), .type = MILL_TEXT | MILL_ATTR_OWN, .u.text = { 0, 10 } },
    { .key = fake_symbol(f, "bytes"), .type = MILL_INT, .u.i = 4096 },
    { .key = fake_symbol(f, "pt_active"), .type = MILL_REAL | MILL_ATTR_SET, .u.r = 0.5 },
  };
  MillEvent e = { .kind = MILL_SLICE, .ts_ns = 1500, .dur_ns = 20, .n_attrs = 4 };
  e.cat = fake_symbol(f, "kernel");
  e.name = fake_symbol(f, "mm, \"big\"");
  MillBatch b = { .events = &e, .n_events = 1, .attrs = attrs, .n_attrs = 4, .own_ = own };
  expect_rows(&o, &b, "3,1500,20,kernel,\"mm, \"\"big\"\"\",DATA_OUT,j0.json(0),4096,0.5\r\n");
}

/* Lane 1 counts from 250 ns after lane 0.  Other events have no row, nor has what was dropped. */
static void test_empty_cells(void)
{
  Opened o;
  open_at(&o, 1);
  MillEvent e[] = {
    { .kind = MILL_SLICE, .ts_ns = 10, .dur_ns = -1, .name = fake_symbol(&o.fake, "a") },
    { .kind = MILL_SLICE, .flags = MILL_FLAG_NO_TS, .dur_ns = 0 },
    { .kind = MILL_COUNTER, .ts_ns = 1 },
    { .kind = MILL_BEGIN, .ts_ns = 1 },
    { .kind = MILL_SLICE, .flags = MILL_FLAG_DROPPED },
    { .kind = MILL_SLICE, .ts_ns = INT64_MAX, .dur_ns = 1, .name = fake_symbol(&o.fake, "=1") }
  };
  MillBatch b = { .events = e, .n_events = G_N_ELEMENTS(e) };
  expect_rows(&o, &b, ",260,,,a,,,,\r\n,,0,,,,,,\r\n,9223372036854775807,1,,\"'=1\",,,,\r\n");
}

TEST_MAIN({ "header", test_header }, { "all cells", test_all_cells },
          { "empty cells", test_empty_cells })
