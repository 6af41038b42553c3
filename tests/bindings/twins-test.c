/* The inline functions of the headers under names that can be linked. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "check.h"

MillValue kit_mill_int(int64_t i);
void kit_mill_set_dur(MillEvent *e, int64_t dur_ns);
bool kit_mill_attr_int(const MillBatch *b, const MillEvent *e, MillSym key, int64_t *out);

static void they_do_the_same(void)
{
  MillAttr attr = { .key = 3, .type = MILL_INT, .u.i = 7 };
  MillEvent e = { .n_attrs = 1 };
  const MillBatch b = { .size = sizeof b, .events = &e, .n_events = 1, .attrs = &attr, .n_attrs = 1 };
  int64_t found = 0;
  CHECK_INT(kit_mill_int(5).u.i, 5);
  kit_mill_set_dur(&e, 9);
  CHECK_INT(e.dur_ns, 9);
  CHECK_INT(e.dirty, MILL_DIRTY_DUR);
  CHECK(kit_mill_attr_int(&b, &e, 3, &found));
  CHECK_INT(found, 7);
  CHECK(!kit_mill_attr_int(&b, &e, 4, &found));
}

TEST_MAIN({ "they do the same", they_do_the_same })
