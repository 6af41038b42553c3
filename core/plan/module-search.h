/* The folders that modules are looked for in, and the files in them that could be modules. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_SEARCH_H
#define PLAN_MODULE_SEARCH_H

#include "model/error.h"
#include "plan/module-peek.h"
#include "plan/module.h"
#include "plan/paths.h"

#define MODULE_SUFFIX ".so"

/* A file that may be a module; opened only when its name is asked for.  Or a module in memory. */
typedef struct Candidate {
  char *name;
  char *path;         /* "": there is no file */
  const char *origin; /* a static text */
  uint32_t kind;      /* as the folder says until the file is opened; 0: unknown */
  bool tried;
  bool looked_at, known; /* what its file says is in `peek`, if it is known */
  ModulePeek peek;
  Module *module;         /* after a successful try */
  Error *refusal;         /* after any other */
  struct Candidate *next; /* of the same name */
} Candidate;

typedef struct Search {
  GPtrArray *folders;    /* SearchFolder, in order */
  GPtrArray *candidates; /* Candidate: by folder, then by name */
  GPtrArray *refused;    /* Error: folders that were not looked at */
  const Error *given;    /* the first of them that the command line names; NULL: none is */
  bool allow_unsafe, try_first;
} Search;

void search_init(Search *s, const ModuleSearch *wanted); /* NULL: nowhere */
void search_clear(Search *s);
void candidate_free(Candidate *c);

#endif
