/* Tests of fold.c: names without their numbers. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/fold.h"

#include <stagemill/harness.h>

#include "check.h"

static const char *folded(FoldedNames *names, const char *text)
{
  size_t len;
  MillSym sym = fold_name(names, names->common->intern(names->common, text, strlen(text)));
  return names->common->symbol_text(names->common, sym, &len);
}

static void digits_after_a_stroke_are_folded(void)
{
  FoldedNames names = { .common = harness_host()->common };
  CHECK_STR(folded(&names, "addmm_1_MatMul Cmpt Exec"), "addmm_[N]_MatMul Cmpt Exec");
  CHECK_STR(folded(&names, "bmm-BMM_1"), "bmm-BMM_[N]");
  CHECK_STR(folded(&names, "fn-4-Output-5"), "fn_[N]-Output_[N]");
  CHECK_STR(folded(&names, "k__9"), "k__[N]");
  CHECK_STR(folded(&names, "_0_00"), "_[N]_[N]");
  CHECK_STR(folded(&names, "-1"), "_[N]");
}

static void other_names_stay(void)
{
  FoldedNames names = { .common = harness_host()->common };
  CHECK_STR(folded(&names, "Conv2D"), "Conv2D");
  CHECK_STR(folded(&names, "9lead_"), "9lead_");
  CHECK_STR(folded(&names, ""), "");
  CHECK_STR(folded(&names, "a_[N]"), "a_[N]");
}

TEST_MAIN({ "digits after a stroke are folded", digits_after_a_stroke_are_folded },
          { "other names stay", other_names_stay })
