/* run.json: how the results came to be.  The only file that holds wall-clock values. */
#include "run/run-json.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "run/input.h"
#include "run/output-folder.h"
#include "run/results.h"
#include "run/tags.h"
#include "run/usage.h"

#define WHOLE_HASH_UP_TO (1u << 20) /* beyond, hashing would take longer than reading */

static void member_text(JsonBuilder *b, const char *key, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  json_builder_set_member_name(b, key);
  json_builder_add_string_value(b, valid);
}

static void member_int(JsonBuilder *b, const char *key, uint64_t v)
{
  json_builder_set_member_name(b, key);
  json_builder_add_int_value(b, (gint64)v);
}

static void begin_array(JsonBuilder *b, const char *key)
{
  json_builder_set_member_name(b, key);
  json_builder_begin_array(b);
}

static void begin_object(JsonBuilder *b, const char *key)
{
  if (key) json_builder_set_member_name(b, key);
  json_builder_begin_object(b);
}

static void add_texts(JsonBuilder *b, const char *key, const GPtrArray *texts)
{
  begin_array(b, key);
  for (guint i = 0; texts && i < texts->len; i++) {
    g_autofree char *valid = g_utf8_make_valid(texts->pdata[i], -1);
    json_builder_add_string_value(b, valid);
  }
  json_builder_end_array(b);
}

static void add_program(JsonBuilder *b)
{
  g_autofree char *abi = g_strdup_printf("%u.%u", MILL_ABI_MAJOR, MILL_ABI_MINOR);
  begin_object(b, "program");
  member_text(b, "name", "stagemill");
  member_text(b, "version", STAGEMILL_VERSION);
  member_text(b, "abi", abi);
  json_builder_end_object(b);
}

/* ----------------------------------------------------------------- profile */

static void add_setting(JsonBuilder *b, const char *name, const char *value, const char *unit,
                        const char *origin)
{
  begin_object(b, NULL);
  member_text(b, "name", name);
  member_text(b, "value", value ? value : "");
  if (unit) member_text(b, "unit", unit);
  member_text(b, "origin", origin ? origin : "default");
  json_builder_end_object(b);
}

static const ProfileSetting *setting_of(const ProfileEntry *entry, const char *name)
{
  for (guint i = 0; i < entry->with->len; i++)
    if (!strcmp(((const ProfileSetting *)entry->with->pdata[i])->name, name))
      return entry->with->pdata[i];
  return NULL;
}

static void add_entry(JsonBuilder *b, const ProfileEntry *entry)
{
  const MillStage *s = entry->module ? entry->module->stage : NULL;
  begin_object(b, NULL);
  member_text(b, "id", entry->id);
  member_text(b, "use", entry->use);
  json_builder_set_member_name(b, "enabled");
  json_builder_add_boolean_value(b, entry->enabled);
  if (entry->enabled_origin) member_text(b, "origin", entry->enabled_origin);
  begin_array(b, "options");
  for (uint32_t o = 0; s && o < s->n_options; o++) {
    const ProfileSetting *set = setting_of(entry, s->options[o].name);
    add_setting(b, s->options[o].name, set ? set->text : s->options[o].fallback, s->options[o].unit,
                set ? set->origin : "default");
  }
  json_builder_end_array(b);
  json_builder_end_object(b);
}

static void add_profile(JsonBuilder *b, const Run *run)
{
  const Profile *p = run->plan->profile;
  begin_object(b, "profile");
  member_text(b, "name", p->name);
  if (p->file) member_text(b, "file", p->file);
  if (p->description) member_text(b, "description", p->description);
  add_texts(b, "chain", p->chain);
  begin_array(b, "params");
  for (guint i = 0; i < p->params->len; i++) {
    const ProfileParam *param = p->params->pdata[i];
    add_setting(b, param->name, param->text, param->unit, param->origin);
  }
  json_builder_end_array(b);
  begin_array(b, "stages");
  for (guint i = 0; i < p->entries->len; i++) add_entry(b, p->entries->pdata[i]);
  json_builder_end_array(b);
  begin_array(b, "formats");
  for (guint i = 0; i < run->sinks->len; i++)
    json_builder_add_string_value(b, ((const Sink *)run->sinks->pdata[i])->stage->family);
  json_builder_end_array(b);
  json_builder_end_object(b);
}

