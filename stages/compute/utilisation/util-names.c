/* Spelling names of kernels; see util-names.h. */
/* SPDX-License-Identifier: MIT */
#include "util-names.h"

#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"
#include "kit/text/words.h"

enum { SPELLED_MAX = 1 << 16 }; /* a longer name stays as it is */
enum { UNKNOWN, BY_EVENT, FIRST };

static const char mark[] = "[N]", end[] = " Cmpt Exec";

void util_kernels_open(UtilKernels *k, const MillHost *common)
{
  *k = (UtilKernels){ .names = { .common = common }, .index_key = symbol_of(common, "fn_idx") };
}

/* The name with each mark replaced; its length.  `to` NULL: only the length. */
static size_t spell(char *to, const char *name, size_t len, const char *index, size_t index_len)
{
  const size_t mark_len = sizeof mark - 1;
  size_t out = 0;
  for (size_t i = 0; i < len;) {
    bool is_mark = index && len - i >= mark_len && memcmp(name + i, mark, mark_len) == 0;
    if (to && is_mark)
      memcpy(to + out, index, index_len);
    else if (to)
      to[out] = name[i];
    out += is_mark ? index_len : 1;
    i += is_mark ? mark_len : 1;
  }
  return out;
}

static uint32_t number_of(UtilKernels *k, const char *name, size_t len, const char *index,
                          size_t index_len)
{
  const MillHost *common = k->names.common;
  size_t spelled = spell(NULL, name, len, index, index_len);
  if (spelled > SPELLED_MAX) index = NULL;
  if (!index) spelled = len;
  char *text = common->scratch(common, spelled + sizeof end);
  if (!text) return UTIL_NO_NAME;
  spell(text, name, len, index, index_len);
  if (!words_end_with(text, spelled, end)) {
    memcpy(text + spelled, end, sizeof end - 1);
    spelled += sizeof end - 1;
  }
  return util_number(&k->names, text, spelled);
}

uint32_t util_kernels_number(UtilKernels *k, const MillBatch *batch, const MillEvent *e)
{
  const MillHost *common = k->names.common;
  char digits[DIGITS_MAX];
  size_t len, index_len = 0;
  uint32_t known = symmap_value(&k->by_name, e->name);
  if (known >= FIRST) return known - FIRST;
  const char *name = common->symbol_text(common, e->name, &len), *index = NULL;
  if (known == UNKNOWN) known = words_have(name, len, mark) ? BY_EVENT : FIRST;
  if (known == BY_EVENT)
    index = transfer_text(common, batch, mill_attr(batch, e, k->index_key), digits, &index_len);
  uint32_t number = number_of(k, name, len, index, index_len);
  if (number == UTIL_NO_NAME) return number;
  known = known == BY_EVENT ? BY_EVENT : number + FIRST;
  return symmap_put_value(common, &k->by_name, e->name, known) ? number : UTIL_NO_NAME;
}
