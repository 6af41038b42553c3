/* Tests of lib/step-windows: how long steps last on the devices. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-windows.h"

#include <stagemill/harness.h>

#include "check.h"

static StepWindows opened(void)
{
  StepWindows s = { 0 };
  CHECK(step_windows_open(&s, harness_host()->common));
  return s;
}

static void check(const StepWindows *s, size_t i, int64_t number, int64_t from_ns, int64_t to_ns,
                  bool is_warmup)
{
  CHECK_INT(s->items[i].number, number);
  CHECK_INT(s->items[i].from_ns, from_ns);
  CHECK_INT(s->items[i].to_ns, to_ns);
  CHECK_INT(s->items[i].is_warmup, is_warmup);
}

/* The host is done with both steps at 20, the devices with the first at 100 and the second at 180. */
static void the_host_runs_ahead(void)
{
  StepWindows s = opened();
  CHECK(step_windows_slice(&s, 2, 10) && step_windows_slice(&s, 1, 0));
  CHECK(step_windows_work(&s, 2, 100, 180) && step_windows_work(&s, 1, 5, 60));
  CHECK(step_windows_work(&s, 1, 60, 100) && step_windows_work(&s, -1, 170, 500));
  CHECK(step_windows_close(&s));
  CHECK_INT(s.n, 2);
  check(&s, 0, 1, 0, 100, false);
  check(&s, 1, 2, 100, 180, false);
  CHECK(step_windows_find(&s, 2) == &s.items[1] && !step_windows_find(&s, 3));
  CHECK(step_windows_begins(&s, 5, 10) && !step_windows_begins(&s, 11, 99));
}

/* Step 9 does not follow step 2: it begins with its slice. */
static void numbers_that_are_left_out(void)
{
  StepWindows s = opened();
  CHECK(step_windows_slice(&s, 2, 0) && step_windows_slice(&s, 9, 500));
  CHECK(step_windows_work(&s, 2, 10, 20) && step_windows_work(&s, 9, 510, 520));
  CHECK(step_windows_close(&s));
  check(&s, 0, 2, 0, 20, false);
  check(&s, 1, 9, 500, 520, false);
}

/* A program may count down. */
static void numbers_that_fall(void)
{
  StepWindows s = opened();
  for (int64_t i = 0; i < 3; i++) {
    CHECK(step_windows_slice(&s, 3 - i, 100 * i));
    CHECK(step_windows_work(&s, 3 - i, 100 * i + 20, 100 * i + 90));
  }
  CHECK(step_windows_close(&s));
  CHECK_INT(s.n, 3);
  for (size_t i = 0; i < 3; i++)
    check(&s, i, 3 - (int64_t)i, 100 * (int64_t)i, 100 * (int64_t)i + 90, false);
  CHECK(step_windows_find(&s, 3) == &s.items[0] && !step_windows_find(&s, 0));
}

static void without_steps(void)
{
  StepWindows s = opened();
  CHECK(step_windows_work(&s, -1, 10, 20) && step_windows_work(&s, -1, 30, 50));
  CHECK(step_windows_close(&s));
  CHECK_INT(s.n, 1);
  check(&s, 0, 0, 10, 50, false);
}

/* 100, 40, 10, 10, 20, 10: the first two are longer than 15, 1.5 times the median of what follows. */
static void warm_up(void)
{
  static const int64_t ends_ns[] = { 100, 140, 150, 160, 180, 190 };
  StepWindows s = opened();
  for (int64_t i = 0; i < 6; i++)
    CHECK(step_windows_work(&s, i, i ? ends_ns[i - 1] : 0, ends_ns[i]));
  CHECK(step_windows_close(&s));
  for (size_t i = 0; i < 6; i++) CHECK_INT(s.items[i].is_warmup, i < 2);
}

static void nothing(void)
{
  StepWindows s = opened();
  CHECK(step_windows_slice(&s, 1, 0) && step_windows_close(&s));
  CHECK_INT(s.n, 0);
}

TEST_MAIN({ "the host runs ahead", the_host_runs_ahead },
          { "numbers that are left out", numbers_that_are_left_out },
          { "numbers that fall", numbers_that_fall }, { "without steps", without_steps },
          { "warm-up", warm_up }, { "nothing", nothing })
