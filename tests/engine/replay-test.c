/* A stage that loads what another instance decided goes on as that one would have: only the bool says so. */
/* SPDX-License-Identifier: MIT */
#include "plan/reread.h"
#include "sched/replay.h"

#include "engine.h"

static void test_same(void)
{
  for (int replay = 0; replay < 2; replay++) {
    const EngineCase c = { .inputs = { { "a", "rank 0\ne a 1 1\ne b 2 1\n" },
                                       { "b", "rank 1\ne c 1 1\n" } },
                           .stages = "[{\"use\":\"count\"}]",
                           .options = { .replay = replay } };
    g_autofree char *results =
        g_strdup_printf("counts: rank,label,n,loaded\n  0,a,2,%d\n  1,b,1,%d\nCOUNT-01 2 decided\n",
                        replay, replay);
    engine_check_all(&c, "0 a 1 1 x=2\n0 b 2 1 x=2\nend\n--\n1 c 1 1 x=1\nend\n", results);
  }
}

/* Others are left as they are: of run scope, and those that save nothing. */
static void test_others(void)
{
  const EngineCase c = { .inputs = { { "a", "base 5\ne a 1 1\n" } },
                         .stages = "[{\"use\":\"mover\",\"with\":{\"by\":3}},{\"use\":\"vote\"}]",
                         .options = { .replay = true } };
  engine_check_all(&c, "0 a @6 1 x=10\nend\n", "");
  static const MillStageOps none = { .size = sizeof none };
  const Descriptor lane = { .scope = MILL_SCOPE_LANE, .stage_ops = &none };
  CHECK(!reread_replays(&lane));
}

TEST_MAIN({ "replayed", test_same }, { "what cannot be", test_others })
