/* --set: a parameter of the profile, or an option of the stage, source or sink that has it. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/option.h"
#include "model/printable.h"
#include "plan/profile-parts.h"

#define N_KINDS (MILL_KIND_SINK + 1)

typedef struct Setting { /* the parts of a --set */
  const char *text;      /* all of it */
  const char *id;
  const char *name;  /* of the option, or NULL: `id` is a parameter */
  const char *value; /* NULL: there is none */
  uint32_t kind;     /* said before the id, as in "sink/csv"; 0: not said */
  char *left;        /* what `id` and `name` point into */
} Setting;

static Setting split(const char *text)
{
  const char *equals = strchr(text, '=');
  Setting s = { .text = text, .value = equals ? equals + 1 : NULL };
  s.left = g_strndup(text, equals ? (gsize)(equals - text) : strlen(text));
  s.id = s.left;
  char *dot = strrchr(s.left, '.');
  if (!dot) return s;
  *dot = '\0';
  s.name = dot + 1;
  s.kind = module_split_kind(&s.id);
  return s;
}

static Error *bad_set(const char *code, const char *text, char *what)
{
  g_autofree char *safe = printable(text);
  Error *e = error_new(EXIT_USAGE, code, "%s", what);
  g_free(what);
  return error_at(e, "in --set %s", safe);
}

/* ---- parameters */

static Error *set_param(Profile *profile, const Setting *s)
{
  ProfileParam *p = g_hash_table_lookup(profile->param_of_name, s->id);
  if (p) {
    param_put(p, s->value, "--set");
    return NULL;
  }
  g_autofree char *safe = printable(s->id);
  Error *e =
      bad_set("PRF-11", s->text,
              g_strdup_printf("the profile \"%s\" has no parameter \"%s\"", profile->name, safe));
  named_suggest(e, s->id, profile->params);
  if (named_find(profile->entries, s->id))
    error_help(e, "write an option of the stage as %s.OPTION=VALUE", safe);
  return e;
}

/* ---- whose option it is */

/* A stage that is wrong is complained of when the profile's modules are found. */
static const Module *stage_of(Modules *modules, const ProfileEntry *entry)
{
  g_autoptr(Error) ignored = NULL;
  return modules_find(modules, MILL_KIND_STAGE, entry->use, &ignored);
}

static bool has_option(const Profile *profile, Modules *modules, uint32_t kind, const Setting *s)
{
  const Module *m = kind == MILL_KIND_STAGE ? stage_of(modules, named_find(profile->entries, s->id))
                                            : edges_module(modules, kind, s->id);
  return m && option_find(m->stage->options, m->stage->n_options, s->name);
}

static bool bears_name(const Profile *profile, Modules *modules, uint32_t kind, const char *id)
{
  if (kind == MILL_KIND_STAGE) return named_find(profile->entries, id) != NULL;
  return edges_listed(profile, kind, id) || edges_module(modules, kind, id);
}

/* The one kind of the set, or 0. */
static uint32_t only_one(const bool *kinds)
{
  uint32_t found = 0;
  for (uint32_t kind = MILL_KIND_STAGE; kind < N_KINDS; kind++) {
    if (!kinds[kind]) continue;
    if (found) return 0;
    found = kind;
  }
  return found;
}

/* "the source and the sink" */
static char *list_kinds(const bool *kinds)
{
  GString *list = g_string_new(NULL);
  for (uint32_t kind = MILL_KIND_STAGE; kind < N_KINDS; kind++)
    if (kinds[kind])
      g_string_append_printf(list, "%sthe %s", list->len ? " and " : "", module_kind_name(kind));
  return g_string_free(list, FALSE);
}

static Error *several(const Setting *s, const bool *kinds, bool have_it)
{
  g_autofree char *list = list_kinds(kinds);
  g_autofree char *option = printable(s->name);
  Error *e = bad_set(have_it ? "PRF-13" : "PRF-08", s->text,
                     g_strdup_printf(have_it ? "%s \"%s\" have the option \"%s\""
                                             : "%s \"%s\" lack the option \"%s\"",
                                     list, s->id, option));
  for (uint32_t kind = MILL_KIND_STAGE; kind < N_KINDS; kind++) {
    const char *word = module_kind_name(kind);
    if (!kinds[kind]) continue;
    if (have_it)
      error_help(e, "--set %s/%s.%s=VALUE    sets that of the %s", word, s->id, option, word);
    else
      error_help(e, "stagemill show %s/%s    lists the options of the %s", word, s->id, word);
  }
  return e;
}

