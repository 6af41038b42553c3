/* Building the plan: facts are checked, sorts inserted, segments cut.  The order of the profile is never changed. */
/* SPDX-License-Identifier: MIT */
#include "plan/planner.h"

#include <string.h>

#include "plan/reread.h"
#include "plan/facts.h"
#include "plan/plan-check.h"

static const MillStageOps *ops_of(const PlanStage *s) { return s->stage->stage_ops; }

/* ------------------------------------------------------ one class of lanes */

enum { ANYWHERE = UINT32_MAX };

/* Where the walk along the profile stands for one class. */
typedef struct Walk {
  Plan *plan;
  PlanClass *class;
  Facts *facts;
  Segment *segment;
  uint32_t at;       /* the stage at hand */
  uint32_t merge_at; /* the one stage before which lanes are merged, or ANYWHERE */
  bool merged;
} Walk;

static void add_pass(Walk *w, PassKind kind)
{
  Pass pass = { kind, w->at, w->class->segments->len - 1 };
  g_array_append_val(w->segment->passes, pass);
}

static void end_segment(Walk *w, SegmentEnd end, Barrier barrier)
{
  w->segment->end = end;
  w->segment->barrier = barrier;
  w->segment->barrier_no = w->at;
}

/* Ends the current segment and begins the next. */
static void cut(Walk *w, SegmentEnd end, Barrier barrier)
{
  end_segment(w, end, barrier);
  w->segment = plan_segment_new(w->class->segments, w->merged);
}

static void sort_before(Walk *w, const PlanStage *s)
{
  if (facts_has(w->facts, "order.lane")) return;
  w->segment->reason = g_strdup_printf("%s needs order.lane", s->id);
  cut(w, END_SORT, BARRIER_NONE);
  facts_add(w->facts, "order.lane");
}

static void add_two_phase(Walk *w, const PlanStage *s)
{
  /* A segment that only observes a store can leave the store where it is. */
  bool reread = w->class->segments->len > 1 && w->segment->passes->len == 0;
  bool all = s->stage->scope == MILL_SCOPE_RUN || s->stage->flags & MILL_MOVES_BASE;
  add_pass(w, PASS_OBSERVE);
  w->segment->decides = (int)w->at;
  cut(w, reread ? END_REREAD : END_HOLD, all ? BARRIER_RUN : BARRIER_LANE);
}

static void split_before(Walk *w, const PlanStage *s)
{
  w->segment->reason = g_strdup_printf("%s works on one lane", s->id);
  w->merged = false;
  cut(w, END_HOLD, BARRIER_SPLIT);
  facts_remove(w->facts, "order.run");
}

/* A stage of scope event that reports or merges does so for each lane. */
static bool works_merged(const Descriptor *s)
{
  bool reports = s->n_tables || s->n_metrics || s->flags & MILL_MERGES;
  return s->scope == MILL_SCOPE_WHOLE || (s->scope == MILL_SCOPE_EVENT && !reports);
}

/* A side input only says something about the traces: what holds for all lanes is what holds for those. */
static void note_facts(const Walk *w, PlanStage *s)
{
  GPtrArray *at = w->class->facts_at;
  g_ptr_array_set_size(at, (gint)MAX(at->len, w->at + 1));
  at->pdata[w->at] = facts_copy(w->facts);
  if (s->facts && !w->class->side)
    facts_intersect(s->facts, w->facts);
  else if (!s->facts)
    s->facts = facts_copy(w->facts);
}

static void add_stage(Walk *w, PlanStage *s)
{
  s->used = true;
  if (w->merged && !works_merged(s->stage)) split_before(w, s);
  if (fact_in_list(s->stage->needs, "order.lane") || fact_in_list(s->stage->needs, "order.run"))
    sort_before(w, s);
  note_facts(w, s);
  if (ops_of(s)->observe) add_two_phase(w, s);
  if (ops_of(s)->process || ops_of(s)->flush || !ops_of(s)->observe) add_pass(w, PASS_PROCESS);
  facts_remove_list(w->facts, s->stage->spoils);
  facts_add_list(w->facts, s->stage->provides);
  for (guint t = 0; t < s->stage->n_tables; t++) {
    g_autofree char *fact = g_strconcat("table.", s->stage->tables[t].name, NULL);
    facts_add(w->facts, fact);
  }
}

static void skip(Walk *w, const char *fact)
{
  PlanSkip b = { w->at, g_strdup(fact) };
  g_array_append_val(w->class->skipped, b);
}

