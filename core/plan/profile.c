/* What profiles are made of: entries, settings, parameters; see profile.h. */
#include "plan/profile.h"

#include <string.h>

#include "base/suggest.h"
#include "plan/module-parts.h"
#include "plan/profile-parts.h"

enum { MOST_PROBLEMS = 50 };

Error *problems_add(Problems *p, Error *e)
{
  Error *kept = NULL;
  while (e) {
    Error *next = e->next;
    e->next = NULL;
    kept = p->n++ < MOST_PROBLEMS ? e : NULL;
    if (!kept)
      error_free(e);
    else if (p->last)
      p->last = p->last->next = e;
    else
      p->first = p->last = e;
    e = next;
  }
  return kept;
}

Error *problems_take(Problems *p)
{
  Error *first = p->first;
  if (p->n > MOST_PROBLEMS) error_help(p->last, "and %u more problems", p->n - MOST_PROBLEMS);
  *p = (Problems){ NULL, NULL, 0 };
  return first;
}

void problems_suggest(Error *e, const char *word, const GPtrArray *words)
{
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  for (guint i = 0; i < words->len; i++) g_ptr_array_add(list, words->pdata[i]);
  g_ptr_array_add(list, NULL);
  const char *near = suggest_nearest(word, (const char *const *)list->pdata);
  if (near && strcmp(near, word) != 0) error_help(e, "did you mean \"%s\"?", near);
}

ProfileSetting *setting_new(const char *name, const char *text, const char *origin,
                            const char *place)
{
  ProfileSetting *s = g_new0(ProfileSetting, 1);
  s->name = g_strdup(name);
  s->text = g_strdup(text);
  s->origin = g_strdup(origin);
  s->place = g_strdup(place);
  return s;
}

void setting_override(ProfileSetting *s, const char *text, const char *origin, const char *place)
{
  char *history =
      s->history ? g_strdup_printf("%s; %s", s->origin, s->history) : g_strdup(s->origin);
  g_free(s->history);
  s->history = history;
  g_free(s->text);
  s->text = g_strdup(text);
  g_free(s->origin);
  s->origin = g_strdup(origin);
  g_free(s->place);
  s->place = g_strdup(place);
}

void setting_free(ProfileSetting *s)
{
  if (!s) return;
  g_free(s->name);
  g_free(s->text);
  g_free(s->origin);
  g_free(s->history);
  g_free(s->place);
  g_free(s);
}

ProfileSetting *setting_find(const GPtrArray *with, const char *name)
{
  for (guint i = 0; i < with->len; i++) {
    ProfileSetting *s = with->pdata[i];
    if (strcmp(s->name, name) == 0) return s;
  }
  return NULL;
}

void param_free(ProfileParam *p)
{
  if (!p) return;
  g_free(p->name);
  g_free(p->fallback);
  g_free(p->unit);
  g_free(p->help);
  g_free(p->place);
  g_free(p->text);
  g_free(p->origin);
  g_free(p);
}

ProfileParam *param_find(const Profile *profile, const char *name)
{
  for (guint i = 0; i < profile->params->len; i++) {
    ProfileParam *p = profile->params->pdata[i];
    if (strcmp(p->name, name) == 0) return p;
  }
  return NULL;
}

ProfileEntry *entry_find(const Profile *profile, const char *id)
{
  for (guint i = 0; i < profile->entries->len; i++) {
    ProfileEntry *e = profile->entries->pdata[i];
    if (strcmp(e->id, id) == 0) return e;
  }
  return NULL;
}

GPtrArray *entry_ids(const Profile *profile)
{
  GPtrArray *ids = g_ptr_array_new();
  for (guint i = 0; i < profile->entries->len; i++)
    g_ptr_array_add(ids, ((ProfileEntry *)profile->entries->pdata[i])->id);
  return ids;
}

GPtrArray *param_names(const Profile *profile)
{
  GPtrArray *names = g_ptr_array_new();
  for (guint i = 0; i < profile->params->len; i++)
    g_ptr_array_add(names, ((ProfileParam *)profile->params->pdata[i])->name);
  return names;
}

const char *param_reference(const char *text)
{
  return text[0] == '$' && module_is_kebab(text + 1) ? text + 1 : NULL;
}

static void entry_free(ProfileEntry *e)
{
  g_free(e->id);
  g_free(e->use);
  g_free(e->enabled_origin);
  g_free(e->place);
  g_ptr_array_unref(e->with);
  g_free(e);
}

Profile *profile_new(void)
{
  Profile *p = g_new0(Profile, 1);
  p->params = g_ptr_array_new_with_free_func((GDestroyNotify)param_free);
  p->entries = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->chain = g_ptr_array_new_with_free_func(g_free);
  return p;
}

void profile_free(Profile *p)
{
  if (!p) return;
  g_free(p->name);
  g_free(p->description);
  g_free(p->file);
  g_ptr_array_unref(p->params);
  g_ptr_array_unref(p->entries);
  g_ptr_array_unref(p->chain);
  if (p->formats) g_ptr_array_unref(p->formats);
  g_free(p);
}
