/* A module from outside is loaded in a child process first: what crashes, exits or hangs there is refused, and harms
 * nobody. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_TRY_H
#define PLAN_MODULE_TRY_H

#include <stdbool.h>

/* NULL: load(what) returned in a child, now or when a file of the same bytes was tried before.  Else what became of the
 * child, to be freed. */
char *module_try(const char *path, void (*load)(void *what), void *what);

#endif
