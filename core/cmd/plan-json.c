/* The plan as a JSON object, for programs. */
/* SPDX-License-Identifier: MIT */
#include "base/json-write.h"
#include "cmd/describe.h"
#include "cmd/plan-show.h"
#include "plan/rounds.h"

static void put_setting(JsonWriter *out, const ProfileSetting *s)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", s->name);
  json_put_text(out, "value", s->text);
  json_put_text(out, "origin", s->origin);
  if (s->history) json_put_text(out, "overrides", s->history);
  json_put_close(out);
}

static void put_profile(const Plan *plan, JsonWriter *out)
{
  const Profile *p = plan->profile;
  json_put_open(out, "profile", '{');
  json_put_text(out, "name", p->name);
  json_put_text(out, "file", p->file);
  json_put_text(out, "description", p->description);
  json_put_array(out, "chain", p->chain);
  if (p->join_ranks) json_put_bool(out, "join_ranks", true);
  json_put_open(out, "params", '[');
  for (guint i = 0; i < p->params->len; i++) {
    const ProfileParam *q = p->params->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", q->name);
    json_put_text(out, "value", q->text);
    if (q->unit) json_put_text(out, "unit", q->unit);
    json_put_text(out, "origin", q->origin);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_close(out);
}

static void put_entry(const Plan *plan, const ProfileEntry *e, JsonWriter *out)
{
  const PlanStage *s = plan_stage_of(plan, e);
  json_put_open(out, NULL, '{');
  json_put_text(out, "id", e->id);
  json_put_text(out, "use", e->use);
  json_put_bool(out, "enabled", s != NULL);
  json_put_text(out, "origin", e->enabled_origin);
  if (e->optional) json_put_bool(out, "optional", true);
  if (s) {
    const char *lacks = plan_left_out(plan, (uint32_t)(s - plan->stages));
    json_put_bool(out, "used", s->used);
    if (lacks) json_put_text(out, "lacks", lacks);
    json_put_text(out, "version", s->stage->version);
    json_put_text(out, "scope", module_scope_name(s->stage->scope));
    json_put_list(out, "needs", s->stage->needs);
    json_put_list(out, "provides", s->stage->provides);
    json_put_list(out, "spoils", s->stage->spoils);
  }
  json_put_open(out, "options", '[');
  for (guint i = 0; i < e->with->len; i++) put_setting(out, e->with->pdata[i]);
  json_put_close(out);
  json_put_close(out);
}

static void put_rule(const ProfileEntry *e, JsonWriter *out)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", e->id);
  json_put_bool(out, "enabled", e->enabled);
  if (e->rule) json_put_text(out, "file", e->rule->file);
  if (e->fault) json_put_text(out, "fault", e->fault->what);
  json_put_open(out, "params", '[');
  for (guint i = 0; e->rule && i < e->rule->params->len; i++) {
    const RuleParam *p = e->rule->params->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", p->name);
    json_put_real(out, "value", p->value);
    json_put_text(out, "origin", p->origin);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_close(out);
}

static void put_rules(const char *key, const GPtrArray *rules, JsonWriter *out)
{
  json_put_open(out, key, '[');
  for (guint i = 0; i < rules->len; i++) put_rule(rules->pdata[i], out);
  json_put_close(out);
}

/* "hold" of the first segments: how many inputs are read again instead, and why the others are not. */
static void put_again(const PlanClass *c, JsonWriter *out)
{
  json_put_int(out, "inputs_read_again", c->n_lanes_reread);
  json_put_int(out, "inputs_held", c->n_lanes - c->n_lanes_reread);
  if (c->lanes_why) json_put_text(out, "held_because", c->lanes_why);
}

static void put_segment(const Plan *plan, const PlanClass *c, guint index, JsonWriter *out)
{
  const Segment *s = c->segments->pdata[index];
  json_put_open(out, NULL, '{');
  json_put_bool(out, "merged", s->merged);
  json_put_open(out, "passes", '[');
  for (guint i = 0; i < s->passes->len; i++) {
    const Pass *p = &g_array_index(s->passes, Pass, i);
    json_put_open(out, NULL, '{');
    json_put_text(out, "do", plan_pass_name(p->kind));
    json_put_text(out, "stage", plan->stages[p->stage].id);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_text(out, "end", plan_end_name(s->end));
  json_put_text(out, "barrier", plan_barrier_name(s->barrier));
  if (s->decides >= 0) json_put_text(out, "decides", plan->stages[s->decides].id);
  if (s->reason) json_put_text(out, "reason", s->reason);
  if (index < c->n_reread) put_again(c, out);
  json_put_close(out);
}

static void put_class(const Plan *plan, const char *key, const PlanClass *c, JsonWriter *out)
{
  json_put_open(out, key, '{');
  json_put_text(out, "source", c->source);
  json_put_text(out, "dialect", c->dialect);
  json_put_array(out, "facts", c->facts);
  json_put_bool(out, "joins", c->ends_in_merge);
  json_put_open(out, "segments", '[');
  for (guint i = 0; i < c->segments->len; i++) put_segment(plan, c, i, out);
  json_put_close(out);
  json_put_open(out, "skipped", '[');
  for (guint i = 0; i < c->skipped->len; i++) {
    const PlanSkip *b = &g_array_index(c->skipped, PlanSkip, i);
    json_put_open(out, NULL, '{');
    json_put_text(out, "stage", plan->stages[b->stage].id);
    json_put_text(out, "lacks", b->fact);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_close(out);
}

/* null and why, if no process may read only some of the lanes. */
static void put_rounds(const Plan *plan, Modules *modules, JsonWriter *out)
{
  g_autoptr(Error) e = plan_check_shards(plan, modules, NULL);
  if (e)
    json_put_text(out, "rounds", NULL);
  else
    json_put_int(out, "rounds", plan_rounds(plan));
  json_put_text(out, "why_not_shards", e ? e->why->pdata[0] : NULL);
}

void plan_format_json(const Plan *plan, Modules *modules, GString *text)
{
  JsonWriter writer = { .text = text, .layout = JSON_COMPACT }, *out = &writer;
  g_autoptr(GPtrArray) reads = plan_decoded(plan), files = plan_files(plan, modules);
  json_put_open(out, NULL, '{');
  json_put_text(out, "schema_version", "1.0");
  put_profile(plan, out);
  describe_profile_figures_json(out, plan->profile);
  json_put_open(out, "stages", '[');
  for (guint i = 0; i < plan->profile->entries->len; i++)
    put_entry(plan, plan->profile->entries->pdata[i], out);
  json_put_close(out);
  put_rules("rules", plan->profile->rules, out);
  put_rules("verdict", plan->profile->verdict, out);
  put_rules("views", plan->profile->views, out);
  json_put_open(out, "classes", '[');
  for (guint i = 0; i < plan->classes->len; i++)
    put_class(plan, NULL, plan->classes->pdata[i], out);
  json_put_close(out);
  if (plan->joint) put_class(plan, "joint", plan->joint, out);
  json_put_array(out, "reads", reads);
  json_put_array(out, "files", files);
  put_rounds(plan, modules, out);
  json_put_array(out, "hints", plan->hints);
  json_put_array(out, "cascaded", plan->cascaded);
  json_put_end(out);
}
