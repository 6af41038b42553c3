/* Whether a shared object is whole. */
#ifndef PLAN_MODULE_ELF_H
#define PLAN_MODULE_ELF_H

#include <stdbool.h>

/* A shared object for this machine that ends before its segments do: it must not be opened.  Anything
 * else that is wrong with a file is for the loader to say. */
bool module_is_cut(const char *path);

#endif
