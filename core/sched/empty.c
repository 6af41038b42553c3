/* Inputs that gave no event; see empty.h. */
#include "sched/empty.h"

#include "model/engine.h"

#define MOST_NAMES 3u /* in the error */

void empty_see(Lane *lane, const MillBatch *batch)
{
  for (uint32_t i = 0; i < batch->n_events && !lane->eventful; i++) {
    uint8_t kind = batch->events[i].kind;
    lane->has_rows |= kind == MILL_RECORD;
    lane->eventful = kind != MILL_META && kind != MILL_RECORD;
  }
}

/* What is known of other inputs, or says so itself, is no trace that lacks its events. */
static bool counts(const Lane *lane) { return !lane->info->side && !lane->info->skipped; }

static Error *no_events(const GPtrArray *empty)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < MIN(empty->len, MOST_NAMES); i++) {
    const LaneInfo *lane = ((const Lane *)empty->pdata[i])->info;
    g_string_append_printf(names, "%s%s", i ? ", " : "", lane->name);
  }
  if (empty->len > MOST_NAMES)
    g_string_append_printf(names, " and %u more", empty->len - MOST_NAMES);
  return error_new(EXIT_INPUT, "RUN-19", "no events in %s", names->str);
}

static bool says_something(const GPtrArray *lanes)
{
  for (guint i = 0; i < lanes->len; i++)
    if (((const Lane *)lanes->pdata[i])->info->n_events) return true;
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

/* Rows of tables are nothing that a trace can show; a trace without events is written as it is. */
static Error *nothing_to_write(const GPtrArray *empty)
{
  bool has_rows = false;
  for (guint i = 0; i < empty->len; i++) has_rows |= ((const Lane *)empty->pdata[i])->has_rows;
  if (!has_rows) return NULL;
  Error *e = error_why(no_events(empty), "a trace cannot show what is in them");
  return error_help(e, "stagemill INPUT    shows what it holds");
}

Error *empty_check(Run *run)
{
  g_autoptr(GPtrArray) empty = g_ptr_array_new();
  guint n = 0;
  if (run->failures->len) return NULL; /* they say enough, and what the others gave stands */
  bool needs = run->plan->profile->needs_events;
  if (!needs && !run->options.output_file)
    return NULL; /* others know inputs that say something by being empty */
  for (guint i = 0; i < run->lanes->len; i++) {
    Lane *lane = run->lanes->pdata[i];
    if (!counts(lane)) continue;
    n++;
    if (!lane->eventful) g_ptr_array_add(empty, lane);
  }
  if (n && empty->len == n) return needs ? nothing_in(empty) : nothing_to_write(empty);
  if (!needs) return NULL;
  for (guint i = 0; i < empty->len; i++)
    engine_note(&run->notices, ENGINE_EMPTY, ((const Lane *)empty->pdata[i])->info->index, NULL);
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

/* Any profile may be tried on other inputs than its own; only when nothing comes of it, it was a mistake. */
Error *empty_check_results(const Run *run)
{
  const MillResults *r = results_view(run->results);
  guint n = 0;
  if (!run->options.output || run->failures->len || !r->n_tables || has_rows(r)) return NULL;
  for (guint i = 0; i < run->lanes->len; i++) {
    const Lane *lane = run->lanes->pdata[i];
    if (!counts(lane)) continue;
    if (!profile_is_for_others(run->plan->profile, lane->info->dialect, lane->info->facts))
      return NULL;
    n++;
  }
  if (!n) return NULL;
  Error *e =
      error_new(EXIT_PROFILE, "PRF-20", "none of the profile's %u tables has a row", r->n_tables);
  return error_of_kind(e, ERROR_WRONG_INPUT);
}
