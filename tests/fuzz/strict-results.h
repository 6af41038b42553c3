/* Strict looks at workbooks, databases, metrics and Markdown, sharing no code with the sinks that write them. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_STRICT_RESULTS_H
#define FUZZ_STRICT_RESULTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "../unit/zip-parts.h"

/* Whole, and well-formed XML; formulas have elements of their own, which are not written. */
static inline void strict_element(GMarkupParseContext *c, const gchar *name, const gchar **names,
                                  const gchar **values, gpointer data, GError **error)
{
  (void)c, (void)names, (void)values, (void)error;
  if (!strcmp(name, "f")) *(bool *)data = false;
}

static inline bool strict_xml(const char *text, size_t len)
{
  static const GMarkupParser parser = { .start_element = strict_element };
  bool good = true;
  GMarkupParseContext *c = g_markup_parse_context_new(&parser, 0, &good, NULL);
  good = g_markup_parse_context_parse(c, text, (gssize)len, NULL) &&
         g_markup_parse_context_end_parse(c, NULL) && good;
  g_markup_parse_context_free(c);
  return good;
}

static inline bool strict_xlsx(const char *file, size_t len)
{
  g_autoptr(GHashTable) parts = zip_parts(file, len);
  GHashTableIter at;
  gpointer text;
  if (!parts) return false;
  g_hash_table_iter_init(&at, parts);
  while (g_hash_table_iter_next(&at, NULL, &text))
    if (!strict_xml(text, strlen(text))) return false;
  return true;
}

static inline uint32_t strict_big_number(const uint8_t *p)
{
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* All rows of the picture, and no byte more. */
static inline bool strict_pixels(const uint8_t *head, const uint8_t *packed, size_t len)
{
  uLongf rows = strict_big_number(head + 4) * (3 * (uLongf)strict_big_number(head) + 1), n = rows;
  g_autofree uint8_t *pixels = g_malloc(rows);
  return uncompress(pixels, &n, packed, len) == Z_OK && n == rows;
}

/* Head, one piece of data, end; each with its sum. */
static inline bool strict_png(const char *file, size_t len)
{
  static const char *const kinds[] = { "IHDR", "IDAT", "IEND" };
  const uint8_t *at = (const uint8_t *)file + 8, *end = (const uint8_t *)file + len, *parts[3];
  size_t sizes[3];
  if (len < 57 || memcmp(file, "\x89PNG\r\n\x1a\n", 8) != 0) return false;
  for (int i = 0; i < 3; i++, at += sizes[i - 1] + 12) {
    if (end - at < 12) return false;
    sizes[i] = strict_big_number(at);
    parts[i] = at + 8;
    if (sizes[i] > (size_t)(end - at) - 12 || memcmp(at + 4, kinds[i], 4) != 0) return false;
    if (strict_big_number(parts[i] + sizes[i]) != crc32(0, at + 4, (uInt)sizes[i] + 4))
      return false;
  }
  return at == end && sizes[0] == 13 && strict_pixels(parts[0], parts[1], sizes[1]);
}

/* Whole pages, as many as its header says. */
static inline bool strict_sqlite(const char *file, size_t len)
{
  if (len < 4096 || memcmp(file, "SQLite format 3", 16) != 0) return false;
  const uint8_t *h = (const uint8_t *)file;
  uint32_t pages = (uint32_t)h[28] << 24 | (uint32_t)h[29] << 16 | (uint32_t)h[30] << 8 | h[31];
  return h[16] == 16 && h[17] == 0 && len == (size_t)pages * 4096;
}

/* NAME{label="value"} number; each line ends, the last one is # EOF. */
static inline bool strict_openmetrics(const char *text, size_t len)
{
  g_autoptr(GRegex) line = g_regex_new(
      "^(# (TYPE|UNIT|HELP) stagemill_[a-z0-9_]+ .*|"
      "stagemill_[a-z0-9_]+(\\{[a-zA-Z_][a-zA-Z0-9_]*=\"([^\"\\\\]|\\\\[\"\\\\n])*\""
      "(,[a-zA-Z_][a-zA-Z0-9_]*=\"([^\"\\\\]|\\\\[\"\\\\n])*\")*\\})? -?[0-9][0-9.e+-]*)$",
      G_REGEX_DOLLAR_ENDONLY | G_REGEX_DOTALL, 0, NULL);
  if (!g_str_has_suffix(text, "# EOF\n") || strlen(text) != len) return false;
  g_autofree char *body = g_strndup(text, len - strlen("# EOF\n"));
  g_auto(GStrv) lines = g_strsplit(body, "\n", -1);
  for (char **l = lines; *l; l++)
    if ((**l || l[1]) && !g_regex_match(line, *l, 0, NULL)) return false;
  return true;
}

static inline unsigned strict_bars(const char *line, size_t len)
{
  unsigned n = 0;
  for (size_t i = 0; i < len; i++) {
    if (line[i] == '\\')
      i++;
    else if (line[i] == '|')
      n++;
  }
  return n;
}

/* No HTML, no code; rows of a table have the cells of its header. */
static inline bool strict_markdown(const char *text)
{
  unsigned cells = 0;
  if (strchr(text, '<')) return false;
  while (*text) {
    size_t len = strcspn(text, "\n");
    unsigned bars = *text == '|' ? strict_bars(text, len) : 0;
    if (bars && cells && bars != cells) return false;
    if (!bars && strict_bars(text, len)) return false;
    for (size_t i = 0; i < len; i++)
      if (text[i] == '`' && (!i || text[i - 1] != '\\')) return false;
    cells = bars;
    text += len + (text[len] != 0);
  }
  return true;
}

#endif
