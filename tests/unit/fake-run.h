/* The results of one small run, with every oddity that a sink of results must cope with. */
#ifndef TESTS_UNIT_FAKE_RUN_H
#define TESTS_UNIT_FAKE_RUN_H

#include "fake-host.h"

extern const FakeLane fake_run_lanes[2];
extern const FakeLane fake_run_one_lane[1];

/* Text that wants to be a formula, to move the cursor, or to break a line. */
#define FAKE_RUN_FORMULA "=cmd|' /C calc'!A0"
#define FAKE_RUN_ESCAPE "\033[31mred\a \xc2\x9b \xe2\x80\xae end\xff"

void fake_run_init(FakeResults *r);
void fake_run_empty(FakeResults *r);

#endif
