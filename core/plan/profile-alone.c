/* A stage as a profile of its own: what -p names where no profile is called so. */
/* SPDX-License-Identifier: MIT */
#include "plan/profile-parts.h"

static Profile *stage_alone(const Descriptor *stage)
{
  Profile *p = profile_new();
  ProfileEntry *entry = entry_new();
  entry->id = g_strdup(stage->name);
  entry->use = g_strdup(stage->name);
  entry->enabled_origin = g_strdup("-p");
  entry->place = g_strdup_printf("-p %s", stage->name);
  g_ptr_array_add(p->entries, entry);
  g_ptr_array_add(p->chain, g_strdup(stage->name));
  p->name = g_strdup(stage->name);
  p->description = g_strdup(stage->title);
  return p;
}

Error *profile_load_or_stage(const char *name, const ProfileSearch *search, Modules *modules,
                             Profile **out)
{
  Error *e = profile_load(name, search, out), *refused = NULL;
  if (!e || e->next || e->kind != ERROR_UNKNOWN_PROFILE) return e;
  const Module *module = modules_find(modules, MILL_KIND_STAGE, name, &refused);
  bool unknown = refused && refused->kind == ERROR_UNKNOWN_MODULE;
  if (unknown) {
    error_free(refused);
    return e;
  }
  error_free(e);
  if (module) *out = stage_alone(module->stage);
  return refused;
}
