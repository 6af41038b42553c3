/* Parameters: values from the command line, and those that set several options of a stage. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/printable.h"
#include "plan/profile-parts.h"

bool param_given(const ProfileParam *p) { return g_str_has_prefix(p->origin, "--"); }

void param_put(ProfileParam *p, const char *text, const char *origin)
{
  text_replace(&p->text, g_strdup(text));
  text_replace(&p->origin, g_strdup(origin));
}

Error *param_give(Profile *profile, const char *text)
{
  const char *equals = strchr(text, '=');
  g_autofree char *name = g_strndup(text, (gsize)(equals - text)),
                  *origin = g_strconcat("--", name, NULL);
  ProfileParam *p = g_hash_table_lookup(profile->param_of_name, name);
  if (!p) {
    Error *e = error_new(EXIT_USAGE, "PRF-11", "%s: the profile \"%s\" has no parameter \"%s\"",
                         origin, profile->name, name);
    return error_help(e, "stagemill show %s    lists its parameters", profile->name);
  }
  bool more = p->sets && !strcmp(p->origin, origin); /* the option was given before */
  g_autofree char *all = g_strconcat(more ? p->text : "", more ? "," : "", equals + 1, NULL);
  param_put(p, all, origin);
  return NULL;
}

Error *param_locate(Error *e, const ProfileParam *p)
{
  if (!param_given(p)) return error_at(e, "at %s", p->place);
  g_autofree char *safe = printable(p->text);
  e->status = EXIT_USAGE;
  if (strcmp(p->origin, "--set")) return error_at(e, "in %s %s", p->origin, safe);
  return error_at(e, "in --set %s=%s", p->name, safe);
}

void check_param_targets(const Profile *profile, Problems *problems)
{
  for (guint i = 0; i < profile->params->len; i++) {
    const ProfileParam *p = profile->params->pdata[i];
    if (!p->sets || named_find(profile->entries, p->sets)) continue;
    Error *e = error_new(EXIT_PROFILE, "PRF-05",
                         "the parameter \"%s\" sets options of \"%s\", and no stage has this id",
                         p->name, p->sets);
    error_at(e, "at %s", p->place);
    problems_add(problems, named_suggest(e, p->sets, profile->entries));
  }
}

Error *stage_disabled(const ProfileEntry *entry)
{
  Error *e = error_new(EXIT_USAGE, "PRF-13", "the stage \"%s\" is disabled", entry->id);
  error_why(e, "by %s", entry->enabled_origin);
  return error_help(e, "add --enable %s", entry->id);
}

static Error *not_a_pair(const ProfileParam *p, const char *part)
{
  g_autofree char *safe = printable(part);
  Error *e = error_new(EXIT_PROFILE, "PRF-09",
                       "parameter \"%s\": \"%s\" is not an option with a value", p->name, safe);
  param_locate(e, p);
  error_why(e, "write OPTION:VALUE, or several as OPTION:VALUE,OPTION:VALUE");
  return p->help ? error_help(e, "%s", p->help) : e;
}

static Error *spread_part(ProfileEntry *entry, const ProfileParam *p, const char *part)
{
  const char *colon = strchr(part, ':');
  if (!colon || colon == part || !colon[1]) return not_a_pair(p, part);
  g_autofree char *name = g_strndup(part, (gsize)(colon - part)),
                  *origin = g_strdup_printf("$%s from %s", p->name, p->origin);
  ProfileSetting *s = setting_put(entry->with, name, colon + 1, origin, NULL);
  s->param = p;
  s->given = param_given(p);
  return NULL;
}

/* A default means nothing to a stage that is disabled. */
static void spread(Profile *profile, const ProfileParam *p, Problems *problems)
{
  ProfileEntry *entry = named_find(profile->entries, p->sets);
  g_auto(GStrv) parts = g_strsplit(p->text, ",", -1);
  if (*parts && !entry->enabled) {
    if (param_given(p)) problems_add(problems, param_locate(stage_disabled(entry), p));
    return;
  }
  for (char **part = parts; *part; part++) problems_add(problems, spread_part(entry, p, *part));
}

void params_spread(Profile *profile, Problems *problems)
{
  for (guint i = 0; i < profile->params->len; i++) {
    const ProfileParam *p = profile->params->pdata[i];
    if (p->sets) spread(profile, p, problems);
  }
}
