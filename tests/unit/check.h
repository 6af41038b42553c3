/* A thin wrapper on CUnit: checks that go on after a failure, and a main() from a list of tests. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_CHECK_H
#define TESTS_UNIT_CHECK_H

#include <CUnit/Basic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct CheckTest {
  const char *name;
  void (*run)(void);
} CheckTest;

static inline bool check_report(bool ok, const char *text, const char *file, int line)
{
  CU_assertImplementation(ok, (unsigned)line, text, file, "", CU_FALSE);
  return ok;
}

static inline bool check_int(int64_t got, int64_t wanted, const char *text, const char *file,
                             int line)
{
  char message[512];
  snprintf(message, sizeof message, "%s: got %lld, wanted %lld", text, (long long)got,
           (long long)wanted);
  return check_report(got == wanted, message, file, line);
}

static inline bool check_str(const char *got, const char *wanted, const char *text,
                             const char *file, int line)
{
  char message[1024];
  bool ok = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;
  snprintf(message, sizeof message, "%s: got \"%s\", wanted \"%s\"", text, got ? got : "(null)",
           wanted ? wanted : "(null)");
  return check_report(ok, message, file, line);
}

static inline bool check_row(const char *text) { return printf("\n    in row: %s", text) > 0; }

/* Each is true when the check held, so that a table can name its failing row:
 * if (!CHECK_INT(a, b)) CHECK_ROW(text); */
#define CHECK(cond) check_report((cond), #cond, __FILE__, __LINE__)
#define CHECK_INT(got, wanted) \
  check_int((int64_t)(got), (int64_t)(wanted), #got, __FILE__, __LINE__)
#define CHECK_STR(got, wanted) check_str((got), (wanted), #got, __FILE__, __LINE__)
#define CHECK_ROW(text) check_row(text)

static inline int check_main(const char *suite_name, const CheckTest *tests, size_t n_tests)
{
  if (CU_initialize_registry() != CUE_SUCCESS) return 2;
  CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
  for (size_t i = 0; suite && i < n_tests; i++)
    if (!CU_add_test(suite, tests[i].name, tests[i].run)) suite = NULL;
  if (!suite) return 2;
  CU_basic_set_mode(CU_BRM_VERBOSE);
  CU_basic_run_tests();
  bool failed = CU_get_number_of_failures() > 0 || CU_get_number_of_tests_run() != n_tests;
  CU_cleanup_registry();
  return failed;
}

/* TEST_MAIN({ "reads integers", test_integers }, { ... }) */
#define TEST_MAIN(...)                                                  \
  int main(void)                                                        \
  {                                                                     \
    static const CheckTest tests[] = { __VA_ARGS__ };                   \
    return check_main(__FILE__, tests, sizeof tests / sizeof tests[0]); \
  }

#endif
