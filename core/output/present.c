/* Sinks that write results without a run; see present.h. */
/* SPDX-License-Identifier: MIT */
#include "output/present.h"

#include "model/log.h"
#include "output/sinks.h"

/* ------------------------------------------------------ what sinks may ask for */

static const LaneInfo *lane(void *results, uint32_t index) { return results_lane(results, index); }
static uint32_t n_lanes(void *results) { return results_n_lanes(results); }
static bool yes(void *results) { return results != NULL; }
static bool no(void *results) { return results == NULL; }
static MillReadRows nothing(void *results)
{
  (void)results;
  return (MillReadRows){ .stride = sizeof(MillRead) };
}

static bool fixed(void *results, LaneInfo *info, int64_t base_ns)
{
  (void)results, (void)info, (void)base_ns;
  return false;
}

/* ------------------------------------------------------------------- choosing */

static Error *wants_events(const Descriptor *d)
{
  Error *e = error_new(EXIT_USAGE, "RUN-32", "the format \"%s\" needs events", d->family);
  error_why(e, "finished results hold tables and numbers, but no events");
  return error_help(e, "add it to the run: stagemill run --format %s", d->family);
}

static Error *choose(Modules *modules, const char *const *formats, const GPtrArray *settings,
                     Sinks **out)
{
  Error *e = sinks_new(modules, formats, settings, out);
  for (guint i = 0; !e && i < (*out)->list->len; i++) {
    const Descriptor *d = ((const Sink *)(*out)->list->pdata[i])->descriptor;
    if (d->sink_ops->write) e = wants_events(d);
  }
  return e;
}

Error *present_check(Modules *modules, const char *const *formats, const GPtrArray *settings)
{
  Sinks *sinks;
  Error *e = choose(modules, formats, settings, &sinks);
  sinks_free(sinks);
  return e;
}

/* Summaries are written already, so later counts of sinks are only printed. */
static void say_late(void *context, const Notices *sum)
{
  (void)context;
  for (uint32_t i = 0; i < sum->descriptor->n_notices; i++) {
    const MillNotice *row = &sum->descriptor->notices[i];
    if (!sum->counts[i].count) continue;
    g_autofree char *what = notice_render(&sum->counts[i], row->what, "", NULL);
    g_autofree char *code = notice_code(sum->descriptor, i);
    log_format(row->level, sum->descriptor->tag, "%s: %s", code, what);
  }
}

Error *present_results(const PresentJob *job)
{
  Symbols *symbols = symbols_new();
  Budget budget = { .limit_bytes = budget_default() };
  HostEnv env = { .symbols = symbols,
                  .budget = &budget,
                  .verify = job->verify,
                  .run = job->results,
                  .lane = lane,
                  .n_lanes = n_lanes,
                  .cancelled = no,
                  .wanted = nothing,
                  .move_base = fixed,
                  .planned = yes };
  Sinks *sinks;
  symbols_charge_to(symbols, &budget);
  Error *e = choose(job->modules, job->formats, job->settings, &sinks);
  if (!e) e = sinks_open(sinks, &env, job->output);
  sinks->asked = !job->pass_missing;
  if (!e) e = sinks_end(sinks, results_view(job->results));
  if (!e) sinks_each_late(sinks, say_late, NULL);
  if (!e && job->unwritten) *job->unwritten = sinks_unwritten(sinks);
  sinks_free(sinks);
  symbols_free(symbols);
  return e;
}
