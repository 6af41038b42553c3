/* Inheritance: the entries, parameters and formats of one file laid over those of its parent. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/hash-seed.h"
#include "plan/profile-parts.h"

static Error *complain(Problems *problems, const char *code, const char *place, const char *what,
                       const char *id)
{
  Error *e = error_new(EXIT_PROFILE, code, what, id);
  error_at(e, "at %s", place);
  return problems_add(problems, e);
}

static void merge_param(Profile *profile, const ProfileParam *from, Problems *problems)
{
  ProfileParam *p = g_hash_table_lookup(profile->param_of_name, from->name);
  if (!p && !from->default_text) {
    Error *e = complain(problems, "PRF-05", from->place,
                        "parameter \"%s\" is new and has no \"default\"", from->name);
    named_suggest(e, from->name, profile->params);
    return;
  }
  if (!p) {
    p = g_new0(ProfileParam, 1);
    p->name = g_strdup(from->name);
    g_ptr_array_add(profile->params, p);
    g_hash_table_insert(profile->param_of_name, p->name, p);
  }
  if (from->unit) text_replace(&p->unit, g_strdup(from->unit));
  if (from->help) text_replace(&p->help, g_strdup(from->help));
  if (from->sets) text_replace(&p->sets, g_strdup(from->sets));
  if (from->option) text_replace(&p->option, g_strdup(from->option));
  if (!from->default_text) return;
  text_replace(&p->default_text, g_strdup(from->default_text));
  text_replace(&p->place, g_strdup(from->place));
  text_replace(&p->origin, g_strdup(from->origin));
  text_replace(&p->text, g_strdup(from->default_text));
}

static void merge_head(Profile *profile, Layer *layer, Problems *problems)
{
  text_replace(&profile->name, g_strdup(layer->name));
  text_replace(&profile->file, g_strdup(layer->file));
  text_replace(&profile->description, g_strdup(layer->description));
  made_for_free(profile->made_for);
  profile->made_for = g_steal_pointer(&layer->made_for);
  g_ptr_array_insert(profile->chain, 0, g_strdup(layer->name));
  if (layer->formats) {
    if (profile->formats) g_ptr_array_unref(profile->formats);
    profile->formats = g_ptr_array_ref(layer->formats);
  }
  if (layer->inputs) {
    if (profile->inputs) g_ptr_array_unref(profile->inputs);
    profile->inputs = g_ptr_array_ref(layer->inputs);
  }
  if (layer->inputs_help) text_replace(&profile->inputs_help, g_strdup(layer->inputs_help));
  if (layer->has_join) profile->join_ranks = layer->join_ranks;
  if (layer->has_needs) profile->needs_events = layer->needs_events;
  edges_merge(profile->sinks, layer->sinks);
  edges_merge(profile->sources, layer->sources);
  if (layer->no_rules) g_ptr_array_set_size(profile->rules, 0);
  if (layer->no_verdict || layer->verdict->len) g_ptr_array_set_size(profile->verdict, 0);
  if (layer->no_views) g_ptr_array_set_size(profile->views, 0);
  edges_merge(profile->rules, layer->rules);
  edges_merge(profile->verdict, layer->verdict);
  edges_merge(profile->views, layer->views);
  figures_merge(profile->figures, layer->figures);
  modules_merge(profile->modules, layer->modules);
  for (guint i = 0; i < layer->params->len; i++)
    merge_param(profile, layer->params->pdata[i], problems);
}

static bool is_repeated(GHashTable *seen, const LayerEntry *from, Problems *problems)
{
  if (g_hash_table_add(seen, from->entry->id)) return false;
  Error *e = complain(problems, "PRF-07", from->place_id, "the stage id \"%s\" is duplicated",
                      from->entry->id);
  error_help(e, "give one of them its own id with \"as\"");
  return true;
}

static void edit_entry(ProfileEntry *e, const LayerEntry *from, Problems *problems)
{
  const ProfileEntry *edit = from->entry;
  if (from->place_anchor) {
    Error *moved = complain(problems, "PRF-07", from->place_anchor,
                            "the stage \"%s\" is inherited and cannot be moved", e->id);
    error_help(moved, "leave out \"after\" and \"before\", or add it under another id with \"as\"");
  }
  if (strcmp(edit->use, e->use) != 0 && from->has_as) {
    Error *other = complain(problems, "PRF-07", edit->place,
                            "the id \"%s\" is inherited and uses another stage", e->id);
    error_why(other, "it uses \"%s\"", e->use);
  }
  if (from->has_enabled) {
    e->enabled = edit->enabled;
    text_replace(&e->enabled_origin, g_strdup(edit->enabled_origin));
  }
  if (from->has_optional) e->optional = edit->optional;
  for (guint i = 0; i < edit->with->len; i++) {
    const ProfileSetting *s = edit->with->pdata[i];
    setting_put(e->with, s->name, s->text, s->origin, s->place);
  }
}

/* Behind the entry at `at` and those that this file put after it, perhaps by way of others: each of them follows the
 * anchor or one between. */
