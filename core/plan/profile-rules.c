/* Rules of a profile, its verdict and views among them: as its file names them, turned on and off, read, and given
 * their parameters. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "plan/profile-parts.h"
#include "plan/profile-take.h"
#include "plan/rule-find.h"

/* ---- as the file names them */

/* A name, or a path from where the profile is. */
static void take(Shape *s, const char *pointer, const JsonValue *node, GPtrArray *list)
{
  char *text = shape_text(s, pointer, "a rule", node);
  if (!text) return;
  ProfileEntry *entry = entry_new();
  entry->place = shape_place(s, pointer, false);
  entry->id = g_path_get_basename(text);
  if (g_str_has_suffix(entry->id, ".sql")) entry->id[strlen(entry->id) - strlen(".sql")] = '\0';
  entry->use = path_beside(s->layer->file, text);
  g_free(text);
  g_ptr_array_add(list, entry);
}

static void take_rule(Shape *s, const char *pointer, const JsonValue *node)
{
  take(s, pointer, node, s->layer->rules);
}

static void take_view(Shape *s, const char *pointer, const JsonValue *node)
{
  take(s, pointer, node, s->layer->views);
}

/* It stands for none, also of those that are inherited. */
static bool is_empty_list(const JsonValue *node)
{
  return json_holds(node, JSON_ARRAY) && json_count(node) == 0;
}

void rules_take(Shape *s, const char *pointer, const JsonValue *node)
{
  s->layer->no_rules = is_empty_list(node);
  shape_items(s, pointer, "\"rules\"", node, take_rule);
}

void rules_take_views(Shape *s, const char *pointer, const JsonValue *node)
{
  s->layer->no_views = is_empty_list(node);
  shape_items(s, pointer, "\"views\"", node, take_view);
}

/* An empty text stands for none. */
void rules_take_verdict(Shape *s, const char *pointer, const JsonValue *node)
{
  g_autofree char *text = value_text(node);
  s->layer->no_verdict = text && !*text;
  if (!s->layer->no_verdict) take(s, pointer, node, s->layer->verdict);
}

/* ---- turned on and off */

static bool match(const ProfileEntry *rule, const char *pattern)
{
  return !strcmp(pattern, rule->id) ||
         (g_str_is_ascii(pattern) && g_pattern_match_simple(pattern, rule->id));
}

bool rules_match(const Profile *profile, const char *pattern)
{
  for (guint i = 0; i < profile->rules->len; i++)
    if (match(profile->rules->pdata[i], pattern)) return true;
  return false;
}

static bool match_any(const ProfileEntry *rule, const GPtrArray *patterns)
{
  for (guint i = 0; i < patterns->len; i++)
    if (match(rule, patterns->pdata[i])) return true;
  return false;
}

void rules_select(Profile *profile, const GPtrArray *enable, const GPtrArray *disable)
{
  for (guint i = 0; i < profile->rules->len; i++) {
    ProfileEntry *rule = profile->rules->pdata[i];
    if (match_any(rule, disable)) rule->enabled = false;
    if (match_any(rule, enable)) rule->enabled = true;
  }
}

/* ---- read */

static void set_params(ProfileEntry *entry, Problems *problems)
{
  for (guint i = 0; i < entry->with->len; i++) {
    const ProfileSetting *s = entry->with->pdata[i];
    Error *e = rule_set(entry->rule, s->name, s->text, s->origin);
    if (e) problems_add(problems, error_at(e, "in --set %s.%s=%s", entry->id, s->name, s->text));
  }
}

static void resolve(const GPtrArray *rules, const ProfileSearch *search, Problems *problems)
{
  for (guint i = 0; i < rules->len; i++) {
    ProfileEntry *entry = rules->pdata[i];
    if (!entry->enabled) continue;
    Error *e = rule_load(entry->use, search, &entry->rule);
    if (!e)
      set_params(entry, problems);
    else if (!strcmp(e->code, "PRF-21"))
      entry->fault = e;
    else
      problems_add(problems, error_at(e, "at %s", entry->place));
  }
}

void rules_resolve(Profile *profile, const ProfileSearch *search, Problems *problems)
{
  resolve(profile->rules, search, problems);
  resolve(profile->verdict, search, problems);
  resolve(profile->views, search, problems);
}
