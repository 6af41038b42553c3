/* The results of one small run, with every oddity that a sink of results must cope with. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_FAKE_RUN_H
#define TESTS_UNIT_FAKE_RUN_H

#include "check.h"
#include "fake-host.h"

extern const FakeLane fake_run_lanes[2];
extern const FakeLane fake_run_one_lane[1];

/* Text that wants to be a formula, to move the cursor, or to break a line. */
#define FAKE_RUN_FORMULA "=cmd|' /C calc'!A0"
#define FAKE_RUN_ESCAPE "\033[31mred\a \xc2\x9b \xe2\x80\xae end\xff"

void fake_run_init(FakeResults *r);
void fake_run_empty(FakeResults *r);

/* Opens the sink that the test is linked with, gives it the results, and closes it. */
static inline void fake_run_write(FakeHost *fake, const FakeResults *r, const void *options)
{
  void *instance;
  CHECK_INT(fake_host_open(fake, options, &instance), 0);
  CHECK_INT(sink_under_test()->ops->results(instance, &r->results), 0);
  fake_host_close(instance);
}

/* A file that it wrote; g_free. */
static inline char *fake_run_file(const FakeLane *lanes, uint32_t n_lanes, const FakeResults *r,
                                  const void *options, const char *file)
{
  FakeHost fake;
  fake_host_init(&fake, lanes, n_lanes, MILL_NO_LANE);
  fake_run_write(&fake, r, options);
  char *text = g_strdup(fake_output(&fake, file));
  fake_host_clear(&fake);
  return text;
}

#endif