static void add_merged_facts(Facts *facts)
{
  facts_add(facts, "order.lane");
  facts_add(facts, "order.run");
}

/* A class of lanes ends in the merge: what follows is planned for all of them together.  The joint stream
 * was split before, and goes on. */
static void merge_before(Walk *w, const PlanStage *s)
{
  SegmentEnd end = facts_has(w->facts, "order.lane") ? END_HOLD : END_SORT;
  w->segment->reason = g_strdup_printf("%s sees all lanes as one stream", s->id);
  w->class->ends_in_merge = w->class != w->plan->joint;
  if (w->class->ends_in_merge) return end_segment(w, end, BARRIER_MERGE);
  w->merged = true;
  cut(w, end, BARRIER_MERGE);
  add_merged_facts(w->facts);
}

static bool asks_for_any(const Descriptor *s, const Facts *facts)
{
  bool asks = false;
  for (guint i = 0; i < facts->len && !asks; i++)
    asks = fact_in_list(s->needs, facts->pdata[i]) || fact_in_list(s->wants, facts->pdata[i]);
  return asks;
}

/* A side input is for stages that run on traces and ask for what it says, whatever else they need of those; it is
 * never merged with them, as then every later stage and sink would see it. */
static bool passes_by(const Walk *w, const PlanStage *s)
{
  if (!w->class->side) return false;
  if (!s->used || !asks_for_any(s->stage, w->class->facts)) return true;
  if (s->stage->scope != MILL_SCOPE_WHOLE) return false;
  g_ptr_array_add(w->plan->hints,
                  g_strdup_printf("%s sees all traces as one stream, without side inputs", s->id));
  return true;
}

/* What the stage lacks at this point of the run, or NULL. */
static const char *lacks(const Walk *w, const PlanStage *s)
{
  const char *missing = w->class->side ? NULL : facts_first_missing(w->facts, s->stage->needs);
  if (missing || s->stage->scope != MILL_SCOPE_WHOLE || w->class == w->plan->joint) return missing;
  return w->merge_at == ANYWHERE || w->merge_at == w->at ? NULL : "order.run";
}

/* Goes on to the end, or to the stage before which the class joins the merge. */
static void walk_stages(Walk *w)
{
  for (; w->at < w->plan->n_stages; w->at++) {
    PlanStage *s = &w->plan->stages[w->at];
    if (passes_by(w, s)) continue;
    const char *missing = lacks(w, s);
    if (missing) {
      skip(w, missing);
      continue;
    }
    if (s->stage->scope == MILL_SCOPE_WHOLE && !w->merged) merge_before(w, s);
    if (w->class->ends_in_merge) return;
    add_stage(w, s);
  }
}

/* "args.meta.kind" looks into the attribute meta. */
static const char *attr_of_path(const char *path)
{
  const char *part = g_str_has_prefix(path, "args.") ? path + 5 : path;
  g_autofree char *attr = g_strndup(part, strcspn(part, "."));
  return *attr ? g_intern_string(attr) : NULL;
}

/* "$attr" stands for what the user gave as option attr, "$.attr" for the attribute in which that path begins; NULL
 * when that is nothing. */
static const char *read_name(const PlanStage *p, const char *name)
{
  if (*name != '$') return name;
  bool is_path = name[1] == '.';
  const ProfileSetting *set = named_find(p->entry->with, name + 1 + is_path);
  if (!set || !*set->text) return NULL;
  return is_path ? attr_of_path(set->text) : set->text;
}

static bool reads_attr(const PlanStage *p, const char *attr)
{
  for (uint32_t i = 0; i < p->stage->n_reads; i++) {
    const char *name = read_name(p, p->stage->reads[i].name);
    if (name && (!strcmp(name, attr) || !strcmp(name, "*"))) return true;
  }
  return false;
}

/* Whether the stage makes or reads a private attribute of the owner. */
static bool uses_private(const Plan *plan, uint32_t stage, uint32_t owner)
{
  const char *const *attrs = plan->stages[owner].stage->private_attrs;
  bool uses = stage == owner;
  for (; *attrs && !uses; attrs++) uses = reads_attr(&plan->stages[stage], *attrs);
  return uses;
}

/* Private attributes go after the last stage that uses them; false when none of the class does. */
static bool place_strip(const Plan *plan, const PlanClass *c, uint32_t owner)
{
  GArray *where = NULL;
  guint at = 0, segment = 0;
  for (guint s = 0; s < c->segments->len; s++) {
    GArray *passes = ((Segment *)c->segments->pdata[s])->passes;
    for (guint p = 0; p < passes->len; p++) {
      if (!uses_private(plan, g_array_index(passes, Pass, p).stage, owner)) continue;
      where = passes;
      at = p + 1;
      segment = s;
    }
  }
  if (!where) return false;
  Pass strip = { PASS_STRIP, owner, segment };
  g_array_insert_val(where, at, strip);
  return true;
}

