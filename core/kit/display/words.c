/* Text in pictures; see words.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/words.h"

#include <math.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define BOX 0x25a1u

/* Hundredths of the size, of the characters from the blank on. */
static const guint8 widths[] = { 32,  40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34,
                                 64,  64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53,
                                 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
                                 60,  79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50,
                                 50,  61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61,
                                 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84 };

static double width_of(gunichar c)
{
  if (c >= ' ' && c - ' ' < G_N_ELEMENTS(widths)) return widths[c - ' '] / 100.0;
  if (g_unichar_iszerowidth(c)) return 0;
  return g_unichar_iswide(c) ? 1.0 : 0.66;
}

double words_width(const char *text, double size)
{
  double width = 0;
  for (; *text; text = g_utf8_next_char(text)) width += width_of(g_utf8_get_char(text));
  return width * size;
}

/* What moves or hides other text, too. */
static gunichar harmless(gunichar c)
{
  if (c == '\t' || c == '\n' || c == '\r') return ' ';
  switch (g_unichar_type(c)) {
  case G_UNICODE_CONTROL:
  case G_UNICODE_FORMAT:
  case G_UNICODE_UNASSIGNED:
  case G_UNICODE_PRIVATE_USE:
  case G_UNICODE_SURROGATE:
  case G_UNICODE_LINE_SEPARATOR:
  case G_UNICODE_PARAGRAPH_SEPARATOR: return BOX;
  default: return c;
  }
}

static char *ends_of(const char *text, glong n, glong keep)
{
  glong head = (keep + 1) / 2, tail = keep / 2;
  const char *rest = g_utf8_offset_to_pointer(text, n - tail);
  GString *out = g_string_new_len(text, g_utf8_offset_to_pointer(text, head) - text);
  g_string_append(out, ELLIPSIS);
  return g_string_free(g_string_append(out, rest), FALSE);
}

char *words_clean(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  glong n = g_utf8_strlen(valid, -1);
  g_autofree char *cut = n > WORDS_MOST ? ends_of(valid, n, WORDS_MOST - 1) : g_strdup(valid);
  GString *out = g_string_new(NULL);
  for (const char *c = cut; *c; c = g_utf8_next_char(c))
    g_string_append_unichar(out, harmless(g_utf8_get_char(c)));
  return g_string_free(out, FALSE);
}

char *words_cut(const char *text, double size, double width)
{
  glong n = g_utf8_strlen(text, -1);
  char *cut = g_strdup(text);
  double had = words_width(text, size);
  for (glong keep = had > width ? MIN(n - 1, (glong)(n * fmax(width, 0) / had) + 6) : 0;
       keep > 0 && words_width(cut, size) > width; keep--) {
    g_free(cut);
    cut = ends_of(text, n, keep);
  }
  return cut;
}
