/* How results came to be, as a JSON object; see provenance.h. */
/* SPDX-License-Identifier: MIT */
#include "results/provenance.h"

#include <string.h>

#include "base/figure.h"
#include "base/json-write.h"
#include "input/file-sum.h"
#include "plan/module-id.h"
#include "plan/module.h"
#include "plan/rule.h"

#define WHOLE_HASH_UP_TO (1u << 20) /* hashing more than this would take longer than reading */

/* ------------------------------------------------------------------ as JSON */

static void module_clear(gpointer module) { g_free(((ProvenanceModule *)module)->hash); }

void provenance_init(Provenance *p)
{
  *p = (Provenance){ .arguments = g_ptr_array_new(),
                     .rules = g_ptr_array_new(),
                     .modules = g_array_new(FALSE, FALSE, sizeof(ProvenanceModule)),
                     .inputs = g_array_new(FALSE, FALSE, sizeof(ProvenanceInput)) };
  g_array_set_clear_func(p->modules, module_clear);
}

void provenance_clear(Provenance *p)
{
  g_ptr_array_unref(p->arguments);
  g_ptr_array_unref(p->rules);
  g_array_unref(p->modules);
  g_array_unref(p->inputs);
}

void provenance_add_module(Provenance *p, const char *kind, const char *name, const char *version)
{
  for (guint i = 0; i < p->modules->len; i++) {
    const ProvenanceModule *m = &g_array_index(p->modules, ProvenanceModule, i);
    if (!strcmp(m->kind, kind) && !strcmp(m->name, name) && !strcmp(m->version, version)) return;
  }
  ProvenanceModule module = { kind, name, version, NULL };
  g_array_append_val(p->modules, module);
}

char *provenance_module_hash(const Descriptor *module)
{
  g_autofree char *file = module->vendor ? module_file(module->given) : NULL;
  g_autofree char *hash = file ? file_sum_of(file, UINT64_MAX) : NULL;
  return hash ? g_strconcat("sha256:", hash, NULL) : NULL;
}

void provenance_add_loaded(Provenance *p, const Descriptor *module)
{
  guint n = p->modules->len;
  provenance_add_module(p, module_kind_name(module->kind), module->name, module->version);
  if (p->modules->len > n)
    g_array_index(p->modules, ProvenanceModule, n).hash = provenance_module_hash(module);
}

void provenance_add_rules(GPtrArray *names, const Profile *profile)
{
  for (guint i = 0; i < profile->rules->len; i++) {
    const ProfileEntry *entry = profile->rules->pdata[i];
    if (entry->rule) g_ptr_array_add(names, entry->id);
  }
}

static void put_modules(JsonWriter *out, const Provenance *p)
{
  json_put_open(out, "modules", '[');
  for (guint i = 0; i < p->modules->len; i++) {
    const ProvenanceModule *m = &g_array_index(p->modules, ProvenanceModule, i);
    json_put_open(out, NULL, '{');
    json_put_text(out, "kind", m->kind);
    json_put_text(out, "name", m->name);
    json_put_text(out, "version", m->version);
    if (m->hash) json_put_text(out, "hash", m->hash);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_inputs(JsonWriter *out, const Provenance *p)
{
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < p->inputs->len; i++) {
    const ProvenanceInput *input = &g_array_index(p->inputs, ProvenanceInput, i);
    g_autofree char *name = g_path_get_basename(input->name);
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", name);
    if (input->size_bytes >= 0)
      json_put_int(out, "size_bytes", input->size_bytes);
    else
      json_put_text(out, "size_bytes", NULL);
    json_put_text(out, "hash", input->hash);
    json_put_close(out);
  }
  json_put_close(out);
}

char *provenance_text(const Provenance *p)
{
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_SPACED };
  json_put_open(&out, NULL, '{');
  json_put_open(&out, "program", '{');
  json_put_text(&out, "name", p->program);
  json_put_text(&out, "version", p->version);
  json_put_close(&out);
  json_put_text(&out, "profile", p->profile);
  if (p->plan) json_put_text(&out, "plan", p->plan);
  json_put_array(&out, "arguments", p->arguments);
  if (p->rules->len) json_put_array(&out, "rules", p->rules);
  put_modules(&out, p);
  put_inputs(&out, p);
  json_put_close(&out);
  return g_string_free(out.text, FALSE);
}

/* --------------------------------------------------------------------- plan */

static void put_module(JsonWriter *out, const Descriptor *d)
{
  g_autofree char *build = module_build_id(d->given);
  json_put_open(out, "module", '{');
  json_put_text(out, "name", d->name);
  json_put_text(out, "version", d->version);
  json_put_text(out, "build", build);
  json_put_close(out);
}

static const char *setting_text(const ProfileEntry *entry, const MillOption *option)
{
  for (guint i = 0; i < entry->with->len; i++) {
    const ProfileSetting *s = entry->with->pdata[i];
    if (!strcmp(s->name, option->name)) return s->text;
  }
  return option->default_text ? option->default_text : "";
}

