/* The steps of loading a module: finding its file, copying its descriptor by size, checking the copy. */
#ifndef PLAN_MODULE_PARTS_H
#define PLAN_MODULE_PARTS_H

#include "plan/module.h"

/* ---- module-search.c: folders, and the files in them that could be modules */

#define MODULE_SUFFIX ".so"

/* A file that may be a module; opened only when its name is asked for.  Or a module in memory. */
typedef struct Candidate {
  char *name;
  char *path;         /* "": there is no file */
  const char *origin; /* a static text */
  uint32_t kind;      /* as the folder says until the file is opened; 0: unknown */
  bool tried;
  Module *module; /* after a successful try */
  Error *refusal; /* after any other */
} Candidate;

typedef struct Search {
  GPtrArray *folders;    /* Place, in order */
  GPtrArray *candidates; /* Candidate: by folder, then by name */
  GPtrArray *refused;    /* Error: folders that were not looked at */
  bool allow_unsafe;
} Search;

void search_init(Search *s, const ModuleSearch *wanted); /* NULL: nowhere */
void search_clear(Search *s);
void candidate_free(Candidate *c);
/* NULL when nobody but root and the user can have put the file or folder there. */
Error *search_distrust(const char *path, const char *origin, bool folder, bool allow_unsafe);
int search_by_text(const void *a, const void *b); /* of an array of texts */

/* ---- module-copy.c, module-check.c, module-elf.c: one module */

/* The program's own copy of a descriptor.  Structs and rows are copied up to the smaller of the two
 * sizes into zeroed memory, so that nothing after this looks past what the module's author knew.
 * NULL with *out_fault (g_free) when a size or a count is impossible. */
Descriptor *module_copy(const MillModule *from, char **out_fault);
void module_copy_free(Descriptor *d);
/* Puts the vendor before names that could meet others: after the checks. */
void module_add_vendor(Descriptor *d);

/* Everything that a descriptor promises; the faults are texts, and the array owns them. */
GPtrArray *module_faults(const Descriptor *stage);

/* A shared object for this machine that ends before its segments do: it must not be opened.  Anything
 * else that is wrong with a file is for the loader to say. */
bool module_is_cut(const char *path);

#endif
