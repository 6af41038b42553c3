/* Names of kernels and operators cut to what people recognise. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_SHORT_NAME_H
#define BASE_SHORT_NAME_H

#include <stddef.h>

/* Without return type, template arguments and parameters; of what is still longer than `most` bytes (8 and more) head and
 * tail, with "..." between.  `out` has len + 1 bytes, or most + 1 if that is more; returns the length. */
size_t short_name(char *out, size_t most, const char *name, size_t len);

#endif