static Error *nobody(const Profile *profile, const Setting *s)
{
  g_autofree char *safe = printable(s->id);
  if (s->kind > MILL_KIND_STAGE) {
    const char *what = s->kind == MILL_KIND_SINK ? "format" : "source";
    Error *e = bad_set("PRF-13", s->text, g_strdup_printf("there is no %s \"%s\"", what, safe));
    return error_help(e, "stagemill list %ss", module_kind_name(s->kind));
  }
  Error *e =
      bad_set("PRF-13", s->text,
              g_strdup_printf("the profile \"%s\" has no stage \"%s\"", profile->name, safe));
  return named_suggest(e, s->id, profile->entries);
}

/* Of several that bear the name, the one that has the option. */
static Error *choose_kind(const Profile *profile, Modules *modules, const Setting *s,
                          uint32_t *out_kind)
{
  bool named[N_KINDS] = { false }, able[N_KINDS] = { false }, any = false, any_able = false;
  for (uint32_t kind = MILL_KIND_STAGE; kind < N_KINDS; kind++) {
    if (s->kind && kind != s->kind) continue;
    named[kind] = bears_name(profile, modules, kind, s->id);
    any = any || named[kind];
  }
  if (!any) return nobody(profile, s);
  *out_kind = only_one(named);
  if (*out_kind) return NULL;
  for (uint32_t kind = MILL_KIND_STAGE; kind < N_KINDS; kind++) {
    able[kind] = named[kind] && has_option(profile, modules, kind, s);
    any_able = any_able || able[kind];
  }
  *out_kind = only_one(able);
  return *out_kind ? NULL : several(s, any_able ? able : named, any_able);
}

/* Of a rule, the verdict or a view, where no stage of the profile is called so. */
static bool set_rule(Profile *profile, const Setting *s)
{
  ProfileEntry *rule = named_find(profile->rules, s->id);
  if (!rule) rule = named_find(profile->verdict, s->id);
  if (!rule) rule = named_find(profile->views, s->id);
  if (s->kind || !rule || named_find(profile->entries, s->id)) return false;
  setting_put(rule->with, s->name, s->value, "--set", NULL);
  return true;
}

static Error *set_option(Profile *profile, Modules *modules, const Setting *s)
{
  uint32_t kind = 0;
  if (set_rule(profile, s)) return NULL;
  Error *e = choose_kind(profile, modules, s, &kind);
  if (e) return e;
  ProfileEntry *entry = kind == MILL_KIND_STAGE ? named_find(profile->entries, s->id)
                                                : edges_entry(profile, kind, s->id);
  if (entry->enabled) {
    setting_put(entry->with, s->name, s->value, "--set", NULL)->given = true;
    return NULL;
  }
  g_autofree char *safe = printable(s->text);
  return error_at(stage_disabled(entry), "in --set %s", safe);
}

static Error *incomplete(const Setting *s)
{
  return error_help(bad_set("PRF-13", s->text, g_strdup("--set needs a name and a value")),
                    "--set STAGE.OPTION=VALUE or --set PARAMETER=VALUE");
}

/* Those of options, or all others. */
static void apply(Profile *profile, Modules *modules, const GPtrArray *set, bool of_options,
                  Problems *problems)
{
  for (guint i = 0; i < set->len; i++) {
    Setting s = split(set->pdata[i]);
    Error *e = NULL;
    if (of_options != (s.name != NULL))
      e = NULL;
    else if (!s.value || !*s.left)
      e = incomplete(&s);
    else
      e = s.name ? set_option(profile, modules, &s) : set_param(profile, &s);
    problems_add(problems, e);
    g_free(s.left);
  }
}

void set_apply(Profile *profile, Modules *modules, const GPtrArray *set, Problems *problems)
{
  if (set) apply(profile, modules, set, false, problems);
  params_spread(profile, problems);
  if (set) apply(profile, modules, set, true, problems);
}

/* ---- before there is a profile */

Error *profile_of_sources(Modules *modules, const GPtrArray *set, Profile **out)
{
  g_autoptr(Profile) p = profile_new();
  Problems problems = { 0 };
  for (guint i = 0; set && i < set->len; i++) {
    Setting s = split(set->pdata[i]);
    bool may = s.value && s.name && (!s.kind || s.kind == MILL_KIND_SOURCE);
    if (may && has_option(p, modules, MILL_KIND_SOURCE, &s))
      setting_put(edges_entry(p, MILL_KIND_SOURCE, s.id)->with, s.name, s.value, "--set", NULL);
    g_free(s.left);
  }
  edges_resolve(p, modules, &problems);
  *out = g_steal_pointer(&p);
  return problems_take(&problems);
}
