/* The tensorboard sink: whose file an event is in, and what each file says of its rank. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-host.h"

static const struct {
  const char *name;
} named = { "job" };

static const FakeMember torch[] = { { false, "deviceProperties", "[{\"id\": 4}]" },
                                    { false, "distributedInfo", "{\"rank\": 4}" } };
static const FakeLane lanes[] = {
  { .rank = 4, .base_ns = MILL_NO_BASE, .dialect = "kineto", .members = torch, .n_members = 2 },
  { .rank = 2, .base_ns = MILL_NO_BASE, .dialect = "aiu" },
  { .rank = -1, .base_ns = MILL_NO_BASE },
  { .rank = 7, .base_ns = 500 },
  { .rank = 7, .base_ns = MILL_NO_BASE },
};

static const char raw[] = "{\"ph\":\"X\",\"pid\":9}";

/* The file of this name after an event of that lane. */
static void expect_file(uint32_t lane, const char *name, const char *wanted)
{
  const MillSinkOps *ops = sink_under_test()->ops;
  FakeHost fake;
  void *instance;
  fake_host_init(&fake, lanes, G_N_ELEMENTS(lanes), lane);
  CHECK_INT(fake_host_open(&fake, &named, &instance), 0);
  MillEvent e = { .kind = MILL_SLICE, .dur_ns = -1, .raw_len = sizeof raw - 1 };
  e.track = fake_track(&fake, mill_int(9), mill_none());
  MillBatch b = { .size = sizeof b, .lane = lane, .raw_ = raw, .events = &e, .n_events = 1 };
  CHECK_INT(ops->write(instance, &b), 0);
  CHECK_INT(ops->finish(instance), 0);
  CHECK_INT(fake.outputs->len, 1);
  const char *text = fake_output(&fake, name);
  if (!CHECK_STR(text ? text : "", wanted)) CHECK_ROW(name);
  fake_host_close(instance);
  fake_host_clear(&fake);
}

#define EVENTS "\"traceEvents\": [\n{\"ph\":\"X\",\"pid\":9}\n]"
#define FILE_OF(worker) "tensorboard/job_worker_" worker ".pt.trace.json.gz"

static void test_files(void)
{
  expect_file(
      0, FILE_OF("4"),
      "{\n\"deviceProperties\": [{\"id\": 4}],\n\"distributedInfo\": {\"rank\": 4},\n" EVENTS
      "\n}\n");
  expect_file(1, FILE_OF("2"),
              "{\n" EVENTS
              ",\n\"distributedInfo\": {\"rank\": 2, \"world_size\": 5},\n\"deviceProperties\": "
              "[{\"id\": 2, \"type\": \"AIU\", \"name\": \"AIU\", \"core\": \"PT Array\"}]\n}\n");
  expect_file(2, FILE_OF("lane2"), "{\n" EVENTS "\n}\n");
  expect_file(3, FILE_OF("7-lane3"),
              "{\n" EVENTS ",\n\"distributedInfo\": {\"rank\": 7, \"world_size\": 5},\n"
              "\"baseTimeNanoseconds\": 500\n}\n");
}

TEST_MAIN({ "files", test_files })
