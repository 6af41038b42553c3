/* Tests of lib/device-sweep: which work an instant belongs to. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/device-sweep.h"

#include <stagemill/harness.h>

#include "check.h"

static void add(DeviceWorks *w, int64_t start_ns, int64_t dur_ns, TorchWork does, uint32_t data)
{
  bool added;
  const MillEvent e = { .ts_ns = start_ns, .dur_ns = dur_ns };
  CHECK(device_works_add(w, &e, does, data, &added));
  CHECK_INT(added, dur_ns > 0);
}

static DeviceWorks opened(void)
{
  DeviceWorks w = { 0 };
  CHECK(device_works_open(&w, harness_host()->common));
  return w;
}

#define IDLE UINT32_MAX
typedef struct Expected {
  int64_t to_ns;
  uint32_t owner; /* its data, or IDLE */
} Expected;

static void check_pieces(const DeviceWorks *w, int64_t from_ns, int64_t to_ns,
                         const Expected *expected, size_t n)
{
  DeviceSweep sweep = device_sweep(w, 0, from_ns, to_ns);
  SweepPiece piece;
  for (size_t i = 0; i < n; i++) {
    CHECK(device_sweep_next(&sweep, &piece));
    CHECK_INT(piece.from_ns, i ? expected[i - 1].to_ns : from_ns);
    CHECK_INT(piece.to_ns, expected[i].to_ns);
    CHECK_INT(piece.owner ? piece.owner->data : IDLE, expected[i].owner);
  }
  CHECK(!device_sweep_next(&sweep, &piece));
}
#define EXPECT(w, from, to, ...)                                                   \
  do {                                                                             \
    const Expected expected[] = { __VA_ARGS__ };                                   \
    check_pieces((w), (from), (to), expected, sizeof expected / sizeof *expected); \
  } while (0)

/* 1 computes [10,20), 2 [15,30); 3 communicates [5,40); 4 copies [35,50). */
static void what_matters_most(void)
{
  DeviceWorks w = opened();
  add(&w, 35, 15, WORK_MEMORY, 4);
  add(&w, 5, 35, WORK_COMMUNICATION, 3);
  add(&w, 15, 15, WORK_COMPUTATION, 2);
  add(&w, 10, 10, WORK_COMPUTATION, 1);
  CHECK(device_works_sort(&w));
  EXPECT(&w, 0, 60, { 5, IDLE }, { 10, 3 }, { 20, 1 }, { 30, 2 }, { 40, 3 }, { 50, 4 },
         { 60, IDLE });
  EXPECT(&w, 12, 18, { 18, 1 });
}

/* The first to begin owns an instant, also where the later one lasts longer; what takes no time is nothing. */
static void the_first_that_runs(void)
{
  DeviceWorks w = opened();
  add(&w, 0, 10, WORK_COMPUTATION, 1);
  add(&w, 2, 3, WORK_COMPUTATION, 2);
  add(&w, 4, 16, WORK_COMPUTATION, 3);
  add(&w, 30, 0, WORK_COMPUTATION, 4);
  add(&w, 40, 1, WORK_COMPUTATION, 5);
  CHECK(device_works_sort(&w));
  EXPECT(&w, 0, 41, { 10, 1 }, { 20, 3 }, { 40, IDLE }, { 41, 5 });
}

static void the_ends_of_time(void)
{
  DeviceWorks w = opened();
  add(&w, INT64_MIN, INT64_MAX, WORK_COMPUTATION, 1);
  add(&w, INT64_MAX - 1, INT64_MAX, WORK_COMPUTATION, 2);
  CHECK(device_works_sort(&w));
  EXPECT(&w, INT64_MIN, INT64_MAX, { -1, 1 }, { INT64_MAX - 1, IDLE }, { INT64_MAX, 2 });
}

static void a_gap_knows_what_ends_it(void)
{
  DeviceWorks w = opened();
  SweepPiece piece;
  add(&w, 10, 1, WORK_MEMORY, 7);
  CHECK(device_works_sort(&w));
  DeviceSweep sweep = device_sweep(&w, 0, 0, 20);
  CHECK(device_sweep_next(&sweep, &piece) && piece.next && piece.next->data == 7);
  CHECK(device_sweep_next(&sweep, &piece) && piece.owner);
  CHECK(device_sweep_next(&sweep, &piece) && !piece.owner && !piece.next);
}

TEST_MAIN({ "what matters most", what_matters_most },
          { "the first that runs", the_first_that_runs }, { "the ends of time", the_ends_of_time },
          { "a gap knows what ends it", a_gap_knows_what_ends_it })
