/* Keeps steps of a training run: host events that start in them, and the device work that those launched,
 * whenever it ran.  A step is the time of the host slices ProfilerStep#N.  What launched a piece of device
 * work is told by its correlation, or by a flow that ends where it begins.
 *
 * Scope run: that a step is in no input is known only when all were seen, and must be said before anything
 * is written.  Memory: 24 bytes for every launch, and for every end of a flow. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/instance.h"
#include "clean/lib/ranges.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/fail.h"
#include "kit/text/symbol.h"
#include "steps-set.h"

enum { LACKING = 1, UNLINKED = 2, NO_LAUNCHES = 3, MISSING = 4 };
enum { CAT_HOST = 1, CAT_DEVICE = 2, CAT_NOTE = 3 }; /* classes of categories */
enum { NAME_OTHER = 1, NAME_STEP = 2 };              /* classes of names */
enum { TEXT_BYTES = 120 };
static const char prefix[] = "ProfilerStep#";

typedef struct Options {
  MillList steps;
  const MillPattern *device;
} Options;

typedef struct Steps {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  MillSym correlation, external[2];
  Ranges wanted;
  SymClass cats, names;
  StepSet found; /* all steps of the lane; on the run level, of all lanes */
  StepWindows windows;
  LaunchSet launches, notes, flows; /* when they began; then only those of the steps */
  ArrivalSet arrivals;              /* ends of flows */
  uint8_t *device_rows;             /* one byte per track: it has device work */
  size_t n_device_rows;
  uint64_t n_timed;
  bool has_launches;
} Steps;

/* ---- options */

static int steps_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  const MillHost *common = host->common;
  Steps *s = instance_new(Steps, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->options = *(const Options *)options;
  s->correlation = symbol_of(common, "correlation");
  s->external[0] = symbol_of(common, "External id");
  s->external[1] = symbol_of(common, "external id");
  return ranges_read(common, &s->options.steps, &s->wanted);
}

/* ---- what an event is */

static bool has_time(const MillEvent *e) { return !(e->flags & MILL_FLAG_NO_TS); }

static uint8_t class_of_cat(Steps *s, MillSym cat)
{
  uint8_t known = symclass_get(&s->cats, cat);
  if (known) return known;
  size_t len;
  const char *text = s->common->symbol_text(s->common, cat, &len);
  bool device = s->options.device && s->common->match_sym(s->common, s->options.device, cat);
  known = !device ? CAT_HOST : strcmp(text, "gpu_user_annotation") ? CAT_DEVICE : CAT_NOTE;
  symclass_put(s->common, &s->cats, cat, known);
  return known;
}

/* The number of a step's slice, or -1. */
static int64_t step_of(Steps *s, MillSym name)
{
  uint64_t number = 0;
  uint8_t known = symclass_get(&s->names, name);
  if (known == NAME_OTHER) return -1;
  size_t len;
  const char *text = s->common->symbol_text(s->common, name, &len), *end = text + len;
  bool is_step = len >= sizeof prefix && memcmp(text, prefix, sizeof prefix - 1) == 0 &&
                 digits_scan(text + sizeof prefix - 1, end, 10, INT64_MAX, &number) == end;
  if (!known) symclass_put(s->common, &s->names, name, is_step ? NAME_STEP : NAME_OTHER);
  return is_step ? (int64_t)number : -1;
}

/* Numbers that stand for "none" are not ids. */
static bool id_of(const MillBatch *b, const MillEvent *e, MillSym key, int64_t *out)
{
  const MillAttr *a = mill_attr(b, e, key);
  if (!a || (a->type & MILL_ATTR_TYPE) != MILL_INT || a->u.i <= 0) return false;
  *out = a->u.i;
  return true;
}

static bool note_of(const Steps *s, const MillBatch *b, const MillEvent *e, int64_t *out)
{
  return id_of(b, e, s->external[0], out) || id_of(b, e, s->external[1], out);
}

static bool is_flow(const MillEvent *e)
{
  return e->kind == MILL_FLOW_START || e->kind == MILL_FLOW_STEP || e->kind == MILL_FLOW_END;
}

static bool on_device(const Steps *s, const MillEvent *e)
{
  return e->track < s->n_device_rows && s->device_rows[e->track];
}

/* ---- observing */

static bool observe_device(Steps *s, const MillEvent *e)
{
  if (!array_reserve_at(s->common, &s->device_rows, &s->n_device_rows, e->track, 1)) return false;
  s->device_rows[e->track] = 1;
  return true;
}

