/* Tests of jobs: events find the state of theirs. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/jobs.h"

#include <stagemill/harness.h>

#include "check.h"

typedef struct Tally {
  int64_t n;
} Tally;

static int64_t *count_of(Jobs *jobs, MillAttr *attr)
{
  MillBatch batch = { .attrs = attr, .n_attrs = 1 };
  MillEvent e = { .n_attrs = attr ? 1 : 0 };
  return &((Tally *)jobs_of(jobs, &batch, &e))->n;
}

static void a_job_has_one_state(void)
{
  const MillHost *common = harness_host()->common;
  Jobs jobs;
  CHECK(jobs_open(&jobs, common, sizeof(Tally)));
  MillAttr one = { .key = jobs.key, .type = MILL_SYM, .u.sym = common->intern(common, "a(0)", 4) };
  MillAttr two = { .key = jobs.key, .type = MILL_SYM, .u.sym = common->intern(common, "a(1)", 4) };
  MillAttr number = { .key = jobs.key, .type = MILL_INT, .u.i = 7 };
  ++*count_of(&jobs, &one);
  ++*count_of(&jobs, &two);
  ++*count_of(&jobs, &one);
  ++*count_of(&jobs, &number);
  CHECK_INT(*count_of(&jobs, &one), 2);
  CHECK_INT(*count_of(&jobs, &two), 1);
  CHECK_INT(((Tally *)keyed_find(jobs.states, "7", 1))->n, 1);
}

static void events_without_a_job_are_one(void)
{
  const MillHost *common = harness_host()->common;
  Jobs jobs;
  CHECK(jobs_open(&jobs, common, sizeof(Tally)));
  MillAttr other = { .key = jobs.key + 1, .type = MILL_INT, .u.i = 7 };
  MillAttr real = { .key = jobs.key, .type = MILL_REAL, .u.r = 7 };
  ++*count_of(&jobs, NULL);
  ++*count_of(&jobs, &other);
  CHECK_INT(*count_of(&jobs, &real), 2);
  CHECK_INT(keyed_count(jobs.states), 1);
}

TEST_MAIN({ "a job has one state", a_job_has_one_state },
          { "events without a job are one", events_without_a_job_are_one })
