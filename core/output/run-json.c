/* run.json: how the results came to be.  The only file that holds wall-clock values. */
/* SPDX-License-Identifier: MIT */
#include "output/run-json.h"

#include <string.h>

#include "model/usage.h"
#include "plan/module-id.h"
#include "output/run-file.h"
#include "output/run-members.h"
#include "results/provenance.h"

#define HELD_TEXT (64u << 10) /* of run.json, which grows with the inputs */

/* ----------------------------------------------------------------- profile */

static void add_setting(JsonWriter *out, const char *name, const char *value, const char *unit,
                        const char *origin)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", name);
  json_put_text(out, "value", value ? value : "");
  if (unit) json_put_text(out, "unit", unit);
  json_put_text(out, "origin", origin ? origin : "default");
  json_put_close(out);
}

static const ProfileSetting *setting_of(const ProfileEntry *entry, const char *name)
{
  for (guint i = 0; i < entry->with->len; i++)
    if (!strcmp(((const ProfileSetting *)entry->with->pdata[i])->name, name))
      return entry->with->pdata[i];
  return NULL;
}

/* Why an optional stage is not among those that ran. */
static void add_optional(JsonWriter *out, const Plan *plan, const ProfileEntry *entry)
{
  const PlanStage *s = plan_stage_of(plan, entry);
  const char *lacks = s ? plan_left_out(plan, (uint32_t)(s - plan->stages)) : NULL;
  if (entry->optional) json_put_bool(out, "optional", true);
  if (lacks) json_put_text(out, "lacks", lacks);
}

static void add_entry(JsonWriter *out, const Plan *plan, const ProfileEntry *entry)
{
  const Descriptor *s = entry->module ? entry->module->stage : NULL;
  json_put_open(out, NULL, '{');
  json_put_text(out, "id", entry->id);
  json_put_text(out, "use", entry->use);
  json_put_bool(out, "enabled", entry->enabled);
  if (entry->enabled_origin) json_put_text(out, "origin", entry->enabled_origin);
  add_optional(out, plan, entry);
  json_put_open(out, "options", '[');
  for (uint32_t o = 0; s && o < s->n_options; o++) {
    const ProfileSetting *set = setting_of(entry, s->options[o].name);
    add_setting(out, s->options[o].name, set ? set->text : s->options[o].default_text,
                s->options[o].unit, set ? set->origin : "default");
  }
  json_put_close(out);
  json_put_close(out);
}

static void add_profile(JsonWriter *out, const RunJson *j)
{
  const Plan *plan = j->run->plan;
  const Profile *p = plan->profile;
  json_put_open(out, "profile", '{');
  json_put_text(out, "name", p->name);
  if (p->file) json_put_text(out, "file", p->file);
  if (p->description) json_put_text(out, "description", p->description);
  json_put_array(out, "chain", p->chain);
  if (p->join_ranks) json_put_bool(out, "join_ranks", true);
  json_put_open(out, "params", '[');
  for (guint i = 0; i < p->params->len; i++) {
    const ProfileParam *param = p->params->pdata[i];
    add_setting(out, param->name, param->text, param->unit, param->origin);
  }
  json_put_close(out);
  json_put_open(out, "stages", '[');
  for (guint i = 0; i < p->entries->len; i++) add_entry(out, plan, p->entries->pdata[i]);
  json_put_close(out);
  g_autoptr(GPtrArray) formats = g_ptr_array_new();
  for (guint i = 0; i < j->sinks->list->len; i++)
    g_ptr_array_add(formats,
                    (gpointer)((const Sink *)j->sinks->list->pdata[i])->descriptor->family);
  json_put_array(out, "formats", formats);
  json_put_array(out, "sink_settings", j->sink_settings);
  g_autoptr(GPtrArray) rules = g_ptr_array_new();
  provenance_add_rules(rules, p);
  if (rules->len) json_put_array(out, "rules", rules);
  json_put_close(out);
}

/* --------------------------------------------------------- inputs and lanes */

/* Code of others: which file it was. */
static void put_file(JsonWriter *out, const Descriptor *s)
{
  g_autofree char *file = s->vendor ? module_file(s->given) : NULL,
                  *hash = provenance_module_hash(s);
  if (file) json_put_text(out, "path", file);
  if (hash) json_put_text(out, "hash", hash);
}

