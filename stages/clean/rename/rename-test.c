/* Tests of clean/rename: what numbers leave behind. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

static void becomes(const char *from, const char *to)
{
  char line[256], wanted[256];
  harness_clear();
  snprintf(line, sizeof line, "X \"%s\" 0 1us {TS1=1}", from);
  snprintf(wanted, sizeof wanted, "X \"%s\" 0 1us {TS1=1, orig_name=\"%s\"}", to, from);
  given(line);
  expect(wanted);
}

static void stays(const char *name)
{
  char line[256];
  harness_clear();
  snprintf(line, sizeof line, "X \"%s\" 0 1us {TS1=1}", name);
  given(line);
  expect(line);
}

static void numbers_go(void)
{
  becomes("addmm_1_MatMul Cmpt Exec", "addmm_MatMul Cmpt Exec");
  becomes("a1 Cmpt Exec", "a Cmpt Exec");
  becomes("fn-4-Output-5", "fn--Output-");
  becomes("k__9", "k_");
  becomes("_1", "");
}

static void versions_stay(void)
{
  becomes("MatMulV2_7 Cmpt Exec", "MatMulV2 Cmpt Exec");
  becomes("Conv2D_33_V12_8", "ConvD_V12");
}

static void digits_at_the_beginning_are_lost(void)
{
  becomes("9lead_1", "lead");
  stays("9lead");
  stays("123");
}

/* The one pair of letters and digits is V2, which stays: so does the name. */
static void what_does_not_change_has_no_old_name(void)
{
  stays("mm Cmpt Exec");
  stays("MatMulV2");
  stays("");
}

static void host_events_keep_their_names(void)
{
  given("X aten_1 0 1us {TS2=1}", "C k_1 0 {TS1=1}", "X k_1 1us 1us cat=kernel");
  expect("X aten_1 0 1us {TS2=1}", "C k_1 0 {TS1=1}", "X k_1 1us 1us cat=kernel");
}

static void categories_tell_in_torch_traces(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X k_1 0 1us cat=kernel", "X k_1 0 1us cat=cpu_op {TS1=1}", "X m_2 1us 1us cat=gpu_memcpy");
  expect("X k 0 1us cat=kernel {orig_name=\"k_1\"}", "X k_1 0 1us cat=cpu_op {TS1=1}",
         "X m 1us 1us cat=gpu_memcpy {orig_name=\"m_2\"}");
}

static void a_hundred_thousand_names_become_one(void)
{
  char line[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X k_%d %d 1 {TS1=1}", i, i);
    given(line);
  }
  expect_attr(99999, "orig_name", "k_99999");
}

HARNESS_MAIN({ "numbers go", numbers_go }, { "versions stay", versions_stay },
             { "digits at the beginning are lost", digits_at_the_beginning_are_lost },
             { "what does not change has no old name", what_does_not_change_has_no_old_name },
             { "host events keep their names", host_events_keep_their_names },
             { "categories tell in torch traces", categories_tell_in_torch_traces },
             { "a hundred thousand names become one", a_hundred_thousand_names_become_one })
