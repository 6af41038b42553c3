/* Naming slices of collectives; see coll-names.h. */
/* SPDX-License-Identifier: MIT */
#include "coll-names.h"

#include <string.h>

#include "base/num-digits.h"
#include "kit/text/words.h"

static MillSym own_name(const MillHost *common, MillSym group)
{
  size_t len, digits = 0;
  const char *text = common->symbol_text(common, group, &len);
  while (digits < len && is_digit(text[len - 1 - digits])) digits++;
  if (digits > 0 && digits < len && text[len - 1 - digits] == '_') return group;
  char *longer = common->scratch(common, len + 2);
  if (!longer) return group;
  memcpy(longer, text, len);
  memcpy(longer + len, "_0", 2);
  return common->intern(common, longer, len + 2);
}

/* 0 where it has no digits, or too many. */
static int64_t first_number(const char *text, size_t len)
{
  int64_t number;
  for (size_t i = 0; i < len; i++) {
    size_t n = 0;
    if (text[i] != '_') continue;
    while (i + 1 + n < len && is_digit(text[i + 1 + n])) n++;
    if (n > 0) return digits_read(text + i + 1, n, &number) ? number : 0;
  }
  return 0;
}

CollName coll_name(const MillHost *common, MillSym group)
{
  static const char all_reduce[] = "gloo:all_reduce";
  size_t len;
  CollName name = { .own = own_name(common, group) };
  const char *text = common->symbol_text(common, name.own, &len);
  name.number = first_number(text, len);
  name.shown = name.own;
  if (words_have(text, len, "AllReduce_all_reduce"))
    name.shown = common->intern(common, all_reduce, sizeof all_reduce - 1);
  return name;
}
