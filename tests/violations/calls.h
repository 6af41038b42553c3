/* One call of the host, ROGUE_CALL, in one operation of a module, ROGUE_IN, both of the environment: what the
 * modules calls-*.c have in common.  A call has harmless arguments: it is asked whether it may be made. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VIOLATIONS_CALLS_H
#define TESTS_VIOLATIONS_CALLS_H

#include <stagemill/types.h>
#include <stdlib.h>
#include <string.h>

static bool is_wanted(const char *variable, const char *value)
{
  const char *wanted = getenv(variable);
  return wanted && strcmp(wanted, value) == 0;
}

static bool is_here(const char *operation) { return is_wanted("ROGUE_IN", operation); }

static bool is_call(const char *name) { return is_wanted("ROGUE_CALL", name); }

static void ask_lanes(const MillHost *h)
{
  MillLane lane = { .size = sizeof lane };
  MillTrack track = { .size = sizeof track };
  if (is_call("lane")) h->lane(h, MILL_NO_LANE, &lane);
  if (is_call("tag")) h->tag(h, MILL_NO_LANE, "rank");
  if (is_call("n_lanes")) h->n_lanes(h);
  if (is_call("track_info")) h->track_info(h, 0, &track);
  if (is_call("track_lane")) h->track_lane(h, 0);
}

static void ask_common(const MillHost *h)
{
  MillFailure failure = { .size = sizeof failure, .status = MILL_STAGE_FAILED, .what = "said so" };
  ask_lanes(h);
  if (is_call("intern")) h->intern(h, "x", 1);
  if (is_call("symbol_text")) h->symbol_text(h, 0, NULL);
  if (is_call("match")) h->match(h, NULL, "", 0);
  if (is_call("match_sym")) h->match_sym(h, NULL, 0);
  if (is_call("note")) h->note(h, 1, NULL, MILL_NO_EVENT, NULL, 0);
  if (is_call("log")) h->log(h, MILL_LEVEL_TRACE, "x");
  if (is_call("fail")) h->fail(h, &failure);
  if (is_call("cancelled")) h->cancelled(h);
  if (is_call("scratch")) h->scratch(h, 1);
  if (is_call("resize")) h->resize(h, NULL, 1);
  if (is_call("extension")) h->extension(h, MILL_PROGRAM);
}

#endif