static guint behind_followers(const GPtrArray *entries, guint at, GHashTable *followed)
{
  g_autoptr(GHashTable) passed = g_hash_table_new(hash_text, g_str_equal);
  for (; at < entries->len; at++) {
    char *id = ((ProfileEntry *)entries->pdata[at])->id;
    const char *before = g_hash_table_lookup(followed, id);
    if (g_hash_table_size(passed) && (!before || !g_hash_table_contains(passed, before))) break;
    g_hash_table_add(passed, id);
  }
  return at;
}

static void unplaced(const Profile *profile, const LayerEntry *from, Problems *problems)
{
  const char *id = from->entry->id;
  Error *e = complain(problems, "PRF-07", from->place_id,
                      "the new stage \"%s\" has neither \"after\" nor \"before\"", id);
  named_suggest(e, id, profile->entries);
  error_help(e, "say where it goes: stagemill does not guess the order");
}

/* Several entries after one anchor keep the order in which they are written. */
static void insert_entry(Profile *profile, LayerEntry *from, GHashTable *followed,
                         Problems *problems)
{
  const char *anchor = from->after ? from->after : from->before;
  GPtrArray *entries = profile->entries;
  guint at = 0;
  if (!anchor) {
    unplaced(profile, from, problems);
    return;
  }
  if (!g_ptr_array_find(entries, named_find(entries, anchor), &at)) {
    Error *e = complain(problems, "PRF-07", from->place_anchor,
                        "there is no stage \"%s\" to be placed beside", anchor);
    named_suggest(e, anchor, entries);
    return;
  }
  if (from->after) {
    at = behind_followers(entries, at, followed);
    g_hash_table_insert(followed, from->entry->id, from->after);
  }
  g_ptr_array_insert(entries, (gint)at, g_steal_pointer(&from->entry));
}

static GHashTable *entries_by_id(const Profile *profile)
{
  GHashTable *by_id = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < profile->entries->len; i++) {
    ProfileEntry *entry = profile->entries->pdata[i];
    g_hash_table_insert(by_id, entry->id, entry);
  }
  return by_id;
}

void merge_layer(Profile *profile, Layer *layer, Problems *problems)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(hash_text, g_str_equal);
  g_autoptr(GHashTable) followed = g_hash_table_new(hash_text, g_str_equal);
  g_autoptr(GHashTable) inherited = entries_by_id(profile);
  merge_head(profile, layer, problems);
  for (guint i = 0; i < layer->entries->len; i++) {
    LayerEntry *from = layer->entries->pdata[i];
    if (is_repeated(seen, from, problems)) continue;
    ProfileEntry *known = g_hash_table_lookup(inherited, from->entry->id);
    if (known)
      edit_entry(known, from, problems);
    else if (layer->inherits)
      insert_entry(profile, from, followed, problems);
    else
      g_ptr_array_add(profile->entries, g_steal_pointer(&from->entry));
  }
}
