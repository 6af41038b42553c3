/* What rules found, before all else. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "block.h"
#include "kit/sink/cell.h"

enum { FINDINGS_MOST = 3, LINES_MOST = 2, INDENT = 6 };

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

static void put_finding(GString *out, const MillFindingResult *f, const Extent *x)
{
  g_autoptr(GString) line = g_string_new(NULL), wrapped = g_string_new(NULL);
  g_string_printf(line, "%3.0f %% ", f->share);
  cell_text(line, f->text, strlen(f->text), 4 * x->width);
  cell_wrap(wrapped, line->str, x->width - 3, INDENT);
  if (x->is_screen) cut_lines(wrapped, LINES_MOST);
  g_string_append(out, wrapped->str);
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