static bool observe_host(Steps *s, const MillBatch *b, const MillEvent *e)
{
  int64_t id, step = step_of(s, e->name);
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
  if (step >= 0 && !step_set_add(s->common, &s->found, step)) return false;
  if (step >= 0 && ranges_have(&s->wanted, step) &&
      !step_windows_add(s->common, &s->windows, e->ts_ns, end_ns))
    return false;
  if (id_of(b, e, s->correlation, &id) &&
      !launch_set_add(s->common, &s->launches, (Launch){ (uint64_t)id, 0, e->ts_ns }))
    return false;
  return !note_of(s, b, e, &id) ||
         launch_set_add(s->common, &s->notes, (Launch){ (uint64_t)id, 0, e->ts_ns });
}

static bool observe_event(Steps *s, const MillBatch *b, const MillEvent *e)
{
  if (e->kind == MILL_META || !has_time(e)) return true;
  s->n_timed++;
  if (e->kind == MILL_FLOW_START)
    return launch_set_add(s->common, &s->flows, (Launch){ e->id, e->cat, e->ts_ns });
  if (e->kind != MILL_SLICE) return true;
  return class_of_cat(s, e->cat) == CAT_HOST ? observe_host(s, b, e) : observe_device(s, e);
}

/* Where a flow ends matters only once it is known which rows are a device's: that may come later. */
static bool observe_arrival(Steps *s, const MillEvent *e)
{
  if (e->kind != MILL_FLOW_END && e->kind != MILL_FLOW_STEP) return true;
  if (!has_time(e)) return true;
  Arrival a = { .id = e->id, .cat = e->cat, .track = e->track, .ts_ns = e->ts_ns };
  return arrivals_add(s->common, &s->arrivals, a);
}

