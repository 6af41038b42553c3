/* Texts in lines that are not too wide; see fold.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/fold.h"

#include <stdbool.h>
#include <string.h>

#include "base/columns.h"

glong fold_width(const char *text, gssize len)
{
  const char *end = text + (len < 0 ? (gssize)strlen(text) : len), *p = text;
  size_t width = 0;
  while (p < end) {
    const char *colour = memchr(p, '\033', (size_t)(end - p));
    width += columns_of(p, (size_t)((colour ? colour : end) - p));
    if (!colour) break;
    for (p = colour; p < end && !g_ascii_isalpha(*p);) p++;
    p += p < end; /* behind the letter that ends it */
  }
  return (glong)width;
}

void fold_words(GString *out, const char *text, int width, int indent)
{
  int column = indent;
  bool first = true;
  while (*text) {
    size_t n = strcspn(text, " \n");
    int word = (int)fold_width(text, (gssize)n);
    if (!first && column + 1 + word > width) {
      while (out->len && out->str[out->len - 1] == ' ') g_string_truncate(out, out->len - 1);
      g_string_append_printf(out, "\n%*s", indent, "");
      column = indent;
    } else if (!first && column > indent) {
      g_string_append_c(out, ' ');
      column++;
    }
    g_string_append_len(out, text, (gssize)n);
    column += word;
    text += n;
    first = false;
    if (*text == '\n') {
      g_string_append_printf(out, "\n%*s", indent, "");
      column = indent;
    }
    if (*text) text++;
  }
  g_string_append_c(out, '\n');
}

/* Where the last column of a line begins: behind its last gap of two blanks; 0: it has none. */
static size_t last_column(const char *line)
{
  size_t begin = 0, i = strspn(line, " ");
  for (; line[i]; i++)
    if (line[i] != ' ' && i > 1 && line[i - 1] == ' ' && line[i - 2] == ' ') begin = i;
  return begin;
}

static bool is_typed(const char *line)
{
  static const char *const marks[] = { "next: ", "      stagemill ", "  stagemill ", NULL };
  for (const char *const *m = marks; *m; m++)
    if (g_str_has_prefix(line, *m)) return !strstr(line + strlen(*m), "    ");
  return false;
}

static void fold_line(GString *out, const char *line, int width)
{
  size_t begin = last_column(line), blanks = strspn(line, " ");
  glong before = fold_width(line, (gssize)begin);
  if (!begin || before > width / 2) {
    begin = blanks;
    before = (glong)blanks;
    g_string_append_len(out, line, (gssize)begin);
    fold_words(out, line + begin, width, (int)MIN(before + 2, width / 2));
    return;
  }
  g_string_append_len(out, line, (gssize)begin);
  fold_words(out, line + begin, width, (int)before);
}

void fold_lines(GString *text, int width)
{
  g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
  g_string_truncate(text, 0);
  for (char **line = lines; *line; line++) {
    bool last = !line[1];
    if (fold_width(*line, -1) > width && !is_typed(*line)) {
      fold_line(text, *line, width);
      if (last) g_string_truncate(text, text->len - 1);
    } else {
      g_string_append_printf(text, "%s%s", *line, last ? "" : "\n");
    }
  }
}
