/* Counts and names in their one form; see normalise-text.h. */
/* SPDX-License-Identifier: MIT */
#include "normalise-text.h"

#include <math.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/text/words.h"

/* ---- counts */

/* 0o17 and 0b101. */
static bool read_prefixed(const char *text, size_t len, int64_t *out)
{
  uint64_t v = 0;
  if (len < 3 || text[0] != '0') return false;
  unsigned base = (text[1] | 0x20) == 'o' ? 8 : (text[1] | 0x20) == 'b' ? 2 : 0;
  if (!base || digits_scan(text + 2, text + len, base, INT64_MAX, &v) != text + len) return false;
  *out = (int64_t)v;
  return true;
}

bool count_read(const MillBatch *b, const MillAttr *a, int64_t *out)
{
  size_t len;
  uint32_t type = a->type & MILL_ATTR_TYPE;
  if (type == MILL_INT) *out = a->u.i;
  if (type == MILL_INT) return true;
  if (type == MILL_REAL) {
    if (a->u.r != floor(a->u.r) || fabs(a->u.r) >= 0x1p63) return false;
    *out = (int64_t)a->u.r;
    return true;
  }
  const char *text = mill_attr_text(b, a, &len);
  return text && (digits_read(text, len, out) || read_prefixed(text, len, out));
}

/* ---- names */

/* Every `from` of the text becomes the shorter or equally long `to`, in place; the new length. */
static size_t replace_all(char *text, size_t len, const char *from, const char *to)
{
  size_t n_from = strlen(from), n_to = strlen(to), out = 0;
  for (size_t at = 0; at < len;) {
    if (len - at >= n_from && memcmp(text + at, from, n_from) == 0) {
      memcpy(text + out, to, n_to);
      out += n_to;
      at += n_from;
    } else {
      text[out++] = text[at++];
    }
  }
  return out;
}

static MillSym spell(const MillHost *common, MillSym name)
{
  size_t len;
  const char *text = common->symbol_text(common, name, &len);
  if (!words_have(text, len, "RDMA") && !words_have(text, len, "Receive")) return name;
  char *copy = common->scratch(common, len);
  if (!copy) return name;
  memcpy(copy, text, len);
  len = replace_all(copy, len, "RDMA", "Rdma");
  len = replace_all(copy, len, "Receive", "Recv");
  return common->intern(common, copy, len);
}

MillSym name_spelled(SymMap *map, const MillHost *common, MillSym name)
{
  MillSym spelled;
  if (symmap_get(map, name, &spelled)) return spelled;
  spelled = spell(common, name);
  symmap_put(common, map, name, spelled);
  return spelled;
}

/* ---- jobs */

MillSym normalised_job(const MillHost *common, const char *file)
{
  size_t len = strlen(file);
  char *text = common->scratch(common, len + 3);
  if (!text) return 0;
  memcpy(text, file, len);
  memcpy(text + len, "(0)", 3);
  return common->intern(common, text, len + 3);
}
