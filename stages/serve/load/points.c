/* What is kept of each run; see points.h. */
/* SPDX-License-Identifier: MIT */
#include "points.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kit/state/grow.h"

Point *points_new(Points *p)
{
  bool fits = array_reserve(p->common, &p->items, &p->capacity, p->n + 1, sizeof *p->items);
  return fits ? &p->items[p->n++] : NULL;
}

static bool is_infinity(const char *text)
{
  static const char *const words[] = { "inf", "Infinity", "infinity", "Inf" };
  for (uint32_t i = 0; i < MILL_COUNT(words); i++)
    if (strcmp(text, words[i]) == 0) return true;
  return false;
}

static double offered_by(const char *tag)
{
  double v;
  if (!tag) return (double)NAN;
  if (is_infinity(tag)) return (double)INFINITY;
  return num_real(tag, strlen(tag), &v) && v > 0 ? v : (double)NAN;
}

void point_take_offered(Point *point, const MillHost *common)
{
  point->offered[OFFERED_RATE] = offered_by(common->tag(common, MILL_NO_LANE, "request_rate"));
  point->offered[OFFERED_LIMIT] = offered_by(common->tag(common, MILL_NO_LANE, "max_concurrency"));
}

/* ---- saved state */

static const StateField point_fields[] = {
  STATE_FIRSTS(Point, offered),       STATE_FIRST(Point, output_per_s),
  STATE_FIRST(Point, requests_per_s), STATE_FIRST(Point, e2e_ms),
  STATE_FIRST(Point, ttft_ms),        STATE_FIRST(Point, tpot_ms),
  STATE_FIRST(Point, ttft_p99_ms),    STATE_FIRST(Point, tpot_p99_ms),
  STATE_FIRST(Point, running_mean),   STATE_FIRST(Point, running_max),
  STATE_FIRST(Point, peak_per_s),
};
static const StateType point_state = STATE_TYPE(Point, point_fields);

static const StateField points_fields[] = {
  STATE_LIST(Points, items, n, capacity, point_state),
};
const StateType points_state = STATE_TYPE(Points, points_fields);
