/* A result in two lines; see first-lines.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/first-lines.h"

#include <string.h>

#include "base/standard.h"
#include "cmd/cli.h"
#include "cmd/screen.h"

#define INDENT "  "

/* The page, if one was written. */
static const char *file_to_open(const Output *written)
{
  g_autofree const char **names = output_names(written);
  for (const char **name = names; *name; name++)
    if (!strchr(*name, '/') && g_str_has_suffix(*name, ".html")) return *name;
  return summary_name(false);
}

static char *last_headline(const char *summary)
{
  const char *begin = strstr(summary, "\n\n");
  begin = begin ? begin + 2 : summary;
  const char *end = strstr(begin, "\n\n");
  size_t len = end ? (size_t)(end - begin) : strlen(begin);
  g_autofree char *block = g_strchomp(g_strndup(begin, len));
  const char *line = strrchr(block, '\n');
  return g_strstrip(g_strdup(line ? line + 1 : block));
}

static char *found_first(const MillResults *r, const char *summary)
{
  MillFindingResult finding = { .size = sizeof finding };
  const char *verdict = r->info(r, "verdict");
  if (r->finding(r, 0, &finding))
    return g_strdup_printf("%.0f %% %s", finding.share, finding.text);
  return verdict ? g_strdup(verdict) : last_headline(summary);
}

static void put_cut(GString *out, const char *text)
{
  glong room = cli_width(standard_out()) - (glong)strlen(INDENT), len = g_utf8_strlen(text, -1);
  if (len <= room) {
    g_string_append_printf(out, INDENT "%s\n", text);
    return;
  }
  g_autofree char *part = g_utf8_substring(text, 0, MAX(room - 1, 1));
  g_string_append_printf(out, INDENT "%s…\n", g_strchomp(part));
}

void first_lines_put(const char *folder, const Output *written, const MillResults *r,
                     const char *summary, GString *out)
{
  g_autofree char *first = found_first(r, summary), *safe = g_utf8_make_valid(first, -1);
  g_autofree char *path = g_build_filename(folder, file_to_open(written), NULL);
  cli_append_name(out, path);
  g_string_append_c(out, '\n');
  put_cut(out, safe);
}
