/* The sources that inputs may choose from, opened only as they are asked for. */
#ifndef INPUT_SOURCES_H
#define INPUT_SOURCES_H

#include "model/notice.h"
#include "plan/modules.h"

typedef struct Sources Sources;

/* named: the one that reads all inputs (--source), or NULL.  allowed: names of outside sources that may be
 * tried without being named, or NULL. */
Sources *sources_new(Modules *modules, const char *named, const GPtrArray *allowed);
void sources_free(Sources *s);
/* One after the other, those that may be tried; NULL after the last one. */
const Descriptor *sources_at(Sources *s, guint index);
/* The label of the side inputs that the source reads, or NULL: see `side` of a source. */
const char *source_side(const Descriptor *source);
/* The source of side inputs with this label (or NULL), or NULL. */
const Descriptor *sources_of_side(Sources *s, const char *label);
const Descriptor *sources_find(Sources *s, const char *name, Error **out_error);
/* How sure a source is of an input that begins like this: 0 no .. 95. */
int source_sureness(const Descriptor *source, const char *bytes, size_t len, const char *name);
/* The one that is named, or else the one that is surest that the input, which begins with these bytes, is its
 * own. */
const Descriptor *sources_choose(Sources *s, const char *named, const char *input,
                                 const char *bytes, size_t len, Error **out_error);
const char *sources_named(const Sources *s); /* --source, or NULL */
/* What instances of a source counted, summed as they end; any thread. */
void sources_add_notices(Sources *s, const Notices *of);
/* All of them as bytes, and those of such bytes added. */
void sources_save_notices(const Sources *s, Summary *out);
void sources_load_notices(Sources *s, Summary *from);
void sources_forget_notices(Sources *s);
const Notices *sources_notices(Sources *s, const Descriptor *source); /* NULL: none */

#endif
