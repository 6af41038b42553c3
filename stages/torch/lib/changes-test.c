/* Tests of lib/changes: levels, and how long they last. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/changes.h"

#include <stagemill/harness.h>

#include "check.h"

typedef struct Seen {
  int n;
  int64_t at[8], level[8];
} Seen;

static int see(void *user, int64_t ts_ns, int64_t level)
{
  Seen *s = user;
  if (s->n < 8) {
    s->at[s->n] = ts_ns;
    s->level[s->n++] = level;
  }
  return level == 99 ? -1 : 0;
}

/* Group 2: 1 at 0, 2 at 10, at 30 first up to 3, then down to 2, 0 at 40.  Group 5: one change. */
static void levels_by_group(void)
{
  Changes c = { .common = harness_host()->common };
  Hists hists;
  ChangeStats stats;
  Seen seen = { 0 };
  size_t at = 0;
  hists_init(&hists, c.common, 1000);
  CHECK(changes_add(&c, 5, 7, 0, 4) && changes_add(&c, 2, 30, 1, -1) &&
        changes_add(&c, 2, 40, 1, -2));
  CHECK(changes_add(&c, 2, 10, 0, 1) && changes_add(&c, 2, 0, 0, 1) &&
        changes_add(&c, 2, 30, 0, 1));
  changes_sort(&c);
  CHECK_INT(changes_walk(&c, &at, 2, &hists, &stats, see, &seen), 0);
  CHECK_INT(at, 5);
  CHECK_INT(stats.samples.moments.n, 5);
  CHECK_INT(stats.samples.moments.sum, 1 + 2 + 3 + 2 + 0);
  CHECK_INT(stats.max, 3);
  CHECK_INT(stats.area, 10 + 2 * 20 + 2 * 10);
  CHECK_INT(stats.span_ns, 40);
  CHECK_INT(stats.busy_ns, 40);
  CHECK_INT(stats.at_limit_ns, 30);
  CHECK_INT(seen.n, 4);
  CHECK_INT(seen.at[2], 30);
  CHECK_INT(seen.level[2], 2);
  CHECK_INT(changes_walk(&c, &at, 2, &hists, &stats, NULL, NULL), 0);
  CHECK_INT(at, 6);
  CHECK_INT(stats.span_ns, 0);
  CHECK_INT(stats.max, 4);
}

static void a_failure_ends_the_walk(void)
{
  Changes c = { .common = harness_host()->common };
  Hists hists;
  ChangeStats stats;
  Seen seen = { 0 };
  size_t at = 0;
  hists_init(&hists, c.common, 1000);
  CHECK(changes_add(&c, 1, 0, 0, 99) && changes_add(&c, 1, 5, 0, 1));
  CHECK_INT(changes_walk(&c, &at, 1, &hists, &stats, see, &seen), -1);
  CHECK_INT(seen.n, 1);
}

TEST_MAIN({ "levels by group", levels_by_group },
          { "a failure ends the walk", a_failure_ends_the_walk })