/* --------------------------------------------------------- inputs and lanes */

static void add_module(JsonBuilder *b, const char *key, const MillStage *s)
{
  begin_object(b, key);
  member_text(b, "name", s->name);
  member_text(b, "version", s->version);
  json_builder_end_object(b);
}

static void add_hash(JsonBuilder *b, const Input *in)
{
  g_autofree char *hash =
      strcmp(in->spec->path, "-") ? folder_hash_file(in->spec->path, WHOLE_HASH_UP_TO) : NULL;
  g_autofree char *text =
      hash ? g_strconcat(in->size_bytes > WHOLE_HASH_UP_TO ? "sha256-ends:" : "sha256:", hash, NULL)
           : NULL;
  json_builder_set_member_name(b, "hash");
  if (text)
    json_builder_add_string_value(b, text);
  else
    json_builder_add_null_value(b);
}

static void add_input(JsonBuilder *b, const Run *run, const Input *in)
{
  begin_object(b, NULL);
  member_text(b, "name", in->spec->path);
  add_module(b, "source", in->source);
  json_builder_set_member_name(b, "size_bytes");
  if (in->size_bytes)
    json_builder_add_int_value(b, (gint64)in->size_bytes);
  else
    json_builder_add_null_value(b);
  add_hash(b, in);
  uint64_t events = 0;
  begin_array(b, "lanes");
  for (guint l = 0; l < run->lanes->len; l++) {
    const Lane *lane = run->lanes->pdata[l];
    if (lane->input != in) continue;
    json_builder_add_int_value(b, lane->index);
    events += lane->n_events;
  }
  json_builder_end_array(b);
  member_int(b, "events", events);
  json_builder_end_object(b);
}

static void add_lane(JsonBuilder *b, const Lane *lane)
{
  begin_object(b, NULL);
  member_int(b, "index", lane->index);
  json_builder_set_member_name(b, "rank");
  if (lane->rank >= 0)
    json_builder_add_int_value(b, lane->rank);
  else
    json_builder_add_null_value(b);
  member_text(b, "label", lane->label);
  member_text(b, "name", lane->name);
  member_text(b, "dialect", lane->dialect);
  if (lane->base_known) {
    g_autofree char *base = g_strdup_printf("%" G_GINT64_FORMAT, lane->base_ns);
    member_text(b, "base_ns", base);
  }
  begin_object(b, "tags");
  for (guint t = 0; t < lane->tags->len; t++) {
    const Tag *tag = lane->tags->pdata[t];
    member_text(b, tag->name, tag->value);
  }
  json_builder_end_object(b);
  json_builder_end_object(b);
}

/* ------------------------------------------------------------------ stages */

static bool is_bypassed(const Lane *lane, uint32_t stage)
{
  for (guint i = 0; i < lane->class->bypassed->len; i++)
    if (g_array_index(lane->class->bypassed, PlanBypass, i).stage == stage) return true;
  return false;
}

static void add_stage(JsonBuilder *b, const Run *run, uint32_t index)
{
  const PlanStage *p = &run->plan->stages[index];
  const Counters *c = &run->counters[index];
  begin_object(b, NULL);
  member_text(b, "id", p->id);
  member_text(b, "name", p->stage->name);
  member_text(b, "version", p->stage->version);
  if (p->entry->module) member_text(b, "origin", p->entry->module->origin);
  member_text(b, "scope", module_scope_name(p->stage->scope));
  begin_array(b, "bypassed_lanes");
  for (guint l = 0; l < run->lanes->len; l++)
    if (is_bypassed(run->lanes->pdata[l], index)) json_builder_add_int_value(b, l);
  json_builder_end_array(b);
  member_int(b, "events_in", c->events_in);
  member_int(b, "events_out", c->events_out);
  member_int(b, "dropped", c->dropped);
  member_int(b, "created", c->emitted);
  if (run->options.timings) member_int(b, "time_ns", c->time_ns);
  json_builder_end_object(b);
}

