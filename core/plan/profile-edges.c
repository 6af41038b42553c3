/* Options of sinks and sources in a profile: by format, by name. */
/* SPDX-License-Identifier: MIT */
#include "plan/profile-parts.h"
#include "plan/sink-roles.h"

void edges_merge(GPtrArray *into, GPtrArray *from)
{
  while (from->len) {
    ProfileEntry *entry = g_ptr_array_steal_index(from, 0);
    ProfileEntry *known = named_find(into, entry->id);
    if (!known) {
      g_ptr_array_add(into, entry);
      continue;
    }
    for (guint i = 0; i < entry->with->len; i++) {
      const ProfileSetting *s = entry->with->pdata[i];
      setting_put(known->with, s->name, s->text, s->origin, s->place);
    }
    entry_free(entry);
  }
}

const Module *edges_module(Modules *modules, uint32_t kind, const char *name)
{
  return kind == MILL_KIND_SINK ? sink_of_format(modules, name) : modules_get(modules, kind, name);
}

static GPtrArray *entries_of(const Profile *profile, uint32_t kind)
{
  return kind == MILL_KIND_SINK ? profile->sinks : profile->sources;
}

bool edges_listed(const Profile *profile, uint32_t kind, const char *name)
{
  return named_find(entries_of(profile, kind), name) != NULL;
}

ProfileEntry *edges_entry(Profile *profile, uint32_t kind, const char *name)
{
  ProfileEntry *entry = named_find(entries_of(profile, kind), name);
  if (entry) return entry;
  entry = entry_new();
  entry->id = g_strdup(name);
  entry->use = g_strdup(name);
  entry->place = g_strdup("--set");
  g_ptr_array_add(entries_of(profile, kind), entry);
  return entry;
}

static void unknown_edge(const ProfileEntry *entry, Modules *modules, uint32_t kind,
                         Problems *problems)
{
  g_autoptr(GPtrArray) all = modules_all(modules, kind), names = g_ptr_array_new();
  bool by_format = kind == MILL_KIND_SINK;
  Error *unseen = by_format ? modules_unseen(modules) : NULL; /* it may write that format */
  if (unseen) {
    problems_add(problems, unseen);
    return;
  }
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *d = ((const Module *)all->pdata[i])->stage;
    g_ptr_array_add(names, (gpointer)(by_format ? d->family : d->name));
  }
  g_ptr_array_add(names, NULL);
  Error *e = error_new(EXIT_PROFILE, "PRF-16", "there is no %s \"%s\"",
                       by_format ? "format" : "source", entry->id);
  error_at(e, "at %s", entry->place);
  error_suggest(e, entry->id, (const char *const *)names->pdata);
  problems_add(problems, e);
}

static void resolve_edges(Profile *profile, const GPtrArray *entries, Modules *modules,
                          uint32_t kind, Problems *problems)
{
  for (guint i = 0; i < entries->len; i++) {
    ProfileEntry *entry = entries->pdata[i];
    entry->module = edges_module(modules, kind, entry->id);
    if (entry->module)
      check_settings(profile, entry, problems);
    else
      unknown_edge(entry, modules, kind, problems);
  }
}

void edges_resolve(Profile *profile, Modules *modules, Problems *problems)
{
  resolve_edges(profile, profile->sinks, modules, MILL_KIND_SINK, problems);
  resolve_edges(profile, profile->sources, modules, MILL_KIND_SOURCE, problems);
}

void profile_settings(const GPtrArray *entries, GPtrArray *out)
{
  for (guint i = 0; i < entries->len; i++) {
    const ProfileEntry *entry = entries->pdata[i];
    for (guint k = 0; k < entry->with->len; k++) {
      const ProfileSetting *s = entry->with->pdata[k];
      g_ptr_array_add(out, g_strdup_printf("%s.%s=%s", entry->id, s->name, s->text));
    }
  }
}
