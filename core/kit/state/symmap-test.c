/* Tests of maps of symbols. */
#include "kit/state/symmap.h"

#include <stagemill/harness.h>

#include "check.h"

static void a_map_remembers_what_was_put(void)
{
  SymMap map = { NULL, 0 };
  MillSym to = 77;
  CHECK(!symmap_get(&map, 5, &to));
  symmap_put(harness_host()->common, &map, 5, 0);
  symmap_put(harness_host()->common, &map, 100, 5);
  CHECK(symmap_get(&map, 5, &to));
  CHECK_INT(to, 0);
  CHECK(symmap_get(&map, 100, &to));
  CHECK_INT(to, 5);
  CHECK(!symmap_get(&map, 6, &to));
  CHECK(!symmap_get(&map, UINT32_MAX, &to));
  array_free(harness_host()->common, map.to);
}

TEST_MAIN({ "a map remembers what was put", a_map_remembers_what_was_put })