static void add_module(JsonWriter *out, const char *key, const Descriptor *s)
{
  json_put_open(out, key, '{');
  json_put_text(out, "name", s->name);
  json_put_text(out, "version", s->version);
  put_file(out, s);
  json_put_close(out);
}

static void put_known(JsonWriter *out, const char *key, int64_t value, bool known)
{
  if (known)
    json_put_int(out, key, value);
  else
    json_put_text(out, key, NULL);
}

static void add_input(JsonWriter *out, const EndedRun *run, guint index)
{
  const Input *in = run->inputs->list->pdata[index];
  g_autofree char *hash = provenance_input_hash(run, index);
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", in->spec->path);
  add_module(out, "source", in->source);
  put_known(out, "size_bytes", (int64_t)in->size_bytes, in->size_bytes);
  json_put_text(out, "hash", hash);
  uint64_t events = 0;
  json_put_open(out, "lanes", '[');
  for (uint32_t l = in->first_lane, next = 1; next; l = next) {
    const LaneInfo *lane = inputs_lane(run->inputs, l);
    json_put_int(out, NULL, lane->index);
    events += in->joined ? in->lane->n_events : lane->n_events;
    next = lane->next_index;
  }
  json_put_close(out);
  json_put_int(out, "events", (int64_t)events);
  json_put_close(out);
}

static void add_lane(JsonWriter *out, const LaneInfo *lane)
{
  json_put_open(out, NULL, '{');
  json_put_int(out, "index", lane->index);
  put_known(out, "rank", lane->rank, lane->rank >= 0);
  json_put_text(out, "label", lane->label);
  json_put_text(out, "name", lane->name);
  json_put_text(out, "dialect", lane->dialect);
  if (lane->base_ns != MILL_NO_BASE) {
    g_autofree char *base = g_strdup_printf("%" G_GINT64_FORMAT, lane->base_ns);
    json_put_text(out, "base_ns", base);
  }
  run_members_put_tags(out, lane);
  json_put_close(out);
}

static void add_events(JsonWriter *out, const RunEvents *e)
{
  static const char *const names[FATES] = { "stage", "phase", "no_time", "no_duration", "notice" };
  json_put_open(out, "events", '{');
  json_put_int(out, "read", (int64_t)e->read);
  json_put_int(out, "made", (int64_t)e->made);
  json_put_int(out, "used", (int64_t)e->used);
  json_put_open(out, "left_out", '{');
  for (Fate f = FATE_USABLE; f < FATES; f++) json_put_int(out, names[f], (int64_t)e->left_out[f]);
  json_put_int(out, "failed", (int64_t)e->failed);
  json_put_close(out);
  json_put_close(out);
}

/* ------------------------------------------------------------------ stages */

static bool is_skipped(const PlanClass *class, uint32_t stage)
{
  for (guint i = 0; i < class->skipped->len; i++)
    if (g_array_index(class->skipped, PlanSkip, i).stage == stage) return true;
  return false;
}

static void add_stage(JsonWriter *out, const RunJson *j, uint32_t index)
{
  const PlanStage *p = j->run->stages[index].planned;
  const Counters *c = j->run->stages[index].counters;
  json_put_open(out, NULL, '{');
  json_put_text(out, "id", p->id);
  json_put_text(out, "name", p->stage->name);
  json_put_text(out, "version", p->stage->version);
  if (p->entry->module) json_put_text(out, "origin", p->entry->module->origin);
  put_file(out, p->stage);
  json_put_text(out, "scope", module_scope_name(p->stage->scope));
  json_put_open(out, "skipped_lanes", '[');
  for (guint l = 0; l < j->run->inputs->lanes->len; l++)
    if (is_skipped(j->run->classes[l], index)) json_put_int(out, NULL, l);
  json_put_close(out);
  json_put_int(out, "events_in", (int64_t)c->events_in);
  json_put_int(out, "events_out", (int64_t)c->events_out);
  json_put_int(out, "dropped", (int64_t)counters_dropped(c));
  json_put_int(out, "created", (int64_t)c->emitted);
  if (j->timings) json_put_int(out, "time_ns", (int64_t)c->time_ns);
  json_put_close(out);
}