static int steps_observe(void *instance, const MillBatch *b)
{
  Steps *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (!observe_event(s, b, e) || !observe_arrival(s, e)) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- the steps of all inputs */

static bool take_step(void *owner, const void *step)
{
  Steps *s = owner;
  return step_set_add(s->common, &s->found, *(const int64_t *)step);
}

static const StateField steps_fields[] = {
  STATE_SUM(Steps, n_timed),
  STATE_TAKEN(Steps, found.items, found.n, state_of_int, take_step),
};
static const StateType steps_state = STATE_TYPE(Steps, steps_fields);

static int steps_save_observed(void *instance)
{
  Steps *s = instance;
  state_save(s->host, &steps_state, s);
  return 0;
}

static int steps_merge_observed(void *run_instance)
{
  Steps *s = run_instance;
  return state_merge(s->host, &steps_state, s) ? 0 : -MILL_LIMIT;
}

static int steps_decide_run(void *run_instance)
{
  Steps *s = run_instance;
  char missing[TEXT_BYTES], there[TEXT_BYTES], what[2 * TEXT_BYTES], help[2 * TEXT_BYTES];
  if (!s->n_timed || !step_set_missing(&s->found, &s->wanted, missing, sizeof missing)) return 0;
  step_set_text(&s->found, there, sizeof there);
  strcpy(stpcpy(what, "no input has step "), missing);
  strcpy(stpcpy(help, "the inputs have the steps "), there);
  return fail_input(s->common, MISSING, what,
                    s->found.n ? NULL : "there are no host slices named ProfilerStep#N",
                    s->found.n ? help : "cut by time instead: --from, --to");
}

static int steps_save_decision(void *run_instance)
{
  Steps *s = run_instance;
  s->host->put_int(s->host, 1);
  return 0;
}

/* ---- the decision */

static void note_lacking(const Steps *s)
{
  char missing[TEXT_BYTES];
  if (!s->n_timed || !step_set_missing(&s->found, &s->wanted, missing, sizeof missing)) return;
  const MillNamed named[] = { { "steps", mill_text(missing, strlen(missing)) } };
  s->common->note(s->common, LACKING, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static int steps_load_decision(void *instance)
{
  Steps *s = instance;
  s->host->get_int(s->host);
  note_lacking(s);
  step_windows_join(&s->windows);
  s->has_launches = s->launches.n || s->flows.n;
  launch_set_keep(&s->launches, &s->windows);
  launch_set_keep(&s->notes, &s->windows);
  launch_set_keep(&s->flows, &s->windows);
  arrivals_keep(&s->arrivals, &s->flows);
  if (s->n_timed && s->windows.n && !s->has_launches)
    s->common->note(s->common, NO_LAUNCHES, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- cutting */

static bool in_steps(const Steps *s, const MillEvent *e)
{
  return step_windows_have(&s->windows, e->ts_ns);
}

static bool is_device_note_kept(Steps *s, const MillBatch *b, const MillEvent *e)
{
  int64_t id, step = step_of(s, e->name);
  if (step >= 0) return ranges_have(&s->wanted, step);
  return note_of(s, b, e, &id) && launch_set_has(&s->notes, (uint64_t)id, 0);
}

static bool is_work_kept(Steps *s, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  int64_t id;
  if (!s->has_launches) return in_steps(s, e);
  if (id_of(b, e, s->correlation, &id)) return launch_set_has(&s->launches, (uint64_t)id, 0);
  Arrived found = arrivals_find(&s->arrivals, e->track, e->ts_ns);
  if (found == ARRIVED_NEVER) s->common->note(s->common, UNLINKED, b, i, NULL, 0);
  return found == ARRIVED_KEPT;
}

static bool is_kept(Steps *s, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  if (e->kind == MILL_META || !has_time(e)) return true;
  if (is_flow(e) && e->kind != MILL_FLOW_START)
    return launch_set_has(&s->flows, e->id, e->cat) && (on_device(s, e) || in_steps(s, e));
  uint8_t class = e->kind == MILL_SLICE ? class_of_cat(s, e->cat) : CAT_HOST;
  if (class == CAT_NOTE) return is_device_note_kept(s, b, e);
  return class == CAT_DEVICE ? is_work_kept(s, b, i) : in_steps(s, e);
}

static int steps_process(void *instance, MillBatch *b)
{
  Steps *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (!is_kept(s, b, i)) mill_drop(&mill_events(b)[i]);
  return 0;
}

static const MillOption options[] = {
  MILL_OPTION(Options, steps, MillList, MILL_OPT_LIST, 0, "steps", "", "0:", NULL,
              "Steps to keep, by host slices ProfilerStep#N: 10-20,25"),
  MILL_REGEX_OPTION(Options, device, "device", "^([Kk]ernel|gpu_.*|Memcpy|Memset)$",
                    "Categories of device work; a step keeps the device work that it launched"),
};

static const MillNotice notices[] = {
  MILL_WARNING(LACKING, "{lane} lacks step {steps}", "results of this input lack them", NULL,
               "Other inputs have these steps, but this one lacks them. The profiler of this rank "
               "started later or stopped earlier, or it numbers steps from another start."),
  MILL_LEFT_OUT(UNLINKED, "{count} device event[|s] in {lane} [has|have] no known launch",
                "[it was|they were] left out, because [its|their] step is unknown", NULL,
                "Device work belongs to the step in which the host launched it. The argument "
                "correlation, or a flow that ends where the work begins, links it to the launch. "
                "These events have neither."),
  MILL_INFO(NO_LAUNCHES, "no launches are known in {lane}; device work was cut by its begin", NULL,
            NULL,
            "No host event has the argument correlation, and there are no flows. So device work "
            "counts for the step in whose host slice it begins, although it may have been launched "
            "earlier."),
  MILL_ERROR(MISSING, "no input has any of the requested steps",
             "the error names the steps of the inputs",
             "Steps are host slices named ProfilerStep#N, which the PyTorch profiler writes when "
             "its step() is called. Nothing was written, because the result would be empty."),
};

static const MillRead reads[] = {
  { "correlation", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "External id", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
  { "external id", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };

static const MillStageOps ops = { .size = sizeof ops,
                                  .open = steps_open,
                                  .observe = steps_observe,
                                  .process = steps_process,
                                  .save_observed = steps_save_observed,
                                  .merge_observed = steps_merge_observed,
                                  .decide_run = steps_decide_run,
                                  .save_decision = steps_save_decision,
                                  .load_decision = steps_load_decision };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_MAY_DROP,
  .options_size = sizeof(Options),
  .name = "cut-steps",
  .family = "clean",
  .version = "1.0.0",
  .tag = "STEP",
  .title = "Keep steps, with the device work that they launched",
  .help = "Keeps host events that start in the slices ProfilerStep#N of the given steps, and the "
          "device work that they launched, by correlation and by flows, at any time. If no input "
          "has a step, the run ends before anything is written.",
  .needs = needs,
  OWN_ROWS(options, notices, reads),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
