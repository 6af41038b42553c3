/* The steps of loading a module: copying its descriptor by size, and checking the copy. */
#ifndef PLAN_MODULE_PARTS_H
#define PLAN_MODULE_PARTS_H

#include <glib.h>
#include <stagemill/stage.h>
#include <stdbool.h>

/* The program's own copy of a descriptor.  Every struct that carries its size is copied up to the
 * smaller of the two sizes into zeroed memory, so that code behind this never looks past what the
 * module's author knew.
 * NULL with *out_fault (g_free) when a size or a count is impossible. */
MillStage *module_copy(const MillStage *theirs, char **out_fault);
void module_copy_free(MillStage *stage);

/* Everything that a descriptor promises; the faults are texts, and the array owns them. */
GPtrArray *module_faults(const MillStage *stage);

/* A shared object for this machine that ends before its segments do: it must not be opened.  Anything
 * else that is wrong with a file is for the loader to say. */
bool module_is_cut(const char *path);

const char *module_kind_name(uint32_t kind); /* "stage", "source", "sink" */
bool module_is_kebab(const char *text);      /* "two-words" */
bool module_is_name(const char *text);       /* the same with a vendor's prefix: "acme.heat" */

#endif
