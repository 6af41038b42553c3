/* Turning entries on and off from the command line: ids, globs and families. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "model/printable.h"
#include "plan/profile-parts.h"

/* How closely a pattern names an entry: the closest one decides. */
enum { NO_MATCH = 0, BY_GLOB = 1, BY_ID = 2 };

typedef struct Selection {
  Profile *profile;
  Modules *modules;
  Problems *problems;
} Selection;

/* Names are ASCII; GLib takes no pattern that is not UTF-8. */
static bool glob(const char *pattern, const char *name)
{
  return g_str_is_ascii(pattern) && g_pattern_match_simple(pattern, name);
}

/* Only patterns with a family need the module of an entry that may be disabled; one that cannot be
 * loaded belongs to no family. */
static int match_family(const Selection *s, const ProfileEntry *entry, const char *pattern,
                        const char *slash)
{
  g_autoptr(Error) ignored = NULL;
  g_autofree char *family = g_strndup(pattern, (gsize)(slash - pattern));
  if (!glob(slash + 1, entry->id)) return NO_MATCH;
  const Module *module = modules_find(s->modules, MILL_KIND_STAGE, entry->use, &ignored);
  return module && glob(family, module->stage->family) ? BY_GLOB : NO_MATCH;
}

/* The stage's own name, where no entry has it for an id. */
static bool is_stage(const Selection *s, const ProfileEntry *entry, const char *pattern)
{
  return strcmp(pattern, entry->use) == 0 && !named_find(s->profile->entries, pattern);
}

static int match(const Selection *s, const ProfileEntry *entry, const char *pattern)
{
  const char *slash = strchr(pattern, '/');
  if (strcmp(pattern, entry->id) == 0 || is_stage(s, entry, pattern)) return BY_ID;
  if (slash) return match_family(s, entry, pattern, slash);
  return strpbrk(pattern, "*?") && glob(pattern, entry->id) ? BY_GLOB : NO_MATCH;
}

static int best_match(const Selection *s, const ProfileEntry *entry, const GPtrArray *patterns)
{
  int best = NO_MATCH;
  for (guint i = 0; i < patterns->len; i++) best = MAX(best, match(s, entry, patterns->pdata[i]));
  return best;
}

/* Comma lists count as several. */
static GPtrArray *split_patterns(const GPtrArray *given)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; given && i < given->len; i++) {
    g_auto(GStrv) words = g_strsplit(given->pdata[i], ",", -1);
    for (char **w = words; *w; w++)
      if (*g_strstrip(*w)) g_ptr_array_add(out, g_strdup(*w));
  }
  return out;
}

static void explain_unlisted(const Selection *s, Error *e, const char *pattern)
{
  g_autoptr(Error) ignored = NULL;
  named_suggest(e, pattern, s->profile->entries);
  if (strpbrk(pattern, "*?/") || !modules_find(s->modules, MILL_KIND_STAGE, pattern, &ignored))
    return;
  error_why(e, "the stage exists, but stagemill does not guess its place in the order");
  error_help(e,
             "write a profile that inherits this one and has { \"use\": \"%s\", \"after\": ... }",
             pattern);
}

static void check_patterns(const Selection *s, const char *option, const GPtrArray *patterns)
{
  for (guint i = 0; i < patterns->len; i++) {
    const char *pattern = patterns->pdata[i];
    g_autofree char *safe = printable(pattern);
    bool found = strcmp(option, "--only") != 0 && rules_match(s->profile, pattern);
    for (guint k = 0; k < s->profile->entries->len && !found; k++)
      found = match(s, s->profile->entries->pdata[k], pattern) != NO_MATCH;
    if (found) continue;
    Error *e = error_new(EXIT_USAGE, "PRF-12", "the profile \"%s\" has no stage \"%s\"",
                         s->profile->name, safe);
    error_at(e, "in %s %s", option, safe);
    explain_unlisted(s, e, pattern);
    problems_add(s->problems, e);
  }
}

static void turn(ProfileEntry *entry, bool enabled, const char *origin)
{
  entry->enabled = enabled;
  text_replace(&entry->enabled_origin, g_strdup(origin));
}

static void decide(const Selection *s, ProfileEntry *entry, const GPtrArray *only,
                   const GPtrArray *enable, const GPtrArray *disable)
{
  int kept = best_match(s, entry, only), on = best_match(s, entry, enable),
      off = best_match(s, entry, disable);
  if (only->len && (kept == NO_MATCH || kept == BY_ID)) turn(entry, kept == BY_ID, "--only");
  if (kept == BY_ID) entry->optional = false; /* who wants nothing else must not get nothing */
  if (on && on == off) {
    Error *e =
        error_new(EXIT_USAGE, "PRF-12", "the stage \"%s\" is both enabled and disabled", entry->id);
    problems_add(s->problems, error_at(e, "in --enable and --disable"));
  } else if (on > off) {
    turn(entry, true, "--enable");
  } else if (off) {
    turn(entry, false, "--disable");
  }
}

void select_entries(Profile *profile, Modules *modules, const ProfileEdits *edits,
                    Problems *problems)
{
  Selection s = { profile, modules, problems };
  g_autoptr(GPtrArray) only = split_patterns(edits->only);
  g_autoptr(GPtrArray) enable = split_patterns(edits->enable);
  g_autoptr(GPtrArray) disable = split_patterns(edits->disable);
  check_patterns(&s, "--only", only);
  check_patterns(&s, "--enable", enable);
  check_patterns(&s, "--disable", disable);
  for (guint i = 0; i < profile->entries->len; i++)
    decide(&s, profile->entries->pdata[i], only, enable, disable);
  rules_select(profile, enable, disable);
}
