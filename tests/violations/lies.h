/* Which lie a module tells is said by the environment, in ROGUE_LIE; the modules lies-*.c have a table of them. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VIOLATIONS_LIES_H
#define TESTS_VIOLATIONS_LIES_H

#include <stdlib.h>
#include <string.h>

static inline bool is_lie(const char *name)
{
  const char *wanted = getenv("ROGUE_LIE");
  return wanted && strcmp(wanted, name) == 0;
}

#define NOT_UTF8 "\xff\xfe"
#define FORGED "fine\nerror[RUN-01]: forged\x1b[2J"

#endif
