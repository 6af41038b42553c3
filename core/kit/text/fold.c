/* Names without their numbers; see fold.h. */
#include "kit/text/fold.h"

#include "base/num-digits.h"
#include "kit/state/grow.h"

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
  if (name < names->n && names->folded[name]) return names->folded[name];
  size_t len;
  const char *text = common->symbol_text(common, name, &len);
  char *to = common->scratch(common, 2 * len + 1);
  if (!to || !array_reserve_at(common, &names->folded, &names->n, name, sizeof *names->folded))
    return name;
  return names->folded[name] = common->intern(common, to, fold(text, len, to));
}