/* Where classes join, what the joint stream still reads goes there. */
static void place_strips(const Plan *plan, uint32_t owner)
{
  const char *const *attrs = plan->stages[owner].stage->private_attrs;
  if (!attrs || !*attrs) return;
  bool joint = plan->joint && place_strip(plan, plan->joint, owner);
  for (guint i = 0; i < plan->classes->len; i++) {
    const PlanClass *c = plan->classes->pdata[i];
    if (!c->ends_in_merge || !joint) place_strip(plan, c, owner);
  }
}

/* What all joining classes have in common continues after the merge. */
static void plan_joint(Plan *plan, Facts *common, uint32_t from)
{
  plan->joint = plan_class_new("merged", "", common);
  add_merged_facts(common);
  Walk w = { .plan = plan, .class = plan->joint, .facts = common, .at = from, .merged = true };
  w.segment = plan_segment_new(plan->joint->segments, true);
  walk_stages(&w);
}

/* The class and the facts at its end are the caller's. */
static Walk walk_class(Plan *plan, const PlanInputClass *input, uint32_t merge_at)
{
  PlanClass *c = plan_class_new(input->source, input->dialect, input->facts);
  c->side = input->side;
  Walk w = { .plan = plan, .class = c, .facts = facts_copy(c->facts), .merge_at = merge_at };
  w.segment = plan_segment_new(c->segments, false);
  walk_stages(&w);
  return w;
}

/* The first whole-scope stage for which some class has the facts: there, and only there, lanes are merged.
 * Classes without those facts stay lanes and pass whole-scope stages by. */
static uint32_t find_merge(Plan *plan, const PlanInputClass *inputs, uint32_t n_inputs)
{
  uint32_t first = plan->n_stages;
  for (uint32_t i = 0; i < n_inputs; i++) {
    Walk w = walk_class(plan, &inputs[i], ANYWHERE);
    first = MIN(first, w.at);
    plan_class_free(w.class);
    g_ptr_array_unref(w.facts);
  }
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    plan->stages[i].used = false;
    g_clear_pointer(&plan->stages[i].facts, g_ptr_array_unref);
  }
  return first;
}

/* Those of the traces, or of the side inputs.  NULL, or the facts that all have which join the merge. */
static Facts *walk_classes(Plan *plan, const PlanInputClass *inputs, uint32_t n_inputs, bool side,
                           uint32_t merge_at)
{
  g_autoptr(GPtrArray) common = NULL;
  for (uint32_t i = 0; i < n_inputs; i++) {
    if (inputs[i].side != side) continue;
    Walk w = walk_class(plan, &inputs[i], merge_at);
    g_autoptr(GPtrArray) facts = w.facts;
    g_ptr_array_add(plan->classes, w.class);
    if (w.class->ends_in_merge && common) facts_intersect(common, facts);
    if (w.class->ends_in_merge && !common) common = g_steal_pointer(&facts);
  }
  return g_steal_pointer(&common);
}

/* Side inputs come last: only then it is known which stages run on traces, also behind the merge. */
static void plan_classes(Plan *plan, const PlanInputClass *inputs, uint32_t n_inputs)
{
  uint32_t merge_at = find_merge(plan, inputs, n_inputs);
  g_autoptr(GPtrArray) common = walk_classes(plan, inputs, n_inputs, false, merge_at);
  if (common) plan_joint(plan, common, merge_at);
  walk_classes(plan, inputs, n_inputs, true, merge_at);
  for (uint32_t i = 0; i < plan->n_stages; i++) place_strips(plan, i);
  for (guint i = 0; i < plan->classes->len; i++) reread_find(plan, plan->classes->pdata[i]);
}

/* --------------------------------------------------------------- the whole */

static Error *make_stage(const ProfileEntry *entry, PlanStage *out)
{
  const Descriptor *s = entry->module->stage;
  out->id = entry->id;
  out->stage = s;
  out->entry = entry;
  out->options = option_values_new(s->options, s->n_options, s->options_size);
  for (guint i = 0; i < entry->with->len; i++) {
    const ProfileSetting *set = entry->with->pdata[i];
    const MillOption *row = option_find(s->options, s->n_options, set->name);
    Error *e = row ? option_values_set(out->options, row, set->text) : NULL;
    if (e) return error_at(e, "at %s", set->place ? set->place : set->origin);
  }
  Error *e = option_values_complete(out->options);
  return e ? error_at(e, "at %s", entry->place ? entry->place : entry->id) : NULL;
}

