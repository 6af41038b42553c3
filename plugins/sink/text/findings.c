/* What rules found, before all else. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "block.h"
#include "kit/sink/cell.h"

enum { FINDINGS_MOST = 3, LINES_MOST = 2, INDENT = 6, ADVICE_INDENT = 11 };

/* The first lines of a text that was wrapped. */
static void cut_lines(GString *text, guint most)
{
  const char *end = text->str;
  for (guint i = 0; i < most && *end; i++) {
    const char *next = strchr(end, '\n');
    if (!next) return;
    end = next + 1;
  }
  if (!*end) return;
  g_string_truncate(text, (gsize)(end - 1 - text->str));
  g_string_append(text, "...\n");
}

static void wrap(GString *out, const char *text, const Extent *x, int indent)
{
  g_autoptr(GString) line = g_string_new(NULL);
  cell_text(line, text, strlen(text), 4 * x->width);
  cell_wrap(out, line->str, x->width - 3, indent);
}

static bool is_one_line(const GString *text)
{
  return strchr(text->str, '\n') == text->str + text->len - 1;
}

/* On a screen a finding has two lines: its advice is the second one where it fits. */
static void put_finding(GString *out, const MillFindingResult *f, const Extent *x)
{
  g_autofree char *text = g_strdup_printf("%3.0f %% %s", f->share, f->text);
  g_autofree char *advice = g_strdup_printf("      try: %s", f->advice);
  g_autoptr(GString) found = g_string_new(NULL), next = g_string_new(NULL);
  wrap(found, text, x, INDENT);
  wrap(next, advice, x, ADVICE_INDENT);
  if (x->is_screen) cut_lines(found, LINES_MOST);
  g_string_append(out, found->str);
  if (!x->is_screen || (is_one_line(found) && is_one_line(next))) g_string_append(out, next->str);
}

void block_findings(GString *out, const MillResults *r, const Extent *x)
{
  MillFindingResult f = { .size = sizeof f };
  const uint32_t most = x->is_screen ? FINDINGS_MOST : UINT32_MAX;
  if (!r->n_findings) return;
  g_string_append(out, "\nfindings, the most costly first; what they cost overlaps\n");
  for (uint32_t i = 0; i < r->n_findings && i < most; i++) {
    r->finding(r, i, &f);
    put_finding(out, &f, x);
  }
  if (r->n_findings > most)
    g_string_append_printf(out, "and %u more: stagemill metric --findings, or --rows all\n",
                           r->n_findings - most);
}
