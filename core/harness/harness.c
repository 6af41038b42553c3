/* The program that a test is: its tests one after the other, each case in all manners. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "declared.h"
#include "harness-internal.h"
#include "plan/module-copy.h"
#include "record.h"

enum { MAX_SHOWN = 8 }; /* broken properties of one test */

static bool is_asked_for(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc <= 1;
}

static GPtrArray *seen; /* char *: attributes that events had after runs of these tests */

/* A source without an input was only probed. */
static bool has_input(const HarnessCase *c)
{
  return c->descriptor->kind != MILL_KIND_SOURCE || c->lanes->len;
}

void harness_check_properties(void)
{
  if (!has_input(harness_case())) return;
  if (seen) declared_seen(harness_outcome(), seen);
  g_autoptr(GPtrArray) broken = harness_broken_properties(harness_case());
  for (guint i = 0; i < MIN(broken->len, MAX_SHOWN); i++)
    harness_complain(NULL, 0, "property: %s", (char *)broken->pdata[i]);
  if (broken->len > MAX_SHOWN) harness_complain(NULL, 0, "and %u more", broken->len - MAX_SHOWN);
}

/* As cases, on standard output, with nothing of what the test says. */
static char *write_cases(const HarnessTest *test)
{
  GString *said = harness_said;
  harness_said = g_string_new(NULL);
  harness_record_begin(test->name);
  test->run();
  char *cases = harness_record_begin(NULL);
  harness_clear();
  g_string_free(harness_said, TRUE);
  harness_said = said;
  return cases;
}

static int print_cases(const HarnessTest *tests, uint32_t n_tests)
{
  for (uint32_t i = 0; i < n_tests; i++) {
    harness_clear();
    g_autofree char *cases = write_cases(&tests[i]);
    harness_say("%s%s", i ? "\n" : "", cases);
  }
  return 0;
}

/* Whether it passes. */
static bool run_test(const HarnessTest *test)
{
  unsigned before = harness_complaints();
  harness_clear();
  test->run();
  harness_check_properties();
  harness_clear();
  bool passed = harness_complaints() == before;
  harness_say("%s %s\n", passed ? "ok    " : "FAILED", test->name);
  return passed;
}

/* Of tests that are all run. */
static bool check_declared(const Descriptor *d)
{
  g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
  declared_check(d, seen, wrong);
  for (guint i = 0; i < wrong->len; i++)
    harness_complain(NULL, 0, "declared: %s", (char *)wrong->pdata[i]);
  return !wrong->len;
}

int harness_main(const MillModule *module, const HarnessTest *tests, uint32_t n_tests, int argc,
                 char **argv)
{
  unsigned failed = 0, run = 0;
  HarnessCase *c = harness_case();
  c->module = module;
  c->descriptor = harness_describe(module);
  if (!c->descriptor) return 1;
  if (argc == 2 && !strcmp(argv[1], "--cases")) return print_cases(tests, n_tests);
  seen = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < n_tests; i++) {
    if (!is_asked_for(tests[i].name, argc, argv)) continue;
    failed += !run_test(&tests[i]);
    run++;
  }
  if (argc <= 1 && !failed) failed += !check_declared(c->descriptor);
  g_clear_pointer(&seen, g_ptr_array_unref);
  harness_say("%s: %u tests, %u failed\n", c->descriptor->name, run, failed);
  g_clear_pointer((Descriptor **)&c->descriptor, module_copy_free);
  return failed || run == 0;
}
