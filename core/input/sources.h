/* The sources among which inputs may choose; each is opened only when it is needed. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_SOURCES_H
#define INPUT_SOURCES_H

#include "model/notice.h"
#include "plan/modules.h"

typedef struct Sources Sources;

/* named: the one that reads all inputs (--source), or NULL. allowed: names of outside sources
 * that may be tried without being named on the command line, or NULL. */
Sources *sources_new(Modules *modules, const char *named, const GPtrArray *allowed);
void sources_free(Sources *s);
/* Those that may be tried, one after the other; NULL after the last one. */
const Descriptor *sources_at(Sources *s, guint index);
/* The label of the side inputs that the source reads, or NULL: see `side` of a source. */
const char *source_side(const Descriptor *source);
/* Whether a file or folder of this name beside a trace is a side input of the source. */
bool source_is_beside(const Descriptor *source, const char *name);
/* A source whose side inputs lie beside traces and say this, or NULL. */
const Descriptor *sources_beside(Sources *s, const char *fact);
/* The side input that a file or folder of this name beside a trace is, or NULL. */
const Descriptor *sources_of_name(Sources *s, const char *name);
/* The source of side inputs with this label (or NULL), or NULL. */
const Descriptor *sources_of_side(Sources *s, const char *label);
const Descriptor *sources_find(Sources *s, const char *name, Error **out_error);
/* How sure a source is of an input with this beginning: 0 (no) to 95. */
int source_sureness(const Descriptor *source, const char *bytes, size_t len, const char *name);
/* The named one, or else the one that is most sure of the input with this beginning. */
const Descriptor *sources_choose(Sources *s, const char *named, const char *input,
                                 const char *bytes, size_t len, Error **out_error);
const char *sources_named(const Sources *s); /* --source, or NULL */
/* Adds the counts of an instance of a source when it ends; any thread. */
void sources_add_notices(Sources *s, const Notices *of);
const Notices *sources_notices(Sources *s, const Descriptor *source); /* NULL: none */

#endif
