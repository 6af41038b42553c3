/* run.json: how the results came to be.  The only file that holds wall-clock values. */
#include "sched/run-json.h"

#include <string.h>

#include "model/log.h"
#include "model/usage.h"
#include "output/run-file.h"
#include "sched/account.h"
#include "sched/collect.h"
#include "sched/provenance.h"

#define HELD_TEXT (64u << 10) /* of run.json: it grows with the inputs */

void run_json_put_program(JsonWriter *out)
{
  g_autofree char *abi = g_strdup_printf("%u.%u", MILL_ABI_MAJOR, MILL_ABI_MINOR);
  json_put_open(out, "program", '{');
  json_put_text(out, "name", "stagemill");
  json_put_text(out, "version", STAGEMILL_VERSION);
  json_put_text(out, "abi", abi);
  json_put_close(out);
}

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

/* Why it is not among the stages that ran, where the profile lets it be left out. */
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

static void add_profile(JsonWriter *out, const Run *run)
{
  const Profile *p = run->plan->profile;
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
  for (guint i = 0; i < p->entries->len; i++) add_entry(out, run->plan, p->entries->pdata[i]);
  json_put_close(out);
  g_autoptr(GPtrArray) formats = g_ptr_array_new();
  for (guint i = 0; i < run->sinks->list->len; i++)
    g_ptr_array_add(formats,
                    (gpointer)((const Sink *)run->sinks->list->pdata[i])->descriptor->family);
  json_put_array(out, "formats", formats);
  json_put_array(out, "sink_settings", run->options.sink_set);
  json_put_close(out);
}

/* --------------------------------------------------------- inputs and lanes */

static void add_module(JsonWriter *out, const char *key, const Descriptor *s)
{
  json_put_open(out, key, '{');
  json_put_text(out, "name", s->name);
  json_put_text(out, "version", s->version);
  json_put_close(out);
}

static void put_known(JsonWriter *out, const char *key, int64_t value, bool known)
{
  if (known)
    json_put_int(out, key, value);
  else
    json_put_text(out, key, NULL);
}

static void add_input(JsonWriter *out, const Run *run, guint index)
{
  const Input *in = run->inputs->pdata[index];
  const Lane *first = run->lanes->pdata[in->first_lane];
  g_autofree char *hash = run_input_hash(run, index);
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", in->spec->path);
  add_module(out, "source", in->source);
  put_known(out, "size_bytes", (int64_t)in->size_bytes, in->size_bytes);
  json_put_text(out, "hash", hash);
  uint64_t events = 0;
  json_put_open(out, "lanes", '[');
  for (const Lane *lane = first; lane; lane = lane->next) {
    json_put_int(out, NULL, lane->info->index);
    events += in->joined ? in->lane->n_events : lane->info->n_events;
  }
  json_put_close(out);
  json_put_int(out, "events", (int64_t)events);
  json_put_close(out);
}

void run_json_put_tags(JsonWriter *out, const Lane *lane)
{
  json_put_open(out, "tags", '{');
  for (guint i = 0; i < lane->info->tags->len; i++) {
    const Tag *tag = lane->info->tags->pdata[i];
    json_put_text(out, tag->name, tag->value);
  }
  json_put_close(out);
}

static void add_lane(JsonWriter *out, const Lane *lane)
{
  json_put_open(out, NULL, '{');
  json_put_int(out, "index", lane->info->index);
  put_known(out, "rank", lane->info->rank, lane->info->rank >= 0);
  json_put_text(out, "label", lane->info->label);
  json_put_text(out, "name", lane->info->name);
  json_put_text(out, "dialect", lane->info->dialect);
  if (lane->info->base_ns != MILL_NO_BASE) {
    g_autofree char *base = g_strdup_printf("%" G_GINT64_FORMAT, lane->info->base_ns);
    json_put_text(out, "base_ns", base);
  }
  run_json_put_tags(out, lane);
  json_put_close(out);
}

/* ------------------------------------------------------------------ stages */

static bool is_skipped(const Lane *lane, uint32_t stage)
{
  for (guint i = 0; i < lane->class->skipped->len; i++)
    if (g_array_index(lane->class->skipped, PlanSkip, i).stage == stage) return true;
  return false;
}

static void add_stage(JsonWriter *out, const Run *run, uint32_t index)
{
  const PlanStage *p = &run->plan->stages[index];
  const Counters *c = &run->counters[index];
  json_put_open(out, NULL, '{');
  json_put_text(out, "id", p->id);
  json_put_text(out, "name", p->stage->name);
  json_put_text(out, "version", p->stage->version);
  if (p->entry->module) json_put_text(out, "origin", p->entry->module->origin);
  json_put_text(out, "scope", module_scope_name(p->stage->scope));
  json_put_open(out, "skipped_lanes", '[');
  for (guint l = 0; l < run->lanes->len; l++)
    if (is_skipped(run->lanes->pdata[l], index)) json_put_int(out, NULL, l);
  json_put_close(out);
  json_put_int(out, "events_in", (int64_t)c->events_in);
  json_put_int(out, "events_out", (int64_t)c->events_out);
  json_put_int(out, "dropped", (int64_t)counters_dropped(c));
  json_put_int(out, "created", (int64_t)c->emitted);
  if (run->options.timings) json_put_int(out, "time_ns", (int64_t)c->time_ns);
  json_put_close(out);
}

