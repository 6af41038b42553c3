/* Names, begins and lengths of the parts of a device event; see cycles-split.h. */
/* SPDX-License-Identifier: MIT */
#include "cycles-split.h"

#include <string.h>

#include "kit/text/words.h"

__extension__ typedef __int128 SplitWide;

typedef struct Kind {
  const char *word;
  uint32_t first, last; /* stamps, counted from 0 */
  StampPart alone;      /* an event that shows this interval has only this part */
} Kind;

static const Kind kinds[SPLIT_PARTS] = { { "DmaI", 0, 1, STAMP_DMA_IN },
                                         { "Cmpt", 2, 3, STAMP_EXEC },
                                         { "DmaO", 3, 4, STAMP_DMA_OUT } };

bool split_drops(const MillHost *common, MillSym name)
{
  size_t len;
  const char *text = common->symbol_text(common, name, &len);
  return words_have(text, len, " Prep");
}

static MillSym name_of(const MillHost *common, MillSym name, const char *word)
{
  size_t len, word_len = strlen(word);
  const char *text = common->symbol_text(common, name, &len);
  if (words_have(text, len, word)) return name;
  char *with = common->scratch(common, len + word_len + 1);
  if (!with) return name;
  memcpy(with, text, len);
  with[len] = '_';
  memcpy(with + len + 1, word, word_len);
  return common->intern(common, with, len + 1 + word_len);
}

/* Cycles less a half, rounded to the nearest ns. */
static int64_t length_ns(int64_t hz, int64_t cycles)
{
  SplitWide ns = (((SplitWide)cycles * 2 - 1) * 1000000000 + hz) / ((SplitWide)hz * 2);
  return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static bool find_part(int64_t hz, const Stamps *s, int64_t end_ns, const Kind *kind, SplitPart *out)
{
  int64_t cycles, to_end;
  uint32_t last = stamps_last(s->part);
  if (!s->has[kind->first] || !s->has[kind->last] || !s->has[last]) return false;
  if (__builtin_sub_overflow(s->cycles[kind->last], s->cycles[kind->first], &cycles)) return false;
  if (__builtin_sub_overflow(s->cycles[last], s->cycles[kind->first], &to_end)) return false;
  if (cycles < 1) return false;
  if (__builtin_sub_overflow(end_ns, stamps_span_ns(hz, to_end), &out->ts_ns)) return false;
  out->dur_ns = length_ns(hz, cycles);
  return out->dur_ns <= INT64_MAX - (out->ts_ns > 0 ? out->ts_ns : 0);
}

uint32_t split_event(const MillHost *common, int64_t hz, MillSym name, const Stamps *stamps,
                     int64_t end_ns, SplitPart *out)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < SPLIT_PARTS; i++) {
    if (stamps->part != STAMP_WHOLE && stamps->part != kinds[i].alone) continue;
    if (!find_part(hz, stamps, end_ns, &kinds[i], &out[n])) continue;
    out[n++].name = name_of(common, name, kinds[i].word);
  }
  return n;
}
