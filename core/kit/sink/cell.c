/* Cells for people; see cell.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/sink/cell.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"

bool cell_has_number(const MillValue *v, double *out)
{
  if (v->type == MILL_INT)
    *out = (double)v->u.i;
  else if (v->type == MILL_REAL && isfinite(v->u.r))
    *out = v->u.r;
  else
    return false;
  return true;
}

/* Characters that move the cursor or reorder what is shown. */
static bool harmful(gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || c == 0x061c ||
         c == 0x200e || c == 0x200f || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void escape(GString *out, const char *text, size_t len)
{
  const char *end = text + len;
  while (text < end) {
    gunichar c = g_utf8_get_char_validated(text, end - text);
    if (c == (gunichar)-1 || c == (gunichar)-2 || !c) {
      g_string_append_printf(out, "\\x%02x", (unsigned char)*text++);
      continue;
    }
    if (!harmful(c))
      g_string_append_unichar(out, c);
    else
      g_string_append_printf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    text = g_utf8_next_char(text);
  }
}

/* Long texts are cut first: what is shown depends on their ends only. */
void cell_text(GString *out, const char *text, size_t len, size_t max_width)
{
  const size_t most = 4 * max_width; /* bytes of so many characters */
  bool is_long = len > 2 * most;
  g_autoptr(GString) begin = g_string_new(NULL), last = g_string_new(NULL);
  escape(begin, text, is_long ? most : len);
  if (!is_long && columns_of(begin->str, begin->len) <= max_width) {
    g_string_append_len(out, begin->str, (gssize)begin->len);
    return;
  }
  if (is_long) escape(last, text + len - most, most);
  const GString *end = is_long ? last : begin;
  size_t tail = (max_width - 1) / 2, head = max_width - 1 - tail;
  g_string_append_len(out, begin->str, (gssize)columns_head(begin->str, begin->len, head));
  g_string_append(out, "…");
  g_string_append(out, end->str + end->len - columns_tail(end->str, end->len, tail));
}

void cell_wrap(GString *out, const char *text, size_t width, size_t indent)
{
  size_t used = strspn(text, " ");
  g_string_append_len(out, text, (gssize)used);
  text += used;
  for (bool first = true; *text; first = false) {
    size_t n = strcspn(text, " ");
    g_autofree char *word = g_strndup(text, n);
    size_t wide = cell_width(word);
    if (!first && used + 1 + wide > width) {
      g_string_append_printf(out, "\n%*s", (int)indent, "");
      used = indent;
    } else if (!first) {
      g_string_append_c(out, ' ');
      used++;
    }
    g_string_append(out, word);
    used += wide;
    text += n;
    text += strspn(text, " ");
  }
  g_string_append_c(out, '\n');
}

size_t cell_width(const char *text) { return columns_of(text, strlen(text)); }
