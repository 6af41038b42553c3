/* Findings of rules that came, went, grew or shrank: sentences and a table; see parts.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compare/found.h"
#include "compare/parts.h"

enum { MOST_SENTENCES = 10 };
#define BRIEF MILL_COLUMN_BRIEF

static const MillColumn own_columns[] = {
  { "finding", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF, "Name of the rule that found it" },
  { "where", NULL, MILL_TEXT, MILL_COLUMN_KEY | BRIEF, "Rank, step, kernel and the like" },
  { "base_percent", NULL, MILL_REAL, BRIEF, "Share in the base: the median of its runs" },
  { "new_percent", NULL, MILL_REAL, BRIEF, "Share in the other side: the median of its runs" },
  { "what", NULL, MILL_TEXT, BRIEF, "came, went, grew, shrank or same" },
  { "text", NULL, MILL_TEXT, 0, "What the rule says of it" },
};

static void put_share(GString *out, const char *before, double share)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf(out, "%s%s %%", before, g_ascii_formatd(text, sizeof text, "%.1f", share));
}

/* finding straggler (rank 2) grew: from 12.0 % to 35.1 % */
static void say(Writing *w, const Compared *of, const FoundChange *c, const char *place)
{
  g_autoptr(GString) text = g_string_new("finding ");
  const Measure *m = &c->measure;
  g_string_append_printf(text, "%s%s%s%s %s:", c->name, *place ? " (" : "", place,
                         *place ? ")" : "", found_word(m));
  if (m->verdict == COMPARE_APPEARED) {
    put_share(text, " ", m->changed);
  } else if (m->verdict == COMPARE_VANISHED) {
    put_share(text, " was ", m->base);
  } else {
    put_share(text, " from ", m->base);
    put_share(text, " to ", m->changed);
  }
  compare_say(w, of, text->str);
}

static void add_row(const Writing *w, Sheet *s, const Compared *of, const FoundChange *c,
                    const char *place)
{
  MillValue *out = sheet_add_cells(s);
  if (w->n_sides > 2) *out++ = compare_text(of->side);
  *out++ = compare_text(results_text(w->out, c->name, strlen(c->name)));
  *out++ = compare_text(results_text(w->out, place, strlen(place)));
  *out++ = compare_number(c->measure.base);
  *out++ = compare_number(c->measure.changed);
  *out++ = compare_text(found_word(&c->measure));
  *out++ = compare_text(results_text(w->out, c->text, strlen(c->text)));
}

static Sheet *new_sheet(const Writing *w)
{
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(MillColumn));
  if (w->n_sides > 2) g_array_append_val(columns, compare_side_column);
  g_array_append_vals(columns, own_columns, G_N_ELEMENTS(own_columns));
  return compare_sheet(w->out, "findings-changes", "What rules found on one side, or more of it",
                       10, columns);
}

static void write_side(Writing *w, Sheet *s, const Compared *of, const CompareSide *other)
{
  Meter *meter = meter_new(w->options->min_change, w->options->confidence,
                           w->sides[0].runs->len + other->runs->len);
  g_autoptr(GArray) list = found_compare(&w->sides[0], other, meter);
  meter_free(meter);
  for (guint i = 0, n = 0; i < list->len; i++) {
    const FoundChange *c = &g_array_index(list, FoundChange, i);
    const bool same = c->measure.verdict <= COMPARE_NEUTRAL;
    g_autofree char *place = found_place(c->where);
    if (!same && n++ < MOST_SENTENCES) say(w, of, c, place);
    if (!same || w->options->all) add_row(w, s, of, c, place);
  }
}

Sheet *compare_found_sheet(Writing *w, const GPtrArray *metrics)
{
  Sheet *s = new_sheet(w);
  for (guint i = 0; i < metrics->len; i++) write_side(w, s, metrics->pdata[i], &w->sides[i + 1]);
  if (s->rows->len) return s;
  sheet_free(s);
  return NULL;
}
