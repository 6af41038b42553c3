/* Options of an entry against the table of its module: names, values, defaults. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/option.h"
#include "model/printable.h"
#include "plan/profile-parts.h"

/* Where a value came from, for an error about it. */
static Error *locate(Error *e, const ProfileEntry *entry, const ProfileSetting *s,
                     const char *given)
{
  if (s->param) return param_locate(e, s->param);
  if (s->place) return error_at(e, "at %s", s->place);
  g_autofree char *safe = printable(given);
  e->status = EXIT_USAGE;
  return error_at(e, "in --set %s.%s=%s", entry->id, s->name, safe);
}

/* The stage knows what is in a file that an option names, and not what it is called.  Whether there is one. */
static bool name_file(Error *e, const ProfileEntry *entry, const ProfileSetting *s)
{
  const Descriptor *stage = entry->module->stage;
  bool any = false;
  for (uint32_t i = 0; i < stage->n_options; i++) {
    const MillOption *row = &stage->options[i];
    bool is_file = row->flags & MILL_OPTION_OR_FILE && !strcmp(row->name, s->name) &&
                   g_file_test(s->text, G_FILE_TEST_IS_REGULAR);
    g_autofree char *safe = is_file ? printable(s->text) : NULL;
    if (is_file) error_at(e, "file: %s", safe);
    any = any || is_file;
  }
  return any;
}

/* Words of the command line are a wrong usage; what is in a file that they name is as wrong as in a profile. */
Error *profile_rejected(const ProfileEntry *entry, Error *e)
{
  bool given = false, has_file = false;
  for (guint i = 0; i < entry->with->len; i++)
    given = given || ((const ProfileSetting *)entry->with->pdata[i])->given;
  for (guint i = 0; i < entry->with->len; i++) {
    const ProfileSetting *s = entry->with->pdata[i];
    if (given != s->given || !strcmp(s->origin, "default")) continue;
    e->status = EXIT_PROFILE;
    locate(e, entry, s, s->text);
    has_file = name_file(e, entry, s) || has_file;
  }
  if (given) e->status = has_file ? EXIT_PROFILE : EXIT_USAGE;
  return e;
}

static Error *unknown_option(const ProfileEntry *entry, const ProfileSetting *s)
{
  const Descriptor *stage = entry->module->stage;
  const char *kind = module_kind_name(stage->kind);
  g_autofree char *safe = printable(s->name);
  g_autofree const char **names = g_new0(const char *, stage->n_options + 1);
  for (uint32_t i = 0; i < stage->n_options; i++) names[i] = stage->options[i].name;
  Error *e =
      error_new(EXIT_PROFILE, "PRF-08", "%s \"%s\" has no option \"%s\"", kind, entry->id, safe);
  locate(e, entry, s, s->text);
  error_suggest(e, s->name, names);
  if (!stage->n_options) return error_help(e, "it has no options at all");
  const char *prefix = stage->kind == MILL_KIND_STAGE ? "" : kind;
  return error_help(e, "stagemill show %s%s%s    lists its %u options", prefix, *prefix ? "/" : "",
                    stage->name, stage->n_options);
}

/* Puts the value of a parameter in place of its name; NULL, or the parameter. */
static const ProfileParam *fill_in(const Profile *profile, ProfileSetting *s)
{
  const char *name = s->place ? param_reference(s->text) : NULL;
  const ProfileParam *p = name ? profile_param(profile, name) : NULL;
  if (p) {
    text_replace(&s->origin, g_strdup_printf("%s, $%s from %s", s->origin, p->name, p->origin));
    text_replace(&s->text, g_strdup(p->text));
    s->given = param_given(p);
  } else if (s->place && g_str_has_prefix(s->text, "$$")) {
    memmove(s->text, s->text + 1, strlen(s->text));
  }
  return p;
}

static Error *check_setting(const Profile *profile, const ProfileEntry *entry, ProfileSetting *s)
{
  const MillOption *row =
      option_find(entry->module->stage->options, entry->module->stage->n_options, s->name);
  if (!row) return unknown_option(entry, s);
  const ProfileParam *p = fill_in(profile, s);
  Error *e = option_check(row, s->text);
  if (!e) return NULL;
  text_replace(&e->what,
               g_strdup_printf("%s \"%s\": %s", module_kind_name(entry->module->stage->kind),
                               entry->id, e->what));
  locate(e, entry, s, s->text);
  if (!p) return e;
  bool given = param_given(p);
  if (given) e->status = EXIT_USAGE;
  return error_at(e, "from the parameter \"%s\", %s%s", p->name, given ? "given by " : "at ",
                  given ? p->origin : p->place);
}

static Error *missing_option(const ProfileEntry *entry, const MillOption *row)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-10", "stage \"%s\" needs a value for its option \"%s\"",
                       entry->id, row->name);
  error_at(e, "at %s", entry->place);
  if (row->help) error_why(e, "%s", row->help);
  return error_help(e, "add --set %s.%s=VALUE, or a line under \"with\"", entry->id, row->name);
}

static const char *fallback_of(const MillOption *row)
{
  return row->default_text ? row->default_text : "";
}

static void remember_default(ProfileSetting *s, const MillOption *row)
{
  if (row->flags & MILL_OPTION_REQUIRED) return;
  text_replace(&s->history, g_strdup_printf("%s%sdefault %s", s->history ? s->history : "",
                                            s->history ? "; " : "", fallback_of(row)));
}

/* Every option in the order of the table, defaults included. */
static Error *complete(ProfileEntry *entry)
{
  const Descriptor *stage = entry->module->stage;
  Problems problems = { 0 };
  GPtrArray *with = g_ptr_array_new_with_free_func((GDestroyNotify)setting_free);
  for (uint32_t i = 0; i < stage->n_options; i++) {
    const MillOption *row = &stage->options[i];
    ProfileSetting *s = named_find(entry->with, row->name);
    guint index;
    if (g_ptr_array_find(entry->with, s, &index)) {
      g_ptr_array_steal_index(entry->with, index);
      remember_default(s, row);
    } else if (row->flags & MILL_OPTION_REQUIRED) {
      problems_add(&problems, missing_option(entry, row));
      continue;
    } else {
      s = setting_new(row->name, fallback_of(row), "default", NULL);
    }
    g_ptr_array_add(with, s);
  }
  g_ptr_array_unref(entry->with);
  entry->with = with;
  return problems_take(&problems);
}

void check_settings(Profile *profile, ProfileEntry *entry, Problems *problems)
{
  for (guint i = 0; i < entry->with->len; i++)
    problems_add(problems, check_setting(profile, entry, entry->with->pdata[i]));
}

void options_resolve(Profile *profile, ProfileEntry *entry, Problems *problems)
{
  unsigned before = problems->n;
  check_settings(profile, entry, problems);
  if (problems->n == before) problems_add(problems, complete(entry));
}
