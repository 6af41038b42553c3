/* The build of a module, by what the linker left in it. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_ID_H
#define PLAN_MODULE_ID_H

/* Of the shared object, or the program, that holds the address: hexadecimal, for the caller to free; NULL: it was
 * linked without one. */
char *module_build_id(const void *address);
/* The path of the same; NULL: it is not known. */
char *module_file(const void *address);

#endif
