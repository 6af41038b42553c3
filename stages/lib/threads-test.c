/* Tests of threads for further rows. */
#include "lib/threads.h"

#include <stagemill/harness.h>

#include "check.h"

static const char *next_text(const char *name, uint64_t tries)
{
  const MillHost *common = harness_host()->common;
  MillValue thread = name ? mill_sym(common->intern(common, name, strlen(name))) : mill_none();
  MillValue next = mill_none();
  size_t len;
  CHECK(threads_next(common, &thread, tries, &next));
  CHECK_INT(next.type, MILL_SYM);
  return common->symbol_text(common, next.u.sym, &len);
}

static void numbers_go_up_and_names_get_one(void)
{
  MillValue seven = mill_int(7), next = mill_none();
  CHECK(threads_next(harness_host()->common, &seven, 3, &next));
  CHECK_INT(next.type, MILL_INT);
  CHECK_INT(next.u.i, 10);
  CHECK_STR(next_text("stream 7", 2), "stream 7 +2");
  CHECK_STR(next_text(NULL, 1), "+1");
}

TEST_MAIN({ "numbers go up and names get one", numbers_go_up_and_names_get_one })
