/* The head of a shared object: its segments, and whether it is whole. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_ELF_H
#define PLAN_MODULE_ELF_H

#include <link.h>
#include <stdbool.h>

enum { MODULE_MOST_SEGMENTS = 1024, MODULE_MOST_LOADS = 8 };

typedef struct ModuleSegments {
  ElfW(Phdr) all[MODULE_MOST_SEGMENTS];
  unsigned n; /* 0: it is no shared object for this machine */
} ModuleSegments;

/* False: it could not be read, see errno.  *out_cut: the file ends before its segments do. */
bool module_heads(int fd, ModuleSegments *out, bool *out_cut);

/* A shared object for this machine that ends before its segments do must not be opened.  Anything
 * else that is wrong with a file is for the loader to say.  False: it could not be read, see errno. */
bool module_look(const char *path, bool *out_cut);

#endif