static void add_notices(JsonBuilder *b, const MillResults *r)
{
  begin_array(b, "notices");
  for (uint32_t i = 0; i < r->n_notices; i++) {
    const char *code, *what, *effect, *help;
    uint64_t count;
    const MillNotice *n = r->notice(r, i, &code, &count, &what, &effect, &help);
    begin_object(b, NULL);
    member_text(b, "code", code);
    member_text(b, "level", notice_level(n->level));
    member_int(b, "count", count);
    member_text(b, "what", what);
    if (effect) member_text(b, "effect", effect);
    if (help) member_text(b, "help", help);
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
}

/* ------------------------------------------------------- outputs and clock */

static void add_outputs(JsonBuilder *b, const GPtrArray *entries)
{
  begin_array(b, "outputs");
  for (guint i = 0; i < entries->len; i++) {
    const OutputEntry *entry = entries->pdata[i];
    begin_object(b, NULL);
    member_text(b, "name", entry->name);
    member_int(b, "size_bytes", entry->size);
    member_text(b, "sha256", entry->sha256 ? entry->sha256 : "");
    json_builder_end_object(b);
  }
  json_builder_end_array(b);
}

static void add_failures(JsonBuilder *b, const Run *run)
{
  if (!run->failures->len) return;
  begin_array(b, "failures");
  for (guint i = 0; i < run->failures->len; i++)
    for (const Error *e = run->failures->pdata[i]; e; e = e->next) {
      begin_object(b, NULL);
      member_int(b, "status", (uint64_t)e->status);
      member_text(b, "code", e->code);
      member_text(b, "what", e->what);
      json_builder_end_object(b);
    }
  json_builder_end_array(b);
}

static void member_time(JsonBuilder *b, const char *key, int64_t seconds_ago)
{
  const char *fixed = g_getenv("SOURCE_DATE_EPOCH");
  int64_t unix_s =
      fixed ? g_ascii_strtoll(fixed, NULL, 10) : g_get_real_time() / 1000000 - seconds_ago;
  g_autoptr(GDateTime) t = g_date_time_new_from_unix_utc(unix_s);
  g_autofree char *text =
      t ? g_date_time_format(t, "%Y-%m-%dT%H:%M:%SZ") : g_strdup("1970-01-01T00:00:00Z");
  member_text(b, key, text);
}

static void add_clock(JsonBuilder *b, const Run *run)
{
  uint64_t elapsed = (uint64_t)(usage_clock_ns() - run->started_ns);
  begin_object(b, "clock");
  member_time(b, "started", (int64_t)(elapsed / 1000000000u));
  member_time(b, "finished", 0);
  member_int(b, "elapsed_ns", elapsed);
  member_int(b, "cpu_ns", usage_cpu_ns());
  member_int(b, "jobs", run->options.jobs);
  member_int(b, "peak_memory_bytes", usage_peak_bytes());
  member_int(b, "max_memory_bytes", run->budget.limit_bytes);
  member_int(b, "spilled_bytes", atomic_load(&run->spilled_bytes));
  json_builder_end_object(b);
}

Error *run_json_write(Run *run)
{
  g_autoptr(GPtrArray) outputs = NULL;
  g_autoptr(JsonBuilder) b = json_builder_new();
  Error *e = output_seal(run->output, &outputs);
  if (e) return e;
  begin_object(b, NULL);
  member_text(b, "schema_version", "1.0");
  add_program(b);
  add_texts(b, "command", run->options.command_line);
  add_profile(b, run);
  begin_array(b, "inputs");
  for (guint i = 0; i < run->inputs->len; i++) add_input(b, run, run->inputs->pdata[i]);
  json_builder_end_array(b);
  begin_array(b, "lanes");
  for (guint i = 0; i < run->lanes->len; i++) add_lane(b, run->lanes->pdata[i]);
  json_builder_end_array(b);
  begin_array(b, "stages");
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (run->plan->stages[s].used) add_stage(b, run, s);
  json_builder_end_array(b);
  begin_array(b, "sinks");
  for (guint s = 0; s < run->sinks->len; s++)
    add_module(b, NULL, ((const Sink *)run->sinks->pdata[s])->stage);
  json_builder_end_array(b);
  add_notices(b, run_results(run));
  add_outputs(b, outputs);
  add_failures(b, run);
  add_clock(b, run);
  json_builder_end_object(b);
  g_autoptr(JsonNode) root = json_builder_get_root(b);
  g_autofree char *text = json_to_string(root, TRUE);
  g_autofree char *lines = g_strconcat(text, "\n", NULL);
  return output_add(run->output, "run.json", lines, strlen(lines));
}
