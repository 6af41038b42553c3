/* The program that a test is: its tests one after the other, each case in all manners. */
#include <string.h>

#include "harness-internal.h"
#include "plan/module-copy.h"

enum { MAX_SHOWN = 8 }; /* broken properties of one test */

static bool is_asked_for(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  return argc <= 1;
}

/* A source without an input was only probed. */
static bool has_input(const HarnessCase *c)
{
  return c->descriptor->kind != MILL_KIND_SOURCE || c->lanes->len;
}

static void check_properties(void)
{
  if (!has_input(harness_case())) return;
  g_autoptr(GPtrArray) broken = harness_broken_properties(harness_case());
  for (guint i = 0; i < MIN(broken->len, MAX_SHOWN); i++)
    harness_complain(NULL, 0, "property: %s", (char *)broken->pdata[i]);
  if (broken->len > MAX_SHOWN) harness_complain(NULL, 0, "and %u more", broken->len - MAX_SHOWN);
}

/* Whether it passes. */
static bool run_test(const HarnessTest *test)
{
  unsigned before = harness_complaints();
  harness_clear();
  test->run();
  check_properties();
  harness_clear();
  bool passed = harness_complaints() == before;
  harness_say("%s %s\n", passed ? "ok    " : "FAILED", test->name);
  return passed;
}

int harness_main(const MillModule *module, const HarnessTest *tests, uint32_t n_tests, int argc,
                 char **argv)
{
  unsigned failed = 0, run = 0;
  HarnessCase *c = harness_case();
  c->module = module;
  c->descriptor = harness_describe(module);
  if (!c->descriptor) return 1;
  for (uint32_t i = 0; i < n_tests; i++) {
    if (!is_asked_for(tests[i].name, argc, argv)) continue;
    failed += !run_test(&tests[i]);
    run++;
  }
  harness_say("%s: %u tests, %u failed\n", c->descriptor->name, run, failed);
  g_clear_pointer((Descriptor **)&c->descriptor, module_copy_free);
  return failed || run == 0;
}
