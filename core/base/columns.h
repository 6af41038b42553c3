/* How many columns of a terminal a text takes: two a wide character, none a mark on the one before. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <glib.h>
#include <stddef.h>

size_t columns_of(const char *text, size_t len);
/* Bytes of the longest beginning, or end, that takes at most `most` columns. */
size_t columns_head(const char *text, size_t len, size_t most);
size_t columns_tail(const char *text, size_t len, size_t most);

#endif
