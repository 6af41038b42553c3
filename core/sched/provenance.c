/* What a run was made of; see provenance.h. */
#include "sched/provenance.h"

#include <string.h>

#include "base/figure.h"
#include "base/json-write.h"
#include "output/file-sum.h"
#include "plan/module-id.h"
#include "results/provenance.h"

#define WHOLE_HASH_UP_TO (1u << 20) /* beyond, hashing would take longer than reading */

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

/* Where they are not those of the module. */
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

/* What the results of given inputs depend on; not which sinks write them. */
static void put_plan(JsonWriter *out, const Run *run)
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
  json_put_array(out, "sources", run->options.source_set);
  if (p->join_ranks) json_put_bool(out, "join_ranks", true);
  json_put_bool(out, "cascade", run->options.cascade);
  json_put_bool(out, "recover", run->options.recover);
  json_put_close(out);
}

char *run_plan_hash(const Run *run)
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

static char *hash_of(const Input *in)
{
  if (!strcmp(in->spec->path, "-") || in->spec->no_file) return NULL;
  g_autofree char *hash = file_sum_of(in->spec->path, WHOLE_HASH_UP_TO);
  const char *kind = in->size_bytes > WHOLE_HASH_UP_TO ? "sha256-ends:" : "sha256:";
  return hash ? g_strconcat(kind, hash, NULL) : NULL;
}

char *run_input_hash(const Run *run, guint index)
{
  return run->input_hashes ? g_strdup(run->input_hashes->pdata[index])
                           : hash_of(run->inputs->pdata[index]);
}

/* --------------------------------------------------------------- provenance */

static void add_inputs(Provenance *p, const Run *run)
{
  for (guint i = 0; i < run->inputs->len; i++) {
    const Input *in = run->inputs->pdata[i];
    ProvenanceInput input = { in->spec->path, run->input_hashes->pdata[i],
                              in->size_bytes ? (int64_t)in->size_bytes : -1 };
    provenance_add_module(p, "source", in->source->name, in->source->version);
    g_array_append_val(p->inputs, input);
  }
}

/* The hashes are kept: run.json says the same. */
static char *make(void *context)
{
  Run *run = context;
  Provenance p;
  g_autofree char *plan = run_plan_hash(run);
  run->input_hashes = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < run->inputs->len; i++)
    g_ptr_array_add(run->input_hashes, hash_of(run->inputs->pdata[i]));
  provenance_init(&p);
  p.program = "stagemill";
  p.version = STAGEMILL_VERSION;
  p.profile = run->plan->profile->name;
  p.plan = plan;
  const GPtrArray *arguments = run->options.arguments;
  for (guint i = 0; arguments && i < arguments->len; i++)
    g_ptr_array_add(p.arguments, arguments->pdata[i]);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) {
    const PlanStage *stage = &run->plan->stages[s];
    if (stage->used) provenance_add_module(&p, "stage", stage->stage->name, stage->stage->version);
  }
  add_inputs(&p, run);
  char *text = provenance_text(&p);
  provenance_clear(&p);
  return text;
}

void run_offer_provenance(Run *run)
{
  g_autofree char *plan = run_plan_hash(run);
  results_set_info(run->results, "plan", plan);
  results_offer_info(run->results, "provenance", make, run);
}