void run_json_put_notices(JsonWriter *out, const MillResults *r)
{
  json_put_open(out, "notices", '[');
  for (uint32_t i = 0; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    json_put_open(out, NULL, '{');
    json_put_text(out, "code", n.code);
    json_put_text(out, "level", notice_level(n.notice->level));
    json_put_int(out, "count", (int64_t)n.count);
    json_put_text(out, "what", n.what);
    if (n.effect) json_put_text(out, "effect", n.effect);
    if (n.help) json_put_text(out, "help", n.help);
    json_put_close(out);
  }
  json_put_close(out);
}

/* ------------------------------------------------------- outputs and clock */

static void add_failures(JsonWriter *out, const Run *run)
{
  if (!run->failures->len) return;
  json_put_open(out, "failures", '[');
  for (guint i = 0; i < run->failures->len; i++)
    for (const Error *e = run->failures->pdata[i]; e; e = e->next) {
      json_put_open(out, NULL, '{');
      json_put_int(out, "status", e->status);
      json_put_text(out, "code", e->code);
      json_put_text(out, "what", e->what);
      json_put_close(out);
    }
  json_put_close(out);
}

void run_json_put_time(JsonWriter *out, const char *key, int64_t seconds_ago)
{
  const char *fixed = g_getenv("SOURCE_DATE_EPOCH");
  int64_t unix_s =
      fixed ? g_ascii_strtoll(fixed, NULL, 10) : g_get_real_time() / 1000000 - seconds_ago;
  g_autoptr(GDateTime) t = g_date_time_new_from_unix_utc(unix_s);
  g_autofree char *text =
      t ? g_date_time_format(t, "%Y-%m-%dT%H:%M:%SZ") : g_strdup("1970-01-01T00:00:00Z");
  json_put_text(out, key, text);
}

static void add_clock(JsonWriter *out, const Run *run)
{
  int64_t elapsed = usage_clock_ns() - run->started_ns;
  json_put_open(out, "clock", '{');
  run_json_put_time(out, "started", elapsed / 1000000000);
  run_json_put_time(out, "finished", 0);
  json_put_int(out, "elapsed_ns", elapsed);
  json_put_int(out, "cpu_ns", (int64_t)usage_cpu_ns());
  json_put_int(out, "jobs", run->options.jobs);
  json_put_int(out, "peak_memory_bytes", (int64_t)usage_peak_bytes());
  json_put_int(out, "max_memory_bytes", (int64_t)run->budget.limit_bytes);
  json_put_int(out, "spilled_bytes", (int64_t)atomic_load(&run->spilled_bytes));
  json_put_close(out);
}

/* Gives what there is away, when it is more than may be held. */
static Error *pass_on(const Run *run, JsonWriter *out, size_t held)
{
  if (out->text->len <= held) return NULL;
  Error *e = output_add(run->output, RUN_FILE_NAME, out->text->str, out->text->len);
  g_string_truncate(out->text, 0);
  return e;
}

static Error *add_inputs(JsonWriter *out, const Run *run)
{
  Error *e = NULL;
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < run->inputs->len && !e; i++) {
    add_input(out, run, i);
    e = pass_on(run, out, HELD_TEXT);
  }
  json_put_close(out);
  json_put_open(out, "lanes", '[');
  for (guint i = 0; i < run->lanes->len && !e; i++) {
    add_lane(out, run->lanes->pdata[i]);
    e = pass_on(run, out, HELD_TEXT);
  }
  json_put_close(out);
  return e;
}

Error *run_json_write(Run *run)
{
  g_autoptr(GPtrArray) outputs = NULL, sources = collect_sources_of(run);
  g_autofree char *plan = run_plan_hash(run);
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter writer = { .text = text, .layout = JSON_LINES }, *out = &writer;
  Error *e = output_seal(run->output, &outputs);
  if (e) return e;
  json_put_open(out, NULL, '{');
  json_put_text(out, "schema_version", RUN_FILE_VERSION);
  run_json_put_program(out);
  json_put_array(out, "command", run->options.command_line);
  json_put_array(out, "arguments", run->options.arguments);
  add_profile(out, run);
  json_put_text(out, "plan_hash", plan);
  e = add_inputs(out, run);
  if (e) return e;
  account_put(out, run, sources);
  json_put_open(out, "stages", '[');
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (run->plan->stages[s].used) add_stage(out, run, s);
  json_put_close(out);
  json_put_open(out, "sinks", '[');
  for (guint s = 0; s < run->sinks->list->len; s++)
    add_module(out, NULL, ((const Sink *)run->sinks->list->pdata[s])->descriptor);
  json_put_close(out);
  run_json_put_notices(out, run_results(run));
  run_file_put_outputs(out, outputs);
  add_failures(out, run);
  add_clock(out, run);
  json_put_end(out);
  return pass_on(run, out, 0);
}
