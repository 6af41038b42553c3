/* Names of events, each read once; see pec-words.h. */
/* SPDX-License-Identifier: MIT */
#include "pec-words.h"

#include "kit/text/words.h"

enum { OTHER_KIND = 0 };
enum { WORK_KNOWN = 1, WORK_EXEC = 2, WORK_IN = 4, WORK_OUT = 8 }; /* what a name says */

static uint8_t read_measures(const char *text, size_t len)
{
  return words_have(text, len, " Prep") ? 1 : 2;
}

bool pec_words_measures(PecWords *words, MillSym name)
{
  return symclass_of(words->common, &words->measures, name, read_measures) == 2;
}

static uint8_t read_kind(const char *text, size_t len)
{
  static const char *const kinds[PEC_KINDS] = { NULL,        "DmaI",      "DmaO",
                                                "AllGather", "AllReduce", "Cmpt Exec" };
  for (int i = 1; i < PEC_KINDS; i++)
    if (words_have(text, len, kinds[i])) return (uint8_t)(i + 1);
  return OTHER_KIND + 1;
}

uint8_t pec_words_kind(PecWords *words, MillSym name)
{
  return (uint8_t)(symclass_of(words->common, &words->kinds, name, read_kind) - 1);
}

/* What the slice shows, whatever else its name says: a kernel AllReduce is a kernel. */
static uint8_t read_work(const char *text, size_t len)
{
  return (uint8_t)((words_have(text, len, "Cmpt Exec") ? WORK_EXEC : 0) |
                   (words_have(text, len, " DmaI") ? WORK_IN : 0) |
                   (words_have(text, len, " DmaO") ? WORK_OUT : 0) | WORK_KNOWN);
}

bool pec_words_skip(PecWords *words, MillSym before, MillSym now)
{
  uint8_t a = symclass_of(words->common, &words->works, before, read_work);
  uint8_t b = symclass_of(words->common, &words->works, now, read_work);
  if (a & WORK_EXEC && b & (WORK_EXEC | WORK_IN)) return true;
  return a & WORK_OUT && b & WORK_IN;
}
