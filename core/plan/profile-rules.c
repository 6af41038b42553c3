/* Rules of a profile: turned on and off, read, and given their parameters. */
#include <string.h>

#include "plan/profile-parts.h"
#include "plan/rule-find.h"

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
