/* One description, three forms: plain text, Markdown, and the source of a man page. */
/* SPDX-License-Identifier: MIT */
#include "cmd/page.h"

#include <stdarg.h>
#include <string.h>

#include "cmd/cli.h"
#include "plan/paths.h"

enum { LONGEST_TERM = 16 };

/* ----------------------------------------------------------------- man pages */

/* A dot or an apostrophe at the start of a line is a request, a backslash always one. */
static void put_man(GString *out, const char *text)
{
  bool start = true;
  for (; *text; text++) {
    if (start && (*text == '.' || *text == '\'')) g_string_append(out, "\\&");
    if (*text == '\\')
      g_string_append(out, "\\e");
    else if (*text == '-')
      g_string_append(out, "\\-");
    else
      g_string_append_c(out, *text);
    start = *text == '\n';
  }
  g_string_append_c(out, '\n');
}

/* Without SOURCE_DATE_EPOCH there is no date, so that a build gives the same bytes every day. */
static char *page_date(void)
{
  const char *epoch = paths_env("SOURCE_DATE_EPOCH");
  gint64 seconds = epoch ? g_ascii_strtoll(epoch, NULL, 10) : -1;
  g_autoptr(GDateTime) date = seconds >= 0 ? g_date_time_new_from_unix_utc(seconds) : NULL;
  return date ? g_date_time_format(date, "%Y-%m-%d") : g_strdup("");
}

/* ------------------------------------------------------------------- Markdown */

/* Outside of code, characters that Markdown would take as its own. */
static void put_markdown(GString *out, const char *text)
{
  for (; *text; text++) {
    if (strchr("*_`<[", *text)) g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
}

/* -------------------------------------------------------------------- the parts */

void page_head(Page *p, const char *name, int section, const char *title)
{
  if (p->form == PAGE_MAN) {
    g_autofree char *upper = g_ascii_strup(name, -1), *date = page_date();
    g_string_append_printf(
        p->out, ".TH \"%s\" %d \"%s\" \"stagemill %s\" \"stagemill\"\n.nh\n.ad l\n.SH NAME\n",
        upper, section, date, STAGEMILL_VERSION);
    g_autofree char *line = g_strdup_printf("%s - %s", name, title);
    put_man(p->out, line);
    return;
  }
  g_string_append_printf(p->out, p->form == PAGE_MARKDOWN ? "# %s\n\n" : "%s - ", name);
  if (p->form == PAGE_MARKDOWN)
    put_markdown(p->out, title);
  else
    g_string_append(p->out, title);
  g_string_append(p->out, p->form == PAGE_MARKDOWN ? ".\n" : "\n");
}

void page_heading(Page *p, const char *text)
{
  if (p->form == PAGE_MAN) {
    g_autofree char *upper = g_ascii_strup(text, -1);
    g_string_append_printf(p->out, ".SH \"%s\"\n", upper);
  } else {
    g_string_append_printf(p->out, p->form == PAGE_MARKDOWN ? "\n## %s\n" : "\n%s\n", text);
  }
}

void page_text(Page *p, const char *text)
{
  switch (p->form) {
  case PAGE_MAN:
    g_string_append(p->out, ".PP\n");
    put_man(p->out, text);
    break;
  case PAGE_MARKDOWN:
    g_string_append_c(p->out, '\n');
    put_markdown(p->out, text);
    g_string_append_c(p->out, '\n');
    break;
  default: g_string_append(p->out, "  "); cli_wrap(p->out, text, 2);
  }
}

void page_code(Page *p, const char *text)
{
  switch (p->form) {
  case PAGE_MAN:
    g_string_append(p->out, ".PP\n.RS 4\n.nf\n");
    put_man(p->out, text);
    g_string_append(p->out, ".fi\n.RE\n");
    break;
  case PAGE_MARKDOWN: g_string_append_printf(p->out, "\n    %s\n", text); break;
  default: g_string_append_printf(p->out, "  %s\n", text);
  }
}

void page_item(Page *p, const char *term, const char *text)
{
  switch (p->form) {
  case PAGE_MAN:
    g_string_append(p->out, ".TP\n.B ");
    put_man(p->out, term);
    if (!*text) g_string_append(p->out, "\\&"); /* a line, though an empty one */
    put_man(p->out, text);
    break;
  case PAGE_MARKDOWN:
    g_string_append_printf(p->out, "\n- `%s`: ", term);
    put_markdown(p->out, text);
    break;
  default: cli_pair(p->out, term, text, LONGEST_TERM);
  }
}

void page_itemf(Page *p, const char *term, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  page_item(p, term, text);
}
