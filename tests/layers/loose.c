/* A module that breaks each rule that modules-test.py looks for, to see that it does. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <stdlib.h>

int loose_counter = 1;
static int loose_hidden;

__attribute__((constructor)) static void loose_start(void) { loose_hidden++; }

MILL_EXPORT int loose_helper(void);
int loose_helper(void)
{
  if (getenv("HOME")) exit(loose_counter);
  return loose_hidden;
}

MILL_DECLARE mill_module_v1 = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_STAGE, NULL, "test", "MIT"
};
