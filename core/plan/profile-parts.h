/* The steps from a profile's text to its resolved form, each in a file of its own. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PROFILE_PARTS_H
#define PLAN_PROFILE_PARTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/json-value.h"
#include "model/error.h"
#include "plan/profile.h"

/* Independent errors in the order found; beyond a screenful or two they are only counted. */
typedef struct Problems {
  Error *first, *last;
  unsigned n;
} Problems;
/* Takes e and what follows it; NULL is nothing.  NULL when e was only counted. */
Error *problems_add(Problems *p, Error *e);
Error *problems_take(Problems *p); /* all of them, or NULL */

/* ---- profile-find.c: files */

GPtrArray *profile_folders(const ProfileSearch *search); /* SearchFolder, in the order of looking */
/* NULL with an error when nothing is found. */
char *profile_find(const char *name_or_path, const ProfileSearch *search, Error **out_error);
char *profile_read(const char *path, size_t *out_len, Error **out_error);
Error *profile_unreadable(const char *path, const char *why);
char *profile_stem(const char *path); /* "dir/aiu.json" is "aiu" */

/* ---- profile-shape.c: one file, shape checked, nothing merged */

typedef struct LayerEntry {
  ProfileEntry *entry; /* moves into the profile when its id is new there */
  bool has_as, has_enabled, has_optional;
  char *place_id; /* of its `as`, else its `use` */
  char *after, *before;
  char *place_anchor;
} LayerEntry;

typedef struct Layer {
  char *file, *name, *description;
  char *inherits, *place_inherits;
  ProfileFor *made_for; /* or NULL */
  bool has_join, join_ranks, has_needs, needs_events;
  bool no_rules, no_verdict, no_views; /* empty: those that it inherits go */
  GPtrArray *params;  /* ProfileParam; default_text may be NULL when the file inherits */
  GPtrArray *entries; /* LayerEntry */
  GPtrArray *formats; /* char *, or NULL */
  GPtrArray *inputs;  /* the same */
  char *inputs_help;
  GPtrArray *sinks, *sources, *rules, *verdict, *views; /* ProfileEntry */
  GPtrArray *figures;         /* the same; see Profile */
  GPtrArray *modules;         /* ProfileSetting; see Profile */
} Layer;

Layer *layer_read(const char *file, const char *text, size_t len,
                  Problems *problems); /* NULL: not JSON */

/* ---- profile-value.c */

const char *value_kind(const JsonValue *node); /* "a list", "a number", ... */
/* Booleans, numbers and texts as a user would type them; NULL for anything else. */
char *value_text(const JsonValue *node);

/* ---- profile-merge.c: a file over what it inherits */

/* The profile is empty when the file inherits nothing.  Takes entries out of the layer. */
void merge_layer(Profile *profile, Layer *layer, Problems *problems);

/* ---- profile-edges.c: options of sinks and sources */

void edges_merge(GPtrArray *into, GPtrArray *from); /* takes entries out of `from` */
/* kind: MILL_KIND_SINK, then the name is a format, or MILL_KIND_SOURCE. */
const Module *edges_module(Modules *modules, uint32_t kind, const char *name); /* or NULL */
bool edges_listed(const Profile *profile, uint32_t kind, const char *name);
ProfileEntry *edges_entry(Profile *profile, uint32_t kind, const char *name); /* made if need be */
void edges_resolve(Profile *profile, Modules *modules, Problems *problems);

/* ---- profile-figures.c: figures that are added, changed, switched off */

void figures_merge(GPtrArray *into, GPtrArray *from);       /* takes entries out of `from` */
void figures_resolve(Profile *profile, Problems *problems); /* modules were found */

/* ---- profile-set.c: --set, of a parameter or an option */

/* All of them.  Options are set after parameters, which may set several of them. */
void set_apply(Profile *profile, Modules *modules, const GPtrArray *set, Problems *problems);

/* ---- profile-params.c: parameters from the command line, and those that set several options */

/* "name=value" of --name VALUE. */
Error *param_give(Profile *profile, const char *text);
void param_put(ProfileParam *p, const char *text, const char *origin);
bool param_given(const ProfileParam *p); /* its value is from the command line */
/* Where its value comes from, for an error about it. */
Error *param_locate(Error *e, const ProfileParam *p);
void check_param_targets(const Profile *profile, Problems *problems);
/* The options that parameters set get their values. */
void params_spread(Profile *profile, Problems *problems);
Error *stage_disabled(const ProfileEntry *entry); /* it has no use for a value */

/* ---- profile-options.c: of an entry whose module was found */

/* Every option that is set, against the table of the module. */
void check_settings(Profile *profile, ProfileEntry *entry, Problems *problems);
/* The same, then all of the table, with defaults for those that are not set. */
void options_resolve(Profile *profile, ProfileEntry *entry, Problems *problems);

/* ---- profile-select.c: --enable, --disable, --only */

void select_entries(Profile *profile, Modules *modules, const ProfileEdits *edits,
                    Problems *problems);

/* ---- profile-modules.c: versions that are asked of modules */

/* A member of "modules" of a file that is being read; see profile-take.h. */
struct Shape;
void modules_take(struct Shape *s, const char *pointer, const char *key,
                  const JsonValue *node, gpointer data);
void modules_merge(GPtrArray *into, const GPtrArray *from);
void modules_resolve(const Profile *p, Modules *modules, Problems *problems);

/* ---- profile-rules.c: rules that judge the results */

/* The members "rules", "verdict" and "views" of a file that is being read; see profile-take.h. */
void rules_take(struct Shape *s, const char *pointer, const JsonValue *node);
void rules_take_verdict(struct Shape *s, const char *pointer, const JsonValue *node);
void rules_take_views(struct Shape *s, const char *pointer, const JsonValue *node);

/* Every rule that is enabled is read, and gets the values of its parameters.  What is wrong within its file is kept for the run. */
void rules_resolve(Profile *profile, const ProfileSearch *search, Problems *problems);
void rules_select(Profile *profile, const GPtrArray *enable, const GPtrArray *disable);
bool rules_match(const Profile *profile, const char *pattern);

/* ---- small things */

Profile *profile_new(void);
Error *named_suggest(Error *e, const char *word, const GPtrArray *items); /* did you mean */
ProfileSetting *setting_new(const char *name, const char *text, const char *origin,
                            const char *place);
void setting_free(ProfileSetting *s);
/* A new setting, or a new value of the old one, which goes into its history. */
ProfileSetting *setting_put(GPtrArray *with, const char *name, const char *text, const char *origin,
                            const char *place);
ProfileFor *made_for_new(void);
void made_for_free(ProfileFor *f);
void param_free(ProfileParam *p);
ProfileEntry *entry_new(void);
void entry_free(ProfileEntry *e);
void layer_free(Layer *layer);
void layer_entry_free(LayerEntry *e);
/* "$name" as a whole is a reference to a parameter; "$$" stands for a dollar sign. */
const char *param_reference(const char *text);

#endif
