/* What decides how the text of an event is written: found in one pass over it. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_WORDS_H
#define KIT_CHROME_WORDS_H

#include <stddef.h>

enum {
  WORDS_NUMBER =
      1, /* nan or inf, which printf writes for numbers that JSON does not have; in strings too */
  WORDS_KEY = 2 /* tr and a quote, as after attr */
};
unsigned words_find(const char *text, size_t len);

#endif
