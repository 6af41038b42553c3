/* The steps from a profile's text to its resolved form, each in a file of its own. */
#ifndef PLAN_PROFILE_PARTS_H
#define PLAN_PROFILE_PARTS_H

#include <glib.h>
#include <stdbool.h>

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
void problems_suggest(Error *e, const char *word,
                      const GPtrArray *words); /* did you mean; words: char * */

/* ---- profile-find.c: files */

/* NULL with an error when nothing is found.  *out_bare: found by name, not by path. */
char *profile_find(const char *name_or_path, const ProfileSearch *search, Error **out_error);
char *profile_read(const char *path, size_t *out_len, Error **out_error);
char *profile_stem(const char *path); /* "dir/aiu.json" is "aiu" */

/* ---- profile-shape.c: one file, shape checked, nothing merged */

typedef struct LayerEntry {
  char *id, *use;
  bool has_as;
  bool has_enabled, enabled;
  char *origin;   /* "profile aiu-power:8" */
  char *place;    /* of its `use` */
  char *place_id; /* of its `as`, else its `use` */
  char *after, *before;
  char *place_anchor;
  GPtrArray *with; /* ProfileSetting */
} LayerEntry;

typedef struct Layer {
  char *file, *name, *description;
  char *inherits, *place_inherits;
  char *place_stages; /* NULL: the file has no list of stages */
  GPtrArray *params;  /* ProfileParam; fallback may be NULL when the file inherits */
  GPtrArray *entries; /* LayerEntry */
  GPtrArray *formats; /* char *, or NULL */
} Layer;

Layer *layer_read(const char *file, const char *text, size_t len,
                  Problems *problems); /* NULL: not JSON */
void layer_free(Layer *layer);

/* ---- profile-merge.c: a file over what it inherits */

void merge_base(Profile *profile, Layer *layer,
                Problems *problems); /* the file that inherits nothing */
void merge_over(Profile *profile, Layer *layer, Problems *problems);

/* ---- profile-select.c: --enable, --disable, --only */

void select_entries(Profile *profile, Modules *modules, const ProfileEdits *edits,
                    Problems *problems);

/* ---- small things */

Profile *profile_new(void);
ProfileSetting *setting_new(const char *name, const char *text, const char *origin,
                            const char *place);
void setting_override(ProfileSetting *s, const char *text, const char *origin, const char *place);
void setting_free(ProfileSetting *s);
ProfileSetting *setting_find(const GPtrArray *with, const char *name);
void param_free(ProfileParam *p);
ProfileParam *param_find(const Profile *profile, const char *name);
ProfileEntry *entry_find(const Profile *profile, const char *id);
GPtrArray *entry_ids(const Profile *profile); /* char *, borrowed */
GPtrArray *param_names(const Profile *profile);
/* "$name" as a whole is a reference to a parameter; "$$" stands for a dollar sign. */
const char *param_reference(const char *text);

#endif
