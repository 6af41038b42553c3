/* Whether bytes are UTF-8, many at a time. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

#define UTF8_BAD UINT32_MAX
/* The character at p, which is none of ASCII: the byte after it.  UTF8_BAD: it is no UTF-8, and passed as far
 * as it may have been meant as one character. */
const char *utf8_char(const char *p, const char *end, uint32_t *out_code);

/* As RFC 3629 has it: no surrogates, nothing in more bytes than it needs, nothing above U+10FFFF. */
bool utf8_valid(const char *text, size_t len);
#ifdef SCAN_WIDE_CODE
SCAN_WIDE_CODE bool utf8_valid_wide(const char *text, size_t len);
#endif

#endif
