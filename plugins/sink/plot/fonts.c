/* Characters of the installed fonts; see fonts.h. */
#include "fonts.h"

#include <string.h>

enum {
  PLANES_END = 0x110000,
  CERTAIN_END = 0x250,
  GREEK = 0x386,
  CYRILLIC_END = 0x460,
  BOX = 0x25a1
};

struct Fonts {
  guint8 bits[PLANES_END / 8];
};

static bool is_certain(gunichar c)
{
  return c < CERTAIN_END || (c >= GREEK && c < CYRILLIC_END) || c == BOX || c == 0x2026;
}

static void add_range(Fonts *f, guint64 first, guint64 last)
{
  for (guint64 c = first; c <= last && c < PLANES_END; c++) f->bits[c / 8] |= (guint8)(1u << c % 8);
}

/* "a0-1a9" or "1c0"; what is something else counts for nothing. */
static void add_word(Fonts *f, const char *word)
{
  char *end;
  if (!g_ascii_isxdigit(*word)) return;
  guint64 first = g_ascii_strtoull(word, &end, 16), last = first;
  if (*end == '-' && g_ascii_isxdigit(end[1])) last = g_ascii_strtoull(end + 1, &end, 16);
  if (!*end && first <= last) add_range(f, first, last);
}

Fonts *fonts_new(const char *lists, gsize len)
{
  Fonts *f = g_new0(Fonts, 1);
  g_autofree char *text = len ? g_strndup(lists, len) : g_strdup("");
  g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
  for (char **word = words; *word; word++) add_word(f, *word);
  return f;
}

void fonts_free(Fonts *f) { g_free(f); }

bool fonts_have(const Fonts *f, gunichar c)
{
  return is_certain(c) || (c < PLANES_END && f->bits[c / 8] >> c % 8 & 1);
}

bool fonts_matter(const char *text)
{
  for (; *text; text = g_utf8_next_char(text))
    if (!is_certain(g_utf8_get_char(text))) return true;
  return false;
}
