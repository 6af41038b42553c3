/* Names without their numbers; see fold.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/fold.h"

#include "base/num-digits.h"

/* Writes at most twice as many bytes as it reads: two or more become four. */
static size_t fold(const char *text, size_t len, char *to)
{
  size_t n = 0;
  for (size_t i = 0; i < len;) {
    bool number = (text[i] == '_' || text[i] == '-') && i + 1 < len && is_digit(text[i + 1]);
    if (!number) {
      to[n++] = text[i++];
      continue;
    }
    memcpy(to + n, "_[N]", 4);
    n += 4;
    for (i++; i < len && is_digit(text[i]); i++) continue;
  }
  return n;
}

MillSym fold_name(FoldedNames *names, MillSym name)
{
  const MillHost *common = names->common;
  MillSym folded;
  if (symmap_get(&names->folded, name, &folded)) return folded;
  size_t len;
  const char *text = common->symbol_text(common, name, &len);
  char *to = common->scratch(common, 2 * len + 1);
  if (!to) return name;
  folded = common->intern(common, to, fold(text, len, to));
  symmap_put(common, &names->folded, name, folded);
  return folded;
}
