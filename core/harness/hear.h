/* Tests of the harness run it on modules of their own, and look at what it says. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HARNESS_HEAR_H
#define TESTS_HARNESS_HEAR_H

#include "check.h"
#include "harness-internal.h"

/* What it says of one test: g_free.  *out_status is that of the program. */
static inline char *hear(const MillModule *module, void (*run)(void), int *out_status)
{
  const HarnessTest test = { "the test", run };
  harness_said = g_string_new(NULL);
  *out_status = harness_main(module, &test, 1, 0, NULL);
  char *said = g_string_free(harness_said, FALSE);
  harness_said = NULL;
  return said;
}

/* The test passes. */
static inline bool hear_good(const MillModule *module, void (*run)(void))
{
  int status;
  g_autofree char *said = hear(module, run, &status);
  return CHECK_INT(status, 0) || (CHECK_ROW(said), false);
}

/* It fails, and this is said. */
static inline bool hear_bad(const MillModule *module, void (*run)(void), const char *wanted)
{
  int status;
  g_autofree char *said = hear(module, run, &status);
  bool ok = CHECK_INT(status, 1);
  if (!strstr(said, wanted)) ok = CHECK_STR(said, wanted);
  return ok;
}

#endif
