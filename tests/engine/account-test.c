/* The account of a run: what was read and made is what was used and left out, however events are held. */
/* SPDX-License-Identifier: MIT */
#include "sched/account.h"

#include "engine.h"

#define FAULTS "e odd 5 1\ne a - 1\ne b 3 -1\ne c 4 2\ne gone 7 1\n"

static RunEvents account_of(const EngineCase *c)
{
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, c);
  if (error) CHECK_ROW(error->what);
  CHECK(error == NULL);
  RunEvents events = account_sum(e.run);
  engine_end(&e);
  return events;
}

static void check(const char *stages, const RunEvents *wanted)
{
  for (uint32_t batch = 1; batch < 6; batch++)
    for (int hold = 0; hold < 2; hold++) {
      const EngineCase c = { .inputs = { { "a", FAULTS }, { "b", FAULTS } },
                             .stages = stages,
                             .options = { .hold = hold ? HOLD_ALWAYS : HOLD_AUTO,
                                          .batch_events = batch,
                                          .jobs = 1 + batch % 2,
                                          .verify = true } };
      const RunEvents got = account_of(&c);
      CHECK_INT(got.read, wanted->read);
      CHECK_INT(got.made, wanted->made);
      CHECK_INT(got.used, wanted->used);
      CHECK_INT(got.failed, wanted->failed);
      for (Fate f = FATE_USABLE; f < FATES; f++) CHECK_INT(got.left_out[f], wanted->left_out[f]);
    }
}

static void test_faults(void)
{
  static const RunEvents wanted = { .read = 10,
                                    .used = 6,
                                    .left_out = { [FATE_NO_TIME] = 2, [FATE_NO_DURATION] = 2 } };
  check("[{\"use\":\"count\"}]", &wanted);
}

/* Events are held between the notice and the stage that makes and drops some. */
static void test_noticed(void)
{
  static const RunEvents wanted = {
    .read = 10,
    .made = 4,
    .used = 4,
    .left_out = { [FATE_USABLE] = 2, [FATE_NO_TIME] = 4, [FATE_NO_DURATION] = 2, [FATE_NOTICE] = 2 }
  };
  check("[{\"use\":\"tally\"},{\"use\":\"vote\"},{\"use\":\"echo\",\"with\":{\"first\":false}}]",
        &wanted);
}

TEST_MAIN({ "events without what they need", test_faults },
          { "events that a notice counts", test_noticed })
