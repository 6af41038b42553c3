/* Stages that lack what they need: those of all inputs and of some, put together by what they lack. */
/* SPDX-License-Identifier: MIT */
#include "results/left-out.h"

#include "unit/check.h"

enum { N_STAGES = 5, N_LANES = 4 };

static void skip(PlanClass *class, uint32_t stage, const char *fact)
{
  const PlanSkip s = { stage, g_strdup(fact) };
  g_array_append_val(class->skipped, s);
}

static void test_lines(void)
{
  static const char *const ids[N_STAGES] = { "a", "b", "c", "d", "e" };
  PlanClass *host = plan_class_new("s", "x", NULL), *device = plan_class_new("s", "y", NULL);
  PlanClass *joint = plan_class_new("s", "", NULL);
  PlanStage stages[N_STAGES] = { { .id = ids[0] } };
  Plan plan = { .stages = stages, .n_stages = N_STAGES };
  LaneInfo info = { 0 }, side = { .side = true };
  LaneInfo *infos[N_LANES] = { &info, &info, &info, &side };
  const PlanClass *classes[N_LANES] = { host, device, device, joint };
  GPtrArray lanes = { (gpointer *)infos, N_LANES };
  const Inputs inputs = { .lanes = &lanes };
  const EndedRun run = { .plan = &plan, .inputs = &inputs, .classes = classes };
  for (uint32_t i = 0; i < N_STAGES; i++) stages[i].id = ids[i];
  g_autofree char *none = left_out_text(&run);
  CHECK_STR(none, "");
  skip(device, 1, "operators");
  skip(device, 3, "operators");
  skip(device, 2, "clock.cycles");
  skip(host, 2, "clock.cycles");
  skip(
      joint, 4,
      "clock.cycles"); /* what follows a merge is of all lanes; the side input's own class does not count */
  g_autofree char *apart = left_out_text(&run);
  CHECK_STR(apart, "operators 2 3 b,d\nclock.cycles 3 3 c\n");
  plan.joint = joint;
  g_autofree char *merged = left_out_text(&run);
  CHECK_STR(merged, "operators 2 3 b,d\nclock.cycles 3 3 c,e\n");
  plan_class_free(host);
  plan_class_free(device);
  plan_class_free(joint);
}

TEST_MAIN({ "lines", test_lines })
