/* Failures with a number of a notice, and a reason. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_FAIL_H
#define KIT_FAIL_H

#include <stagemill/types.h>

/* return fail_input(common, NOTICE_SIDES, "what", why, "what to do"); why may be NULL */
#define fail_input(common, number, what, why, help) \
  fail_input_at((common), (number), (what), NULL, (why), (help))
/* The same at a place, "FILE:LINE", or NULL. */
#define fail_input_at(common, number, what, where, why, help) \
  fail_numbered((common), MILL_BAD_INPUT, (number), (what), (where), (why), (help), __FILE__, __LINE__)
/* Of an option that cannot be understood. */
#define fail_option(common, what, why, help) \
  fail_numbered((common), MILL_STAGE_FAILED, 0, (what), NULL, (why), (help), __FILE__, __LINE__)

static inline int fail_numbered(const MillHost *common, uint32_t status, uint32_t number,
                                const char *what, const char *where, const char *why,
                                const char *help, const char *file, uint32_t line)
{
  const MillFailure f = { .size = sizeof f,
                          .status = status,
                          .number = number,
                          .line = line,
                          .file = file,
                          .what = what,
                          .where = where,
                          .why = why,
                          .help = help };
  return common->fail(common, &f);
}

#endif
