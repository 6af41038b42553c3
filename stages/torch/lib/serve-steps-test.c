/* Tests of lib/serve-steps: what annotations of inference engines say. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/serve-steps.h"

#include <stagemill/harness.h>
#include <string.h>

#include "check.h"

enum { NOT = SERVE_UNKNOWN };

static const struct {
  const char *text;
  ServePhase phase;
  int64_t requests, tokens, keys, pairs;
  bool upper;
} known[] = {
  { "execute_context_2(512)_generation_0(0)", SERVE_PREFILL, 2, 512, NOT, NOT, false },
  { "execute_context_0(0)_generation_32(32)", SERVE_DECODE, 32, 32, NOT, NOT, false },
  { "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk4096sqsq32sqsk4096)", SERVE_DECODE,
    32, 32, 4096, 4096, false },
  /* 10 + 3 tokens, 10 * 10 + 700 pairs */
  { "execute_13_context_1(sq10sk10sqsq100sqsk100)_generation_3(sq3sk700sqsq3sqsk700)", SERVE_MIXED,
    4, 13, 710, 800, false },
  /* a prompt alone: its length times itself; of two prompts no more than the product of the sums */
  { "execute_context_1(sq10sk30)_generation_0(0)", SERVE_PREFILL, 1, 10, 30, 300, false },
  { "execute_context_2(sq10sk30)_generation_0(0)", SERVE_PREFILL, 2, 10, 30, 300, true },
  { "execute_context_2(sq10sk30)_generation_3(sq3sk700)", SERVE_MIXED, 5, 13, 730, 1000, true },
  { "execute_context_2(sq10sk30)_generation_3(3)", SERVE_MIXED, 5, 13, NOT, NOT, true },
  { "step[DECODE bs=32]", SERVE_DECODE, 32, 32, NOT, NOT, false },
  { "step[DECODE bs=32 max_sk=100]", SERVE_DECODE, 32, 32, NOT, 3200, true },
  { "step[DECODE bs=32 max_sk=100 sk=2000]", SERVE_DECODE, 32, 32, 2000, 2000, false },
  { "step[EXTEND bs=2 toks=64 max_sk=40 sk=60]", SERVE_PREFILL, 2, 64, 60, 2560, true },
  { "step[EXTEND bs=2 toks=64 other=x,y sqsk=900]", SERVE_PREFILL, 2, 64, NOT, 900, false },
  { "step[TARGET_VERIFY bs=2 toks=10]", SERVE_DECODE, 2, 10, NOT, NOT, false },
  { "step[MIXED toks=64]", SERVE_MIXED, NOT, 64, NOT, NOT, false },
};

static void what_is_said(void)
{
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ServeStep s = { 0 };
    bool same = serve_step_read(known[i].text, strlen(known[i].text), &s) &&
                s.phase == known[i].phase && s.requests == known[i].requests &&
                s.tokens == known[i].tokens && s.keys == known[i].keys &&
                s.pairs == known[i].pairs && s.pairs_are_upper == known[i].upper;
    if (!CHECK(same)) CHECK_ROW(known[i].text);
  }
}

static void no_steps(void)
{
  static const char *const texts[] = {
    "",
    "execute",
    "execute_context_0(0)_generation_0(0)",
    "execute_context_1(512)_generation_3",
    "execute_context_1(512)",
    "execute_context_1()_generation_3(3)",
    "execute_context_1(sk5)_generation_3(3)",
    "execute_context_99999999999999999999(1)_generation_3(3)",
    "step[DECODE bs=32",
    "step[DECODED bs=32]",
    "step[IDLE bs=0]",
    "step[DECODE bs=0]",
    "ProfilerStep#3",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ServeStep s;
    if (!CHECK(!serve_step_read(texts[i], strlen(texts[i]), &s))) CHECK_ROW(texts[i]);
  }
}

/* What no int64 holds is not known. */
static void large_numbers(void)
{
  static const char text[] = "step[EXTEND bs=2 toks=2000000000000000000 sk=2000000000000000000]";
  ServeStep s;
  CHECK(serve_step_read(text, strlen(text), &s));
  CHECK_INT(s.tokens, 2000000000000000000);
  CHECK_INT(s.pairs, NOT);
}

TEST_MAIN({ "what is said", what_is_said }, { "no steps", no_steps },
          { "large numbers", large_numbers })
