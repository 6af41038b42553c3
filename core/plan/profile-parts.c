/* What profiles are made of: entries, settings, parameters; see profile.h and profile-parts.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/profile-parts.h"
#include "plan/rule.h"

#include <string.h>

#include "base/hash-seed.h"

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
  *p = (Problems){ 0 };
  return first;
}

gpointer named_find(const GPtrArray *items, const char *name)
{
  for (guint i = 0; i < items->len; i++)
    if (strcmp(*(char **)items->pdata[i], name) == 0) return items->pdata[i];
  return NULL;
}

Error *named_suggest(Error *e, const char *word, const GPtrArray *items)
{
  if (!e) return NULL; /* only counted: looking for a near word takes time */
  g_autofree const char **names = g_new0(const char *, items->len + 1);
  for (guint i = 0; i < items->len; i++) names[i] = *(char **)items->pdata[i];
  return error_suggest(e, word, names);
}

void text_replace(char **text, char *by)
{
  g_free(*text);
  *text = by;
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

ProfileSetting *setting_put(GPtrArray *with, const char *name, const char *text, const char *origin,
                            const char *place)
{
  ProfileSetting *s = named_find(with, name);
  if (!s) {
    s = setting_new(name, text, origin, place);
    g_ptr_array_add(with, s);
    return s;
  }
  text_replace(&s->history, g_strjoin("; ", s->origin, s->history, NULL));
  text_replace(&s->text, g_strdup(text));
  text_replace(&s->origin, g_strdup(origin));
  text_replace(&s->place, g_strdup(place));
  s->param = NULL;
  s->given = false;
  return s;
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

void param_free(ProfileParam *p)
{
  if (!p) return;
  g_free(p->name);
  g_free(p->default_text);
  g_free(p->unit);
  g_free(p->help);
  g_free(p->place);
  g_free(p->sets);
  g_free(p->option);
  g_free(p->text);
  g_free(p->origin);
  g_free(p);
}

const char *param_reference(const char *text)
{
  return text[0] == '$' && module_is_kebab(text + 1) ? text + 1 : NULL;
}

ProfileFor *made_for_new(void)
{
  ProfileFor *f = g_new0(ProfileFor, 1);
  f->dialects = g_ptr_array_new_with_free_func(g_free);
  f->facts = g_ptr_array_new_with_free_func(g_free);
  f->labels = g_ptr_array_new_with_free_func(g_free);
  f->unless = g_ptr_array_new_with_free_func(g_free);
  return f;
}

void made_for_free(ProfileFor *f)
{
  if (!f) return;
  g_ptr_array_unref(f->dialects);
  g_ptr_array_unref(f->facts);
  g_ptr_array_unref(f->labels);
  g_ptr_array_unref(f->unless);
  g_free(f);
}

static bool holds(const GPtrArray *texts, const char *text)
{
  return g_ptr_array_find_with_equal_func((GPtrArray *)texts, text, g_str_equal, NULL);
}

static bool is_met(const ProfileFor *f, const char *dialect, const GPtrArray *facts)
{
  if (f->dialects->len && !holds(f->dialects, dialect)) return false;
  for (guint i = 0; i < f->facts->len; i++)
    if (!holds(facts, f->facts->pdata[i])) return false;
  return true;
}

bool profile_is_for_others(const Profile *p, const char *dialect, const GPtrArray *facts)
{
  return p->made_for && !is_met(p->made_for, dialect, facts);
}

static bool has_one_of(const GPtrArray *facts, const GPtrArray *unless)
{
  for (guint i = 0; i < unless->len; i++)
    if (holds(facts, unless->pdata[i])) return true;
  return false;
}

unsigned profile_suits(const Profile *p, const char *label, const char *dialect,
                       const GPtrArray *facts)
{
  enum { DIALECT = 1000, LABEL = 2 * DIALECT };
  const ProfileFor *f = p->made_for;
  if (!f || f->only_named || has_one_of(facts, f->unless) || !is_met(f, dialect, facts)) return 0;
  return (holds(f->labels, label) ? LABEL : 0) + (f->dialects->len ? DIALECT : 0) +
         MIN(f->facts->len, DIALECT - 1);
}

ProfileEntry *entry_new(void)
{
  ProfileEntry *e = g_new0(ProfileEntry, 1);
  e->enabled = true;
  e->with = g_ptr_array_new_with_free_func((GDestroyNotify)setting_free);
  return e;
}

void entry_free(ProfileEntry *e)
{
  if (!e) return;
  g_free(e->id);
  g_free(e->use);
  g_free(e->enabled_origin);
  g_free(e->place);
  g_ptr_array_unref(e->with);
  if (e->figures) g_array_unref(e->figures);
  rule_free(e->rule);
  error_free(e->fault);
  g_free(e);
}

void layer_entry_free(LayerEntry *e)
{
  entry_free(e->entry);
  g_free(e->place_id);
  g_free(e->after);
  g_free(e->before);
  g_free(e->place_anchor);
  g_free(e);
}

void layer_free(Layer *layer)
{
  if (!layer) return;
  g_free(layer->file);
  g_free(layer->name);
  g_free(layer->description);
  g_free(layer->inherits);
  g_free(layer->place_inherits);
  made_for_free(layer->made_for);
  g_ptr_array_unref(layer->params);
  g_ptr_array_unref(layer->entries);
  g_ptr_array_unref(layer->sinks);
  g_ptr_array_unref(layer->sources);
  g_ptr_array_unref(layer->figures);
  g_ptr_array_unref(layer->rules);
  g_ptr_array_unref(layer->verdict);
  g_ptr_array_unref(layer->views);
  g_ptr_array_unref(layer->modules);
  if (layer->formats) g_ptr_array_unref(layer->formats);
  if (layer->inputs) g_ptr_array_unref(layer->inputs);
  g_free(layer->inputs_help);
  g_free(layer);
}

Profile *profile_new(void)
{
  Profile *p = g_new0(Profile, 1);
  p->params = g_ptr_array_new_with_free_func((GDestroyNotify)param_free);
  p->param_of_name = g_hash_table_new(hash_text, g_str_equal);
  p->entries = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->sinks = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->sources = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->figures = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->rules = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->verdict = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->views = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  p->modules = g_ptr_array_new_with_free_func((GDestroyNotify)setting_free);
  p->chain = g_ptr_array_new_with_free_func(g_free);
  return p;
}

const ProfileParam *profile_param(const Profile *p, const char *name)
{
  return g_hash_table_lookup(p->param_of_name, name);
}

void profile_free(Profile *p)
{
  if (!p) return;
  g_free(p->name);
  g_free(p->description);
  g_free(p->file);
  made_for_free(p->made_for);
  g_clear_pointer(&p->param_of_name, g_hash_table_unref);
  g_ptr_array_unref(p->params);
  g_ptr_array_unref(p->entries);
  g_ptr_array_unref(p->sinks);
  g_ptr_array_unref(p->sources);
  g_ptr_array_unref(p->figures);
  g_ptr_array_unref(p->rules);
  g_ptr_array_unref(p->verdict);
  g_ptr_array_unref(p->views);
  g_ptr_array_unref(p->modules);
  g_ptr_array_unref(p->chain);
  if (p->formats) g_ptr_array_unref(p->formats);
  if (p->inputs) g_ptr_array_unref(p->inputs);
  g_free(p->inputs_help);
  g_free(p);
}
