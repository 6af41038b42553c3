/* Versions as numbers with dots, and what a profile may ask of them. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#include <stdbool.h>

/* By their numbers; missing ones are 0.  What follows a dash, as in "1.0.0-rc1", comes before the version without it. */
int version_compare(const char *a, const char *b);
/* ">=1.2", "<2", ">=1.2,<2"; a bare version is that version. */
bool version_is_range(const char *range);
bool version_fits(const char *version, const char *range);

#endif