static Error *make_stages(Plan *plan)
{
  Error *errors = NULL;
  plan->stages = g_new0(PlanStage, plan->profile->entries->len + 1);
  for (guint i = 0; i < plan->profile->entries->len; i++) {
    const ProfileEntry *entry = plan->profile->entries->pdata[i];
    if (!entry->enabled) continue;
    errors = error_join(errors, make_stage(entry, &plan->stages[plan->n_stages++]));
  }
  return errors;
}

static void collect_reads(Plan *plan)
{
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    PlanStage *p = &plan->stages[i];
    p->reads = g_array_new(FALSE, TRUE, sizeof(MillRead));
    for (uint32_t r = 0; p->used && r < p->stage->n_reads; r++) {
      MillRead read = p->stage->reads[r];
      read.name = read_name(p, read.name);
      if (!read.name) continue;
      g_array_append_val(p->reads, read);
      plan_add_read(plan, read);
    }
  }
}

static void collect_hints(Plan *plan)
{
  for (uint32_t i = 0; i < plan->n_stages; i++)
    for (const char *const *p = plan->stages[i].stage->provides; p && *p; p++) {
      bool wanted = g_str_has_prefix(*p, "order.") || g_str_has_prefix(*p, "table.");
      for (uint32_t k = i + 1; k < plan->n_stages && !wanted; k++)
        wanted = fact_in_list(plan->stages[k].stage->needs, *p) ||
                 fact_in_list(plan->stages[k].stage->wants, *p);
      if (!wanted)
        g_ptr_array_add(plan->hints,
                        g_strdup_printf("%s provides %s, but no later stage asks for it",
                                        plan->stages[i].id, *p));
    }
}

static GPtrArray *all_source_facts(Modules *modules)
{
  GPtrArray *facts = facts_new();
  g_autoptr(GPtrArray) sources = modules_all(modules, MILL_KIND_SOURCE);
  for (guint i = 0; i < sources->len; i++) {
    const Descriptor *s = ((const Module *)sources->pdata[i])->stage;
    facts_add_list(facts, s->provides);
    facts_add_list(facts, s->wants);
  }
  return facts;
}

/* --cascade: stages that lost their facts are disabled too; true when any was. */
static bool disable_unused(Plan *plan, GPtrArray *cascaded)
{
  bool any = false;
  for (uint32_t i = 0; i < plan->n_stages; i++) {
    const char *fact = plan_missing_fact(plan, i);
    if (!fact || plan->stages[i].entry->optional) continue;
    ProfileEntry *entry = (ProfileEntry *)plan->stages[i].entry;
    entry->enabled = false;
    text_replace(&entry->enabled_origin, g_strdup_printf("--cascade: nothing provides %s", fact));
    g_ptr_array_add(cascaded, g_strdup(entry->id));
    any = true;
  }
  return any;
}

static Error *plan_once(Profile *profile, const PlanInputClass *inputs, uint32_t n_inputs,
                        Plan **out)
{
  Plan *plan = *out = plan_alloc(profile);
  Error *e = make_stages(plan);
  if (e) return e;
  plan_classes(plan, inputs, n_inputs);
  collect_reads(plan);
  collect_hints(plan);
  return NULL;
}

Error *plan_new(Profile *profile, Modules *modules, const PlanInputClass *inputs, uint32_t n_inputs,
                bool cascade, Plan **out)
{
  g_autoptr(GPtrArray) assumed = n_inputs ? NULL : all_source_facts(modules);
  PlanInputClass any = { "any", "", assumed };
  g_autoptr(GPtrArray) cascaded = g_ptr_array_new_with_free_func(g_free);
  if (!n_inputs) inputs = &any;
  for (;;) {
    Plan *plan;
    Error *e = plan_once(profile, inputs, MAX(n_inputs, 1), &plan);
    if (!e && cascade && disable_unused(plan, cascaded)) {
      plan->profile = NULL;
      plan_free(plan);
      continue;
    }
    if (!e) e = plan_check_used(plan, modules);
    if (!e) e = plan_check_names(plan);
    if (e) {
      plan_free(plan);
      return e;
    }
    plan->cascaded = g_steal_pointer(&cascaded);
    *out = plan;
    return NULL;
  }
}
