/* Inputs that gave no event; see empty.h. */
#include "sched/empty.h"

#include "model/engine.h"

#define MOST_NAMES 3u /* in the error */

void empty_see(Lane *lane, const MillBatch *batch)
{
  for (uint32_t i = 0; i < batch->n_events && !lane->eventful; i++)
    lane->eventful = batch->events[i].kind != MILL_META;
}

/* What is known of other inputs, or says so itself, is no trace that lacks its events. */
static bool counts(const Lane *lane) { return !lane->info->side && !lane->info->skipped; }

static Error *nothing_in(const GPtrArray *empty)
{
  g_autoptr(GString) names = g_string_new(NULL);
  bool metadata = false;
  for (guint i = 0; i < empty->len; i++) {
    const LaneInfo *lane = ((const Lane *)empty->pdata[i])->info;
    metadata |= lane->n_events > 0;
    if (i < MOST_NAMES) g_string_append_printf(names, "%s%s", i ? ", " : "", lane->name);
  }
  if (empty->len > MOST_NAMES)
    g_string_append_printf(names, " and %u more", empty->len - MOST_NAMES);
  Error *e = error_new(EXIT_INPUT, "RUN-19", "no events in %s", names->str);
  if (metadata)
    error_why(e, "there are names of processes and threads, and nothing of what they did");
  return error_help(e,
                    "check whether the recording was on while the work ran, and was ended before "
                    "the program; stagemill info shows what is in a file");
}

Error *empty_check(Run *run)
{
  g_autoptr(GPtrArray) empty = g_ptr_array_new();
  guint n = 0;
  if (run->failures->len) return NULL; /* they say enough, and what the others gave stands */
  if (!run->plan->profile->needs_events)
    return NULL; /* others know inputs that say something by being empty */
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (!counts(lane)) continue;
    n++;
    if (!lane->eventful) g_ptr_array_add(empty, lane);
  }
  if (n && empty->len == n) return nothing_in(empty);
  for (guint i = 0; i < empty->len; i++)
    engine_note(&run->notices, ENGINE_EMPTY, ((const Lane *)empty->pdata[i])->info->index, NULL);
  return NULL;
}
