/* Tests of device stamps: which interval a slice shows, and when each stamp was taken. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/stamps.h"

#include <stagemill/harness.h>

#include "check.h"

static StampPart part_of(StampReader *r, const char *name)
{
  const MillHost *common = harness_host()->common;
  return stamps_part(r, common->intern(common, name, strlen(name)));
}

static void names_say_which_interval_is_shown(void)
{
  StampReader r;
  stamps_open(&r, harness_host()->common);
  CHECK_INT(part_of(&r, "a DmaI"), STAMP_DMA_IN);
  CHECK_INT(part_of(&r, "k_1 Cmpt Prep"), STAMP_PREP);
  CHECK_INT(part_of(&r, "k_1 Cmpt Exec_2"), STAMP_EXEC);
  CHECK_INT(part_of(&r, "SenRdmaSend_10 [sync=AR_1] DmaO"), STAMP_DMA_OUT);
  CHECK_INT(part_of(&r, "Cmpt Exec"), STAMP_WHOLE);
  CHECK_INT(part_of(&r, "k_1_DmaI"), STAMP_DMA_IN);
  CHECK_INT(part_of(&r, "k_1_Cmpt"), STAMP_EXEC);
  CHECK_INT(part_of(&r, "k_1_DmaO"), STAMP_DMA_OUT);
  CHECK_INT(part_of(&r, "k_1_Cmpt_2"), STAMP_WHOLE);
  CHECK_INT(part_of(&r, "a DmaI"), STAMP_DMA_IN);
  CHECK_INT(stamps_first(STAMP_EXEC), 2);
  CHECK_INT(stamps_last(STAMP_EXEC), 3);
  CHECK_INT(stamps_first(STAMP_WHOLE), 0);
  CHECK_INT(stamps_last(STAMP_WHOLE), 4);
}

static void cycles_become_time(void)
{
  CHECK_INT(stamps_hz(560), 560000000);
  CHECK_INT(stamps_span_ns(560000000, 11200), 20000);
  CHECK_INT(stamps_span_ns(560000000, 1), 2); /* 1.79 */
  CHECK_INT(stamps_span_ns(560000000, -1), -2);
  CHECK_INT(stamps_span_ns(1, INT64_MAX), INT64_MAX);
  CHECK_INT(stamps_span_ns(1, INT64_MIN), INT64_MIN);
}

/* At 560 MHz: 100 cycles before TS2 are 178.6 ns, TS3 is what the slice begins with. */
static void stamps_are_timed_from_the_one_shown(void)
{
  Stamps s = { .cycles = { 5700, 5800, 11200, 22400, 22500 }, .part = STAMP_EXEC };
  MillEvent e = { .ts_ns = 1015000, .dur_ns = 20000 };
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 0), 1005179);
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 1), 1005357);
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 2), 1015000);
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 3), 1035000);
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 4), 1035179);
  e.ts_ns = INT64_MAX;
  CHECK_INT(stamps_time_ns(560000000, &s, &e, 4), INT64_MAX);
}

TEST_MAIN({ "names say which interval is shown", names_say_which_interval_is_shown },
          { "cycles become time", cycles_become_time },
          { "stamps are timed from the one shown", stamps_are_timed_from_the_one_shown })