/* ------------------------------------------------------- outputs and clock */

static void add_failures(JsonWriter *out, const GPtrArray *errors)
{
  if (!errors->len) return;
  json_put_open(out, "failures", '[');
  for (guint i = 0; i < errors->len; i++)
    for (const Error *e = errors->pdata[i]; e; e = e->next) {
      json_put_open(out, NULL, '{');
      json_put_int(out, "status", e->status);
      json_put_text(out, "code", e->code);
      json_put_text(out, "what", e->what);
      json_put_close(out);
    }
  json_put_close(out);
}

/* Of --state: lanes that other processes have read, and those that this one has. */
static void add_state(JsonWriter *out, const RunJson *j)
{
  if (!j->has_state) return;
  json_put_open(out, "state", '{');
  json_put_int(out, "lanes_taken", j->lanes_taken);
  json_put_int(out, "lanes_read", j->lanes_read);
  json_put_close(out);
}

static void add_clock(JsonWriter *out, const RunJson *j)
{
  json_put_open(out, "clock", '{');
  run_members_put_times(out, j->since_ns);
  json_put_int(out, "cpu_ns", (int64_t)usage_cpu_ns());
  json_put_int(out, "jobs", j->jobs);
  json_put_int(out, "peak_memory_bytes", (int64_t)usage_peak_bytes());
  json_put_int(out, "max_memory_bytes", (int64_t)j->max_memory_bytes);
  json_put_int(out, "spilled_bytes", (int64_t)j->spilled_bytes);
  json_put_close(out);
}

/* ------------------------------------------------------------------- whole */

/* Writes what there is so far, if it is more than may be held. */
static Error *pass_on(Output *output, JsonWriter *out, size_t held)
{
  if (out->text->len <= held) return NULL;
  Error *e = output_add(output, RUN_FILE_NAME, out->text->str, out->text->len);
  g_string_truncate(out->text, 0);
  return e;
}

static Error *add_inputs(JsonWriter *out, const EndedRun *run, Output *output)
{
  const Inputs *in = run->inputs;
  Error *e = NULL;
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < in->list->len && !e; i++) {
    add_input(out, run, i);
    e = pass_on(output, out, HELD_TEXT);
  }
  json_put_close(out);
  json_put_open(out, "lanes", '[');
  for (guint i = 0; i < in->lanes->len && !e; i++) {
    add_lane(out, inputs_lane(in, i));
    e = pass_on(output, out, HELD_TEXT);
  }
  json_put_close(out);
  return e;
}

static void add_stages(JsonWriter *out, const RunJson *j)
{
  json_put_open(out, "stages", '[');
  for (uint32_t s = 0; s < j->run->plan->n_stages; s++)
    if (j->run->stages[s].planned->used) add_stage(out, j, s);
  json_put_close(out);
  json_put_open(out, "sinks", '[');
  for (guint s = 0; s < j->sinks->list->len; s++)
    add_module(out, NULL, ((const Sink *)j->sinks->list->pdata[s])->descriptor);
  json_put_close(out);
}

Error *run_json_write(const RunJson *json, Output *output)
{
  const EndedRun *run = json->run;
  g_autoptr(GPtrArray) outputs = NULL;
  g_autofree char *plan = provenance_plan_hash(run);
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter writer = { .text = text, .layout = JSON_LINES }, *out = &writer;
  Error *e = output_seal(output, &outputs);
  if (e) return e;
  json_put_open(out, NULL, '{');
  json_put_text(out, "schema_version", RUN_FILE_VERSION);
  run_members_put_program(out);
  json_put_array(out, "command", json->command_line);
  json_put_array(out, "arguments", run->arguments);
  add_profile(out, json);
  json_put_text(out, "plan_hash", plan);
  e = add_inputs(out, run, output);
  if (e) return e;
  add_events(out, json->events);
  add_stages(out, json);
  run_members_put_notices(out, run->results);
  run_file_put_outputs(out, outputs);
  add_failures(out, run->inputs->aside->errors);
  add_state(out, json);
  add_clock(out, json);
  json_put_end(out);
  return pass_on(output, out, 0);
}
