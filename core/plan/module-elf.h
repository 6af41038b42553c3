/* Whether a shared object is whole. */
#ifndef PLAN_MODULE_ELF_H
#define PLAN_MODULE_ELF_H

#include <stdbool.h>

/* A shared object for this machine that ends before its segments do must not be opened.  Anything
 * else that is wrong with a file is for the loader to say.  False: it could not be read, see errno. */
bool module_look(const char *path, bool *out_cut);

#endif
