/* A lane as bytes: back and forth it is the same, and damaged bytes are an error. */
/* SPDX-License-Identifier: MIT */
#include "sched/lane-bytes.h"

#include "engine.h"
#include "sched/lanes.h"

static void run_case(Engine *e)
{
  const EngineCase c = { .inputs = { { "a", "rank 0\ntag model=m\ne x 1 1\ne y 2 5\n" },
                                     { "b", "rank 1\ne x 1 2\n" } },
                         .stages = "[{\"use\":\"tally\"},{\"use\":\"count\"}]",
                         .options = { .keep_outcomes = true } };
  engine_begin(e);
  g_autoptr(Error) error = engine_execute(e, &c);
  CHECK(error == NULL);
}

/* Damage or not, into the first lane, whose outcome goes. */
static Error *load(Engine *e, const Summary *bytes, size_t len)
{
  Lane *lane = run_lane(e->run, 0);
  Summary copy;
  g_clear_pointer(&lane->outcome, outcome_free);
  summary_set_bytes(&copy, bytes->bytes, len, NULL);
  Error *error = lane_bytes_load(e->run, lane, &copy);
  summary_clear(&copy);
  return error;
}

static void test_same(void)
{
  Engine e;
  run_case(&e);
  Summary first = { 0 }, second = { 0 };
  lane_bytes_save(e.run, run_lane(e.run, 0), &first);
  CHECK(load(&e, &first, first.len) == NULL);
  CHECK(run_lane(e.run, 0)->outcome != NULL);
  lane_bytes_save(e.run, run_lane(e.run, 0), &second);
  CHECK_INT(first.len, second.len);
  CHECK(first.len == second.len && !memcmp(first.bytes, second.bytes, first.len));
  summary_clear(&first);
  summary_clear(&second);
  engine_end(&e);
}

static void test_cut(void)
{
  Engine e;
  run_case(&e);
  Summary bytes = { 0 };
  lane_bytes_save(e.run, run_lane(e.run, 0), &bytes);
  for (size_t len = 0; len < bytes.len; len++) {
    g_autoptr(Error) error = load(&e, &bytes, len);
    if (CHECK(error != NULL)) CHECK_STR(error->code, "RUN-71");
    CHECK(run_lane(e.run, 0)->outcome == NULL);
  }
  summary_clear(&bytes);
  engine_end(&e);
}

/* A changed number may be as good as the true one; what is left is sound in any case. */
static void test_flipped(void)
{
  Engine e;
  size_t n_errors = 0;
  run_case(&e);
  Summary bytes = { 0 };
  lane_bytes_save(e.run, run_lane(e.run, 0), &bytes);
  for (size_t i = 0; i < bytes.len; i++)
    for (int bit = 0; bit < 8; bit++) {
      bytes.bytes[i] ^= (uint8_t)(1 << bit);
      g_autoptr(Error) error = load(&e, &bytes, bytes.len);
      n_errors += error != NULL;
      bytes.bytes[i] ^= (uint8_t)(1 << bit);
    }
  CHECK(n_errors > bytes.len);
  g_autoptr(Error) sound = load(&e, &bytes, bytes.len);
  CHECK(sound == NULL);
  summary_clear(&bytes);
  engine_end(&e);
}

TEST_MAIN({ "the same again", test_same }, { "cut", test_cut }, { "flipped", test_flipped })
