/* Versions that a profile asks of modules. */
/* SPDX-License-Identifier: MIT */
#include "base/version.h"
#include "model/printable.h"
#include "plan/profile-parts.h"
#include "plan/profile-take.h"

#include <string.h>

static bool is_module_name(const char *key)
{
  const char *name = key;
  module_split_kind(&name);
  return module_is_name(name);
}

void modules_take(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                  gpointer data)
{
  g_autofree char *safe = printable(key);
  (void)data;
  if (!is_module_name(key)) {
    shape_complain(s, "PRF-05", pointer, true, g_strdup_printf("\"%s\" cannot be a name", safe));
    return;
  }
  g_autofree char *text = shape_text(s, pointer, "a version", node);
  if (!text) return;
  if (!version_is_range(text)) {
    g_autofree char *wrong = printable(text);
    error_why(shape_complain(s, "PRF-05", pointer, false,
                             g_strdup_printf("\"%s\" asks for no version", wrong)),
              "expected \">=1.2\", \">=1.2,<2\" or \"1.2.0\"");
    return;
  }
  g_autofree char *origin = shape_origin(s, pointer), *place = shape_place(s, pointer, false);
  setting_put(s->layer->modules, key, text, origin, place);
}

void modules_merge(GPtrArray *into, const GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++) {
    const ProfileSetting *s = from->pdata[i];
    setting_put(into, s->name, s->text, s->origin, s->place);
  }
}

static Error *wrong_version(const Module *found, const ProfileSetting *asked)
{
  const char *kind = module_kind_name(found->stage->kind);
  Error *e = error_new(EXIT_PROFILE, "PRF-19", "the profile asks for %s \"%s\" %s, and found is %s",
                       kind, found->stage->name, asked->text, found->stage->version);
  error_at(e, "at %s", asked->place);
  if (*found->path) error_at(e, "file: %s (from %s)", found->path, found->origin);
  return error_help(e, "install a version that fits, or name its folder with --stage-path");
}

/* A stage that is switched off need not be there. */
static bool is_off(const Profile *p, const char *name)
{
  bool off = false;
  for (guint i = 0; i < p->entries->len; i++) {
    const ProfileEntry *entry = p->entries->pdata[i];
    if (strcmp(entry->use, name)) continue;
    if (entry->enabled) return false;
    off = true;
  }
  return off;
}

void modules_resolve(const Profile *p, Modules *modules, Problems *problems)
{
  for (guint i = 0; i < p->modules->len; i++) {
    const ProfileSetting *asked = p->modules->pdata[i];
    const char *name = asked->name;
    module_split_kind(&name);
    Error *e = NULL;
    if (is_off(p, name)) continue;
    const Module *found = modules_find(modules, 0, asked->name, &e);
    if (!found)
      problems_add(problems, error_at(e, "at %s", asked->place));
    else if (!version_fits(found->stage->version, asked->text))
      problems_add(problems, wrong_version(found, asked));
  }
}
