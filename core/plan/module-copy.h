/* The program's own copy of a descriptor. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_COPY_H
#define PLAN_MODULE_COPY_H

#include <glib.h>

#include "model/descriptor.h"

/* Structs and rows are copied up to the smaller of the two sizes into zeroed memory, so that nothing
 * after this looks past what the module's author knew.  NULL with *out_fault (g_free) when a size or a
 * count is impossible. */
Descriptor *module_copy(const MillModule *from, char **out_fault);
void module_copy_free(Descriptor *d);
/* Puts the vendor before names that could meet others: after the checks. */
void module_add_vendor(Descriptor *d);

#endif
