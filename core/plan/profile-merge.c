/* Inheritance: the entries, parameters and formats of one file laid over those of its parent. */
#include <string.h>

#include "plan/profile-parts.h"

static Error *complain(Problems *problems, const char *code, const char *place, const char *what,
                       const char *id)
{
  Error *e = error_new(EXIT_PROFILE, code, what, id);
  error_at(e, "at %s", place);
  return problems_add(problems, e);
}

static ProfileEntry *entry_from(const LayerEntry *from)
{
  ProfileEntry *e = g_new0(ProfileEntry, 1);
  e->id = g_strdup(from->id);
  e->use = g_strdup(from->use);
  e->enabled = !from->has_enabled || from->enabled;
  e->enabled_origin = g_strdup(from->origin);
  e->place = g_strdup(from->place);
  e->with = g_ptr_array_new_with_free_func((GDestroyNotify)setting_free);
  for (guint i = 0; i < from->with->len; i++) {
    const ProfileSetting *s = from->with->pdata[i];
    g_ptr_array_add(e->with, setting_new(s->name, s->text, s->origin, s->place));
  }
  return e;
}

static void merge_param(Profile *profile, const ProfileParam *from, Problems *problems)
{
  ProfileParam *p = param_find(profile, from->name);
  if (!p && !from->fallback) {
    Error *e = complain(problems, "PRF-05", from->place,
                        "parameter \"%s\" is new and has no \"default\"", from->name);
    g_autoptr(GPtrArray) names = param_names(profile);
    problems_suggest(e, from->name, names);
    return;
  }
  if (!p) {
    p = g_new0(ProfileParam, 1);
    p->name = g_strdup(from->name);
    g_ptr_array_add(profile->params, p);
  }
  char **to_texts[] = { &p->unit, &p->help, &p->fallback };
  const char *from_texts[] = { from->unit, from->help, from->fallback };
  for (gsize i = 0; i < G_N_ELEMENTS(to_texts); i++)
    if (from_texts[i]) {
      g_free(*to_texts[i]);
      *to_texts[i] = g_strdup(from_texts[i]);
    }
  if (!from->fallback) return;
  g_free(p->place);
  p->place = g_strdup(from->place);
  g_free(p->origin);
  p->origin = g_strdup(from->origin);
  g_free(p->text);
  p->text = g_strdup(from->fallback);
}

static void merge_head(Profile *profile, Layer *layer, Problems *problems)
{
  g_free(profile->name);
  profile->name = g_strdup(layer->name);
  g_free(profile->file);
  profile->file = g_strdup(layer->file);
  g_free(profile->description);
  profile->description = g_strdup(layer->description);
  g_ptr_array_insert(profile->chain, 0, g_strdup(layer->name));
  if (layer->formats) {
    if (profile->formats) g_ptr_array_unref(profile->formats);
    profile->formats = g_ptr_array_ref(layer->formats);
  }
  for (guint i = 0; i < layer->params->len; i++)
    merge_param(profile, layer->params->pdata[i], problems);
}

static bool is_repeated(GHashTable *seen, const LayerEntry *entry, Problems *problems)
{
  if (g_hash_table_add(seen, entry->id)) return false;
  Error *e = complain(problems, "PRF-07", entry->place_id,
                      "the stage id \"%s\" stands twice in the list", entry->id);
  error_help(e, "give the second one its own id with \"as\"");
  return true;
}

void merge_base(Profile *profile, Layer *layer, Problems *problems)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  merge_head(profile, layer, problems);
  for (guint i = 0; i < layer->entries->len; i++) {
    const LayerEntry *entry = layer->entries->pdata[i];
    if (!is_repeated(seen, entry, problems)) g_ptr_array_add(profile->entries, entry_from(entry));
  }
}

static void edit_entry(ProfileEntry *e, const LayerEntry *from, Problems *problems)
{
  if (from->place_anchor) {
    Error *moved = complain(problems, "PRF-07", from->place_anchor,
                            "the stage \"%s\" is inherited and cannot be moved", from->id);
    error_help(moved, "leave out \"after\" and \"before\", or add it under another id with \"as\"");
  }
  if (strcmp(from->use, e->use) != 0 && from->has_as) {
    Error *other = complain(problems, "PRF-07", from->place,
                            "the id \"%s\" is inherited and uses another stage", from->id);
    error_why(other, "it uses \"%s\"", e->use);
  }
  if (from->has_enabled) {
    e->enabled = from->enabled;
    g_free(e->enabled_origin);
    e->enabled_origin = g_strdup(from->origin);
  }
  for (guint i = 0; i < from->with->len; i++) {
    const ProfileSetting *s = from->with->pdata[i];
    ProfileSetting *old = setting_find(e->with, s->name);
    if (old)
      setting_override(old, s->text, s->origin, s->place);
    else
      g_ptr_array_add(e->with, setting_new(s->name, s->text, s->origin, s->place));
  }
}

static int index_of(const Profile *profile, const char *id)
{
  for (guint i = 0; i < profile->entries->len; i++)
    if (strcmp(((ProfileEntry *)profile->entries->pdata[i])->id, id) == 0) return (int)i;
  return -1;
}

/* Whether the entry was put behind the anchor by this file, perhaps by way of others. */
static bool follows(GHashTable *behind, const char *id, const char *anchor)
{
  for (const char *at = g_hash_table_lookup(behind, id); at; at = g_hash_table_lookup(behind, at))
    if (strcmp(at, anchor) == 0) return true;
  return false;
}

static Error *unplaced(const Profile *profile, const LayerEntry *entry, Problems *problems)
{
  Error *e = complain(problems, "PRF-07", entry->place_id,
                      "the new stage \"%s\" has neither \"after\" nor \"before\"", entry->id);
  g_autoptr(GPtrArray) ids = entry_ids(profile);
  problems_suggest(e, entry->id, ids);
  return error_help(e, "say where it goes: order is never guessed");
}

/* Several entries behind one anchor keep the order in which they are written. */
static void insert_entry(Profile *profile, const LayerEntry *entry, GHashTable *behind,
                         Problems *problems)
{
  const char *anchor = entry->after ? entry->after : entry->before;
  if (!anchor) {
    unplaced(profile, entry, problems);
    return;
  }
  int at = index_of(profile, anchor);
  if (at < 0) {
    Error *e = complain(problems, "PRF-07", entry->place_anchor,
                        "there is no stage \"%s\" to be placed beside", anchor);
    g_autoptr(GPtrArray) ids = entry_ids(profile);
    problems_suggest(e, anchor, ids);
    return;
  }
  if (entry->after) {
    for (at++; at < (int)profile->entries->len; at++)
      if (!follows(behind, ((ProfileEntry *)profile->entries->pdata[at])->id, anchor)) break;
    g_hash_table_insert(behind, entry->id, entry->after);
  }
  g_ptr_array_insert(profile->entries, at, entry_from(entry));
}

void merge_over(Profile *profile, Layer *layer, Problems *problems)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GHashTable) behind = g_hash_table_new(g_str_hash, g_str_equal);
  merge_head(profile, layer, problems);
  for (guint i = 0; i < layer->entries->len; i++) {
    const LayerEntry *entry = layer->entries->pdata[i];
    if (is_repeated(seen, entry, problems)) continue;
    ProfileEntry *inherited = entry_find(profile, entry->id);
    if (inherited)
      edit_entry(inherited, entry, problems);
    else
      insert_entry(profile, entry, behind, problems);
  }
}