/* Only if they differ from those of the module. */
static void put_figures(JsonWriter *out, const ProfileEntry *entry)
{
  if (!entry->figures) return;
  json_put_open(out, "figures", '[');
  for (guint i = 0; i < entry->figures->len; i++) {
    json_put_open(out, NULL, '{');
    figure_put(out, &g_array_index(entry->figures, MillFigure, i));
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_stage(JsonWriter *out, const ProfileEntry *entry)
{
  const Descriptor *d = entry->module->stage;
  json_put_open(out, NULL, '{');
  json_put_text(out, "id", entry->id);
  put_module(out, d);
  json_put_open(out, "options", '{');
  for (uint32_t i = 0; i < d->n_options; i++)
    json_put_text(out, d->options[i].name, setting_text(entry, &d->options[i]));
  json_put_close(out);
  put_figures(out, entry);
  json_put_close(out);
}

/* Each with its text and the values of its parameters. */
static void put_rules(JsonWriter *out, const char *key, const GPtrArray *rules)
{
  if (!rules->len) return;
  json_put_open(out, key, '[');
  for (guint i = 0; i < rules->len; i++) {
    const Rule *rule = ((const ProfileEntry *)rules->pdata[i])->rule;
    if (!rule) continue;
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", rule->name);
    json_put_string(out, "text", rule->text, rule->len);
    json_put_open(out, "params", '{');
    for (guint k = 0; k < rule->params->len; k++) {
      const RuleParam *p = rule->params->pdata[k];
      json_put_real(out, p->name, p->value);
    }
    json_put_close(out);
    json_put_close(out);
  }
  json_put_close(out);
}

/* What results depend on, apart from the inputs; without the sinks. */
static void put_plan(JsonWriter *out, const EndedRun *run)
{
  const Profile *p = run->plan->profile;
  json_put_open(out, NULL, '{');
  json_put_text(out, "program", STAGEMILL_VERSION);
  json_put_text(out, "profile", p->name);
  json_put_open(out, "params", '{');
  for (guint i = 0; i < p->params->len; i++) {
    const ProfileParam *param = p->params->pdata[i];
    json_put_text(out, param->name, param->text ? param->text : "");
  }
  json_put_close(out);
  json_put_open(out, "stages", '[');
  for (guint i = 0; i < p->entries->len; i++) {
    const ProfileEntry *entry = p->entries->pdata[i];
    if (entry->enabled && entry->module) put_stage(out, entry);
  }
  json_put_close(out);
  put_rules(out, "rules", p->rules);
  put_rules(out, "verdict", p->verdict);
  put_rules(out, "views", p->views);
  json_put_array(out, "sources", run->source_settings);
  if (p->join_ranks) json_put_bool(out, "join_ranks", true);
  json_put_bool(out, "cascade", run->cascade);
  json_put_bool(out, "recover", run->recover);
  json_put_close(out);
}

char *provenance_plan_hash(const EndedRun *run)
{
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_DENSE };
  FileSum *sum = file_sum_new();
  put_plan(&out, run);
  file_sum_see(sum, out.text->str, out.text->len);
  g_autofree char *digest = file_sum_end(sum);
  file_sum_free(sum);
  g_string_free(out.text, TRUE);
  return g_strconcat("sha256:", digest, NULL);
}

/* ------------------------------------------------------------------- inputs */

char *provenance_file_hash(const char *path, uint64_t size_bytes)
{
  g_autofree char *hash = file_sum_of(path, WHOLE_HASH_UP_TO);
  const char *kind = size_bytes > WHOLE_HASH_UP_TO ? "sha256-ends:" : "sha256:";
  return hash ? g_strconcat(kind, hash, NULL) : NULL;
}

char *provenance_hash_of(const Input *in)
{
  if (in->known_hash) return g_strdup(in->known_hash);
  if (!strcmp(in->spec->path, "-") || in->spec->no_file) return NULL;
  return provenance_file_hash(in->spec->path, in->size_bytes);
}

char *provenance_input_hash(const EndedRun *run, guint index)
{
  return run->input_hashes ? g_strdup(run->input_hashes->pdata[index])
                           : provenance_hash_of(run->inputs->list->pdata[index]);
}

static void add_inputs(Provenance *p, const EndedRun *run)
{
  for (guint i = 0; i < run->inputs->list->len; i++) {
    const Input *in = run->inputs->list->pdata[i];
    ProvenanceInput input = { in->spec->path, run->input_hashes->pdata[i],
                              in->size_bytes ? (int64_t)in->size_bytes : -1 };
    provenance_add_loaded(p, in->source);
    g_array_append_val(p->inputs, input);
  }
}

/* ---------------------------------------------------------------- of a run */

/* The hashes are kept, because run.json has the same ones. */
static char *make(void *context)
{
  EndedRun *run = context;
  Provenance p;
  g_autofree char *plan = provenance_plan_hash(run);
  run->input_hashes = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < run->inputs->list->len; i++)
    g_ptr_array_add(run->input_hashes, provenance_hash_of(run->inputs->list->pdata[i]));
  provenance_init(&p);
  p.program = "stagemill";
  p.version = STAGEMILL_VERSION;
  p.profile = run->plan->profile->name;
  p.plan = plan;
  for (guint i = 0; run->arguments && i < run->arguments->len; i++)
    g_ptr_array_add(p.arguments, run->arguments->pdata[i]);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const PlanStage *stage = &run->plan->stages[s];
    if (stage->used) provenance_add_loaded(&p, stage->stage);
  }
  provenance_add_rules(p.rules, run->plan->profile);
  add_inputs(&p, run);
  char *text = provenance_text(&p);
  provenance_clear(&p);
  return text;
}

void provenance_offer(EndedRun *run)
{
  g_autofree char *plan = provenance_plan_hash(run);
  results_set_info(run->results, "plan", plan);
  results_offer_info(run->results, "provenance", make, run);
}
