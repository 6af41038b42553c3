/* Tests of words in names of kernels: at every place, in any case, and nothing that only looks alike. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/torch-words.h"
#include "kit/text/words.h"

#include <string.h>

#include "check.h"

static bool has(const char *text, const char *word)
{
  return words_have_any_case(text, strlen(text), word);
}

/* The name is longer than what is looked at together, so that the word comes before, across and behind its bounds. */
static void at_every_place(void)
{
  static const char *const words[] = { "a", "ab", "_mm_", "nccl", "cross_device_reduce" };
  char text[64];
  for (size_t w = 0; w < MILL_COUNT(words); w++) {
    size_t n = strlen(words[w]);
    for (size_t at = 0; at + n < sizeof text; at++) {
      memset(text, '.', sizeof text);
      memcpy(text + at, words[w], n);
      bool found = words_have_any_case(text, at + n, words[w]) &&
                   !words_have_any_case(text, at + n - 1, words[w]) &&
                   words_have_any_case(text, sizeof text, words[w]);
      if (!CHECK(found)) CHECK_ROW(words[w]);
    }
  }
}

static void in_any_case(void)
{
  CHECK(has("void ncclDevKernel_AllReduce_Sum_f32", "allreduce"));
  CHECK(has("..............NcCl", "nccl") && has("RCCL", "rccl"));
}

/* A bit apart: DEL from '_', @ from `, a control character from a letter. */
static void what_looks_alike(void)
{
  CHECK(!has("..........\x7fmm\x7f..........", "_mm_"));
  CHECK(!has("..........n\x03\x43l............", "nccl"));
  CHECK(!has("nccnccnccnccnccnccnccnccnccnccncc", "nccl"));
  CHECK(has("nccnccnccnccnccnccnccnccnccnccnccl", "nccl"));
}

static void no_text(void)
{
  CHECK(!has("", "nccl") && !has("n", "nccl") && !words_have_any_case("nccl", 0, "nccl"));
}

TEST_MAIN({ "at every place", at_every_place }, { "in any case", in_any_case },
          { "what looks alike", what_looks_alike }, { "no text", no_text })
