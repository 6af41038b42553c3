/* Stages, profiles, metrics and rules described in full, as JSON objects. */
/* SPDX-License-Identifier: MIT */
#include "cmd/describe.h"

#include "base/figure.h"
#include "model/notice.h"
#include "model/option.h"

static void put_split(JsonWriter *out, const char *key, const char *list)
{
  g_auto(GStrv) parts = g_strsplit(list ? list : "", ",", -1);
  json_put_list(out, key, (const char *const *)parts);
}

static void put_options(JsonWriter *out, const Descriptor *s)
{
  json_put_open(out, "options", '[');
  for (uint32_t i = 0; i < s->n_options; i++) {
    const MillOption *o = &s->options[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", o->name);
    json_put_text(out, "type", option_type_name(o));
    json_put_text(out, "default", o->default_text);
    json_put_text(out, "range", o->range);
    json_put_text(out, "unit", o->unit);
    json_put_bool(out, "required", o->flags & MILL_OPTION_REQUIRED);
    json_put_bool(out, "deprecated", o->flags & MILL_OPTION_DEPRECATED);
    json_put_text(out, "help", o->help);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_reads(JsonWriter *out, const Descriptor *s)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (uint32_t i = 0; i < s->n_reads; i++)
    g_ptr_array_add(names, (gpointer)describe_read(&s->reads[i]));
  json_put_array(out, "reads", names);
}

static const char *type_name(uint32_t type)
{
  static const char *const names[] = { "none", "int", "real", "text", "text", "bool", "object" };
  return names[type <= MILL_JSON ? type : 0];
}

static const char *per_name(uint32_t per) { return per == MILL_PER_LANE ? "lane" : "run"; }

static void put_tables(JsonWriter *out, const Descriptor *s)
{
  json_put_open(out, "tables", '[');
  for (uint32_t i = 0; i < s->n_tables; i++) {
    const MillTable *t = &s->tables[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", t->name);
    json_put_text(out, "help", t->help);
    json_put_text(out, "per", per_name(t->per));
    json_put_open(out, "columns", '[');
    for (uint32_t c = 0; c < t->columns.n; c++) {
      json_put_open(out, NULL, '{');
      json_put_text(out, "name", t->columns.at[c].name);
      json_put_text(out, "unit", t->columns.at[c].unit);
      json_put_text(out, "type", type_name(t->columns.at[c].type));
      json_put_bool(out, "key", t->columns.at[c].flags & MILL_COLUMN_KEY);
      json_put_text(out, "help", t->columns.at[c].help);
      json_put_close(out);
    }
    json_put_close(out);
    json_put_close(out);
  }
  json_put_close(out);
}

void describe_metric_json(JsonWriter *out, const Descriptor *stage, const MillMetric *m)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", m->name);
  json_put_text(out, "stage", stage->name);
  json_put_text(out, "unit", m->unit);
  json_put_text(out, "better", describe_better(m));
  json_put_text(out, "kind", m->kind == MILL_JSON ? "object" : "number");
  json_put_text(out, "per", per_name(m->per));
  put_split(out, "stats", m->stats);
  put_split(out, "headline", m->headline);
  put_split(out, "aliases", m->aliases);
  g_autofree char *inputs = describe_metric_inputs(stage, m);
  json_put_text(out, "inputs", inputs);
  json_put_text(out, "help", m->help);
  json_put_close(out);
}

static void put_figures(JsonWriter *out, const Descriptor *s)
{
  json_put_open(out, "figures", '[');
  for (uint32_t i = 0; i < s->n_figures; i++) {
    json_put_open(out, NULL, '{');
    figure_put(out, &s->figures[i]);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_notices(JsonWriter *out, const Descriptor *s)
{
  json_put_open(out, "notices", '[');
  for (uint32_t i = 0; i < s->n_notices; i++) {
    const MillNotice *n = &s->notices[i];
    g_autofree char *code = notice_code(s, i);
    g_autofree char *what = notice_pattern(n->what), *effect = notice_pattern(n->effect),
                    *help = notice_pattern(n->help);
    json_put_open(out, NULL, '{');
    json_put_text(out, "code", code);
    json_put_text(out, "level", notice_level(n->level));
    json_put_text(out, "what", what);
    json_put_text(out, "effect", effect);
    json_put_text(out, "help", help);
    json_put_text(out, "explain", n->explain);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_claims(JsonWriter *out, const Descriptor *s)
{
  static const char *const names[] = { "read-only", "may-drop",  "may-emit",
                                       "merges",    "any-order", "moves-base" };
  g_autoptr(GPtrArray) claims = g_ptr_array_new();
  for (size_t i = 0; s->kind == MILL_KIND_STAGE && i < G_N_ELEMENTS(names); i++)
    if (s->flags >> i & 1) g_ptr_array_add(claims, (gpointer)names[i]);
  json_put_array(out, "claims", claims);
}

static void put_files(JsonWriter *out, const Descriptor *s)
{
  g_auto(GStrv) files = g_strsplit(s->files, " ", -1);
  json_put_list(out, "files", (const char *const *)files);
}

void describe_stage_json(JsonWriter *out, const Module *m)
{
  const Descriptor *s = m->stage;
  g_autofree char *abi = g_strdup_printf("%u.%u", m->abi >> 16, m->abi & 0xffff);
  json_put_open(out, NULL, '{');
  json_put_text(out, "kind", module_kind_name(s->kind));
  json_put_text(out, "name", s->name);
  json_put_text(out, "family", s->family);
  if (s->kind == MILL_KIND_SINK) json_put_text(out, "format", s->family);
  json_put_text(out, "version", s->version);
  json_put_text(out, "tag", s->tag);
  json_put_text(out, "title", s->title);
  json_put_text(out, "help", s->help);
  if (s->kind == MILL_KIND_STAGE) json_put_text(out, "scope", module_scope_name(s->scope));
  if (s->kind == MILL_KIND_STAGE) json_put_bool(out, "two_phases", s->stage_ops->observe != NULL);
  if (s->files) put_files(out, s);
  put_claims(out, s);
  json_put_text(out, "vendor", m->vendor);
  json_put_text(out, "licence", m->licence);
  json_put_text(out, "abi", abi);
  json_put_text(out, "path", m->path);
  json_put_text(out, "origin", m->origin);
  json_put_text(out, "shadows", m->shadows);
  json_put_list(out, "needs", s->needs);
  json_put_list(out, "wants", s->wants);
  json_put_list(out, "provides", s->provides);
  json_put_list(out, "spoils", s->spoils);
  put_reads(out, s);
  put_options(out, s);
  put_tables(out, s);
  json_put_open(out, "metrics", '[');
  for (uint32_t i = 0; i < s->n_metrics; i++) describe_metric_json(out, s, &s->metrics[i]);
  json_put_close(out);
  put_figures(out, s);
  put_notices(out, s);
  json_put_close(out);
}

static void put_params(JsonWriter *out, const Profile *profile)
{
  json_put_open(out, "params", '[');
  for (guint i = 0; i < profile->params->len; i++) {
    const ProfileParam *q = profile->params->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", q->name);
    json_put_text(out, "default", q->default_text);
    json_put_text(out, "unit", q->unit);
    json_put_text(out, "help", q->help);
    json_put_text(out, "sets", q->sets);
    json_put_text(out, "option", q->option);
    json_put_close(out);
  }
  json_put_close(out);
}

void describe_profile_figures_json(JsonWriter *out, const Profile *profile)
{
  json_put_open(out, "figures", '[');
  for (guint i = 0; i < profile->figures->len; i++) {
    const ProfileEntry *f = profile->figures->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "use", f->use);
    for (guint k = 0; k < f->with->len; k++) {
      const ProfileSetting *s = f->with->pdata[k];
      json_put_text(out, s->name, s->text);
    }
    json_put_bool(out, "enabled", f->enabled);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_made_for(JsonWriter *out, const ProfileFor *f)
{
  if (!f) return;
  json_put_open(out, "for", '{');
  json_put_array(out, "dialects", f->dialects);
  json_put_array(out, "facts", f->facts);
  json_put_array(out, "labels", f->labels);
  json_put_array(out, "unless", f->unless);
  json_put_bool(out, "only_named", f->only_named);
  json_put_close(out);
}

static void put_rules(JsonWriter *out, const char *key, const GPtrArray *rules)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < rules->len; i++)
    g_ptr_array_add(names, ((const ProfileEntry *)rules->pdata[i])->id);
  json_put_array(out, key, names);
}

void describe_profile_json(JsonWriter *out, const Profile *profile)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "kind", "profile");
  json_put_text(out, "name", profile->name);
  json_put_text(out, "description", profile->description);
  json_put_text(out, "file", profile->file);
  json_put_array(out, "chain", profile->chain);
  put_made_for(out, profile->made_for);
  if (profile->join_ranks) json_put_bool(out, "join_ranks", true);
  if (profile->needs_events) json_put_bool(out, "needs_events", true);
  if (profile->inputs) json_put_array(out, "inputs", profile->inputs);
  put_params(out, profile);
  json_put_open(out, "stages", '[');
  for (guint i = 0; i < profile->entries->len; i++) {
    const ProfileEntry *e = profile->entries->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "id", e->id);
    json_put_text(out, "use", e->use);
    json_put_bool(out, "enabled", e->enabled);
    if (e->optional) json_put_bool(out, "optional", true);
    json_put_open(out, "with", '{');
    for (guint k = 0; k < e->with->len; k++) {
      const ProfileSetting *s = e->with->pdata[k];
      json_put_text(out, s->name, s->text);
    }
    json_put_close(out);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_array(out, "formats", profile->formats);
  put_rules(out, "rules", profile->rules);
  put_rules(out, "verdict", profile->verdict);
  put_rules(out, "views", profile->views);
  describe_profile_figures_json(out, profile);
  json_put_close(out);
}

void describe_error_json(JsonWriter *out, const Error *e)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "code", e->code);
  json_put_text(out, "what", e->what);
  json_put_array(out, "at", e->at);
  json_put_array(out, "why", e->why);
  json_put_array(out, "help", e->help);
  json_put_close(out);
}

void describe_rule_json(JsonWriter *out, const Rule *rule, const GPtrArray *profiles)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "kind", "rule");
  json_put_text(out, "name", rule->name);
  json_put_text(out, "title", rule->title);
  json_put_text(out, "help", rule->help);
  json_put_text(out, "file", rule->file);
  json_put_array(out, "profiles", profiles);
  json_put_open(out, "params", '[');
  for (guint i = 0; i < rule->params->len; i++) {
    const RuleParam *p = rule->params->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", p->name);
    json_put_real(out, "default", p->value);
    json_put_real(out, "min", p->min);
    json_put_real(out, "max", p->max);
    json_put_text(out, "help", p->help);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_close(out);
}
