/* The order of texts that people expect: numbers by their size, "rate2" before "rate16". */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

#include <stddef.h>

/* Texts that are numbers come first.  In others digits are whole numbers, or one with a fraction ("rate1.25" before
 * "rate1.5"); what has more dots is no fraction ("v1.2.9" before "v1.2.10").  0 only for equal bytes. */
int natural_compare(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
