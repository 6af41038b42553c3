/* Profiles: strict JSON to an ordered list of stages with option texts, and the edits of the command line. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PROFILE_H
#define PLAN_PROFILE_H

#include <glib.h>

#include "base/json.h"
#include "model/error.h"
#include "plan/modules.h"

typedef struct ProfileSearch {
  GPtrArray *paths; /* of --profile-path, char * */
} ProfileSearch;

typedef struct ProfileParam {
  char *name, *default_text, *unit, *help, *place;
  char *sets;   /* the stage whose options its value gives, as OPTION:VALUE,OPTION:VALUE; or NULL */
  char *option; /* it is an option of the command line, and this stands for its value; or NULL */
  char *text, *origin; /* the value in force; from the command line: "--set", "--NAME" */
} ProfileParam;

typedef struct ProfileSetting { /* one option or parameter value and where it came from */
  char *name;
  char *text;    /* "$param" already replaced when resolved */
  char *origin;  /* "--set", "profile aiu-power:8", "default" */
  char *history; /* what it overrides, nearest first: "profile aiu:12; default ts4"; or NULL */
  char *place; /* "file:line:column  (/stages/3/with/x)", for errors; NULL from the command line */
  const ProfileParam *param; /* the one that set this and others at once, or NULL */
  bool given;                /* on the command line, it or the parameter that it takes */
} ProfileSetting;

typedef struct ProfileEntry {
  char *id;  /* `as`, else `use`; an entry whose id is its `use` has no prefix in results */
  char *use; /* the stage's name */
  bool enabled;
  char *enabled_origin; /* why it is on or off: "--disable", "profile x:7" */
  char *place;          /* of its `use` */
  GPtrArray *with;      /* ProfileSetting */
  const Module *module; /* after profile_resolve; NULL when disabled */
  GArray *figures;      /* MillFigure: its own; NULL: as the stage declares them */
  bool optional;        /* left out where no input has the facts that the stage needs */
  struct Rule *rule;    /* of an entry of `rules`, after profile_resolve; NULL when disabled, or at fault */
  Error *fault;         /* why the rule cannot be used, or NULL */
} ProfileEntry;

typedef struct ProfileFor { /* the inputs that a profile is made for */
  GPtrArray *dialects;      /* char *: one of these; empty: any */
  GPtrArray *facts;         /* char *: all of these */
  GPtrArray *labels;        /* char *: inputs that are named so are meant for it */
  GPtrArray *unless;        /* char *: not taken where one of these holds, without being asked for */
  bool only_named;          /* never taken without being asked for */
} ProfileFor;

typedef struct Profile {
  char *name, *description;
  char *file; /* NULL: a stage alone */
  ProfileFor *made_for; /* or NULL; not inherited */
  bool join_ranks;      /* files of one rank are one lane */
  bool needs_events;    /* inputs that all are without any are an error */
  GPtrArray *params;    /* ProfileParam */
  GHashTable *param_of_name;
  GPtrArray *entries; /* ProfileEntry, in order */
  GPtrArray *formats; /* char *, or NULL: the default */
  GPtrArray *inputs; /* char *, or NULL: what the command line would name, where it names nothing */
  char *inputs_help; /* how to make them, where there are none; or NULL */
  GPtrArray *sinks;  /* ProfileEntry: options of sinks, by format */
  GPtrArray *sources; /* the same of sources; those from outside that are listed may be tried */
  GPtrArray *
      figures; /* ProfileEntry: `use` is the id of a stage, `id` a figure of it, `with` its fields */
  GPtrArray *modules; /* ProfileSetting: of a module by its name, the versions that will do */
  GPtrArray *rules; /* ProfileEntry: `use` is the name of a rule, or its path */
  GPtrArray *verdict, *views; /* the same: one that says how a run went, and those that make tables of others */
  GPtrArray *chain; /* names of the profiles it inherits from, itself first */
} Profile;

typedef struct ProfileEdits { /* from the command line, in order */
  GPtrArray *params; /* "param=value" of options that bear the parameter's name; before set */
  GPtrArray *set;    /* "stage.option=value", "sink/format.option=value" or "param=value" */
  GPtrArray *enable, *disable, *only; /* ids, globs, families "comm/\*" */
  const ProfileSearch *search;        /* where rules are looked for */
} ProfileEdits;

/* Of all entries of `sinks` or `sources`: "id.option=value", added to out. */
void profile_settings(const GPtrArray *entries, GPtrArray *out);
/* JSON, shape, inherits.  All problems at once. */
Error *profile_load(const char *name_or_path, const ProfileSearch *search, Profile **out);
/* The same; where no profile is called so, a stage of that name alone: with its defaults, and without a file. */
Error *profile_load_or_stage(const char *name_or_path, const ProfileSearch *search, Modules *modules,
                             Profile **out);
/* Finds modules of enabled entries, applies edits, fills parameters in, checks every option text against its
 * table.  Disabled stages are not loaded (a glob of families loads what it must). */
Error *profile_resolve(Profile *p, Modules *modules, const ProfileEdits *edits);
/* Takes the error of a stage that has rejected its options and did not say which: where they are set, and whose
 * mistake that is. */
Error *profile_rejected(const ProfileEntry *entry, Error *e);
/* A profile without stages, of what --set says of sources: it is wanted before one is chosen. */
Error *profile_of_sources(Modules *modules, const GPtrArray *set, Profile **out);
/* How well an input suits the profile by its "for": 0 not at all; a label counts more than a dialect, and that more than
 * any facts. */
unsigned profile_suits(const Profile *p, const char *label, const char *dialect, const GPtrArray *facts);
/* Whether it says that it is made for other inputs; it may run on them in spite of that. */
bool profile_is_for_others(const Profile *p, const char *dialect, const GPtrArray *facts);
const ProfileParam *profile_param(const Profile *p, const char *name); /* or NULL */
void profile_free(Profile *p);

typedef struct ProfileFound {
  char *name, *path, *description;
  const char *origin; /* "--profile-path", "environment", "user", "installed" */
  bool shadowed;      /* by one of the same name, which comes before it */
} ProfileFound;

/* Every profile found (ProfileFound), sorted by name.  *out_unseen (NULL before): folders that could not be looked at, or
 * NULL; those that are not for the user are only warned of. */
GPtrArray *profile_list(const ProfileSearch *search, Error **out_unseen);
/* Parameters, entries, settings and found profiles begin with their name: the one of that name, or NULL. */
gpointer named_find(const GPtrArray *items, const char *name);
void text_replace(char **text, char *by); /* takes `by` */
/* The JSON Schema of profiles, with the options of all stages found. */
char *profile_schema(Modules *modules);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Profile, profile_free)

#endif
