/* Inputs that gave no event; see no-events.h. */
/* SPDX-License-Identifier: MIT */
#include "input/no-events.h"

#include "model/engine.h"

#define MOST_NAMES 3u /* in the error */

void no_events_see(LaneInfo *lane, const MillBatch *batch)
{
  for (uint32_t i = 0; i < batch->n_events && !lane->eventful; i++) {
    uint8_t kind = batch->events[i].kind;
    lane->has_rows |= kind == MILL_RECORD;
    lane->eventful = kind != MILL_META && kind != MILL_RECORD;
  }
}

/* Whether the lane is a trace without events: other inputs do not count, and neither do those
 * whose source reports it. */
static bool counts(const LaneInfo *lane) { return !lane->side && !lane->skipped; }

static Error *no_events(const GPtrArray *empty)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < MIN(empty->len, MOST_NAMES); i++) {
    const LaneInfo *lane = empty->pdata[i];
    g_string_append_printf(names, "%s%s", i ? ", " : "", lane->name);
  }
  if (empty->len > MOST_NAMES)
    g_string_append_printf(names, " and %u more", empty->len - MOST_NAMES);
  return error_new(EXIT_INPUT, "RUN-19", "no events in %s", names->str);
}

static bool says_something(const GPtrArray *lanes)
{
  for (guint i = 0; i < lanes->len; i++)
    if (((const LaneInfo *)lanes->pdata[i])->n_events) return true;
  return false;
}

static Error *nothing_in(const GPtrArray *empty)
{
  Error *e = no_events(empty);
  if (says_something(empty))
    error_why(e, "there are names of processes and threads, but no events");
  return error_help(e, "check that the recording was on while the work ran, and ended before the "
                       "program; stagemill info shows what is in a file");
}

/* Records cannot be in a trace; but a trace without events is written. */
static Error *nothing_to_write(const GPtrArray *empty)
{
  bool has_rows = false;
  for (guint i = 0; i < empty->len; i++) has_rows |= ((const LaneInfo *)empty->pdata[i])->has_rows;
  if (!has_rows) return NULL;
  Error *e = error_why(no_events(empty), "a trace cannot show what is in them");
  return error_help(e, "stagemill INPUT    shows what it holds");
}

Error *no_events_check(Inputs *in, const Profile *profile, bool to_trace)
{
  g_autoptr(GPtrArray) empty = g_ptr_array_new();
  guint n = 0;
  if (in->aside->errors->len) return NULL; /* those errors are enough */
  bool needs = profile->needs_events;
  if (!needs && !to_trace) return NULL; /* in other cases an empty input may have a meaning */
  for (guint i = 0; i < in->lanes->len; i++) {
    LaneInfo *lane = inputs_lane(in, i);
    if (!counts(lane)) continue;
    n++;
    if (!lane->eventful) g_ptr_array_add(empty, lane);
  }
  if (n && empty->len == n) return needs ? nothing_in(empty) : nothing_to_write(empty);
  if (!needs) return NULL;
  for (guint i = 0; i < empty->len; i++)
    engine_note(&in->aside->notices, ENGINE_EMPTY, ((const LaneInfo *)empty->pdata[i])->index,
                NULL);
  return NULL;
}

static bool has_rows(const MillResults *r)
{
  for (uint32_t i = 0; i < r->n_tables; i++) {
    MillTableResult t = { .size = sizeof t };
    if (r->table(r, i, &t) && t.n_rows) return true;
  }
  return false;
}

/* A profile may be used with inputs of another kind; only if this gives no result, it was a
 * mistake. */
Error *no_events_check_results(const Inputs *in, const Profile *profile, const MillResults *results)
{
  guint n = 0;
  if (in->aside->errors->len || !results->n_tables || has_rows(results)) return NULL;
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    if (!counts(lane)) continue;
    if (!profile_is_for_others(profile, lane->dialect, lane->facts)) return NULL;
    n++;
  }
  if (!n) return NULL;
  Error *e = error_new(EXIT_PROFILE, "PRF-20", "none of the profile's %u tables has a row",
                       results->n_tables);
  return error_of_kind(e, ERROR_WRONG_INPUT);
}
