/* Resolving a profile: edits of the command line, modules, and every option against its table. */
/* SPDX-License-Identifier: MIT */
#include "plan/profile-parts.h"

/* ---- modules */

static Error *wrong_kind(Modules *modules, const ProfileEntry *entry)
{
  for (uint32_t kind = MILL_KIND_SOURCE; kind <= MILL_KIND_SINK; kind++) {
    g_autoptr(Error) ignored = NULL;
    const Module *module = modules_find(modules, kind, entry->use, &ignored);
    if (!module) continue;
    bool source = kind == MILL_KIND_SOURCE;
    Error *e = error_new(EXIT_PROFILE, "PRF-14", "\"%s\" is a %s, not a stage", entry->use,
                         source ? "source" : "sink");
    if (source) return error_help(e, "remove it: the content of the input chooses the source");
    return error_help(e, "name it under \"formats\", or with --format %s", module->stage->family);
  }
  return NULL;
}

/* A module that is not found is a mistake of the profile. */
static Error *unknown_stage(Modules *modules, const ProfileEntry *entry, Error *e)
{
  Error *wrong = wrong_kind(modules, entry);
  if (wrong) {
    error_free(e);
    return wrong;
  }
  e->status = EXIT_PROFILE;
  text_replace(&e->code, g_strdup("PRF-03"));
  return error_of_kind(e, ERROR_OTHER);
}

static Error *find_module(Modules *modules, ProfileEntry *entry)
{
  Error *e = NULL;
  entry->module = modules_find(modules, MILL_KIND_STAGE, entry->use, &e);
  if (entry->module) return NULL;
  if (e->kind == ERROR_UNKNOWN_MODULE) e = unknown_stage(modules, entry, e);
  return error_at(e, "at %s", entry->place);
}

/* ---- all of it */

Error *profile_resolve(Profile *p, Modules *modules, const ProfileEdits *edits)
{
  Problems problems = { 0 };
  if (edits) select_entries(p, modules, edits, &problems);
  for (guint i = 0; edits && edits->params && i < edits->params->len; i++)
    problems_add(&problems, param_give(p, edits->params->pdata[i]));
  set_apply(p, modules, edits ? edits->set : NULL, &problems);
  if (problems.n) return problems_take(&problems);
  for (guint i = 0; i < p->entries->len; i++) {
    ProfileEntry *entry = p->entries->pdata[i];
    if (entry->enabled) problems_add(&problems, find_module(modules, entry));
  }
  modules_resolve(p, modules, &problems);
  if (problems.n) return problems_take(&problems);
  for (guint i = 0; i < p->entries->len; i++) {
    ProfileEntry *entry = p->entries->pdata[i];
    if (entry->enabled) options_resolve(p, entry, &problems);
  }
  figures_resolve(p, &problems);
  edges_resolve(p, modules, &problems);
  rules_resolve(p, edits ? edits->search : NULL, &problems);
  return problems_take(&problems);
}
