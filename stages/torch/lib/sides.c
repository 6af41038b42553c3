/* Sides of a comparison; see sides.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/sides.h"

#include <string.h>

#include "kit/text/fail.h"

const char *const side_names[N_SIDES] = { "base", "new" };

int sides_wrong(const MillHost *common, uint32_t notice, const char *what)
{
  return fail_input(common, notice, what, NULL, "name both runs: base=A.json new=B.json");
}

int sides_find(const MillHost *common, uint32_t notice)
{
  MillLane lane = { .size = sizeof lane };
  common->lane(common, MILL_NO_LANE, &lane);
  for (int side = 0; side < N_SIDES; side++)
    if (!strcmp(lane.label, side_names[side])) return side;
  return sides_wrong(common, notice,
                     *lane.label ? "a trace is labelled neither base nor new"
                                 : "a trace has no label");
}

int sides_check(const MillHost *common, uint32_t notice, const bool any[N_SIDES])
{
  if (!any[BASE]) return sides_wrong(common, notice, "no trace is labelled base");
  return any[NEW] ? 0 : sides_wrong(common, notice, "no trace is labelled new");
}
