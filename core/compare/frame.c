/* What is compared of one run; see frame.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/frame.h"

#include <string.h>

#include "base/tag-text.h"

uint32_t frame_find_table(const MillResults *results, const char *name)
{
  MillTableResult t = { .size = sizeof t };
  for (uint32_t i = 0; results->table(results, i, &t); i++)
    if (!strcmp(t.name, name)) return i;
  return UINT32_MAX;
}

uint32_t frame_column(const Frame *f, const char *name)
{
  for (uint32_t c = 0; c < f->n_columns; c++)
    if (!strcmp(f->columns[c]->name, name)) return c;
  return UINT32_MAX;
}

static Frame *frame_new(MillColumnRows columns, uint32_t n_rows, const char *order)
{
  Frame *f = g_new0(Frame, 1);
  const MillColumn **list = g_new(const MillColumn *, columns.n + 1);
  for (uint32_t c = 0; c < columns.n; c++) list[c] = MILL_AT(MillColumn, columns, c);
  *f = (Frame){ .n_columns = columns.n,
                .n_rows = n_rows,
                .columns = list,
                .rows = g_new(const MillValue *, (gsize)n_rows + 1),
                .order = order };
  return f;
}

Frame *frame_of_table(const MillResults *results, uint32_t table)
{
  MillTableResult t = { .size = sizeof t };
  results->table(results, table, &t);
  Frame *f = frame_new(t.columns, (uint32_t)t.n_rows, t.table->order);
  f->n_lead = t.columns.n - MIN(t.table->columns.n, t.columns.n);
  const MillValue **rows = (const MillValue **)(gpointer)f->rows;
  for (uint32_t row = 0; row < f->n_rows; row++) rows[row] = results->row(results, table, row);
  return f;
}

Frame *frame_empty(const Frame *like)
{
  Frame *f = g_new0(Frame, 1);
  *f = *like;
  f->n_rows = 0;
  f->rows = NULL;
  f->columns = g_memdup2(like->columns, like->n_columns * sizeof(MillColumn *));
  return f;
}

void frame_free(Frame *f)
{
  if (!f) return;
  g_free((gpointer)f->rows);
  g_free((gpointer)f->columns);
  g_free(f);
}

/* ----------------------------------------------------------------- metrics */

static const MillColumn metric_columns[FRAME_N_COLUMNS] = {
  [FRAME_METRIC] = { "metric", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Name of the metric" },
  [FRAME_STAT] = { "stat", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Statistic" },
  [FRAME_RANK] = { "rank", NULL, MILL_INT, MILL_COLUMN_KEY, "Rank of the input" },
  [FRAME_LABEL] = { "label", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Label of the input" },
  [FRAME_GROUP] = { "group", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Tags by which it is grouped" },
  [FRAME_UNIT] = { "unit", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Unit of the values" },
  [FRAME_INPUT] = { "input", NULL, MILL_TEXT, MILL_COLUMN_KEY, "Name of the input" },
  [FRAME_VALUE] = { "value", NULL, MILL_REAL, 0, "Value" },
  [FRAME_OBJECT] = { "object", NULL, MILL_TEXT, 0, "Value that is not a number" },
  [FRAME_BETTER] = { "better", NULL, MILL_INT, 0, "Which is better" },
  [FRAME_REASON] = { "reason", NULL, MILL_TEXT, 0, "Why there is no value" },
  [FRAME_HEADLINE] = { "headline", NULL, MILL_INT, 0, "Whether compare judges runs by it" },
};

char *frame_group_text(const char *group)
{
  GString *text = g_string_new(NULL);
  char *tag, *value;
  while (tag_text_next(&group, &tag, &value)) {
    g_string_append_printf(text, "%s%s=%s", text->len ? ", " : "", tag, value);
    g_free(tag);
    g_free(value);
  }
  return g_string_free(text, FALSE);
}

static MillValue text_or_none(const char *text)
{
  return text && *text ? mill_text(text, strlen(text)) : mill_none();
}

static void fill_lane(const Results *results, uint32_t lane, MillValue *cells)
{
  const LaneInfo *info = lane == MILL_NO_LANE ? NULL : results_lane(results, lane);
  if (!info) return;
  cells[FRAME_RANK] = info->rank >= 0 ? mill_int(info->rank) : mill_none();
  cells[FRAME_LABEL] = text_or_none(info->label);
  cells[FRAME_INPUT] = text_or_none(info->name);
}

static void fill_value(const MillMetricResult *m, MillValue *cells)
{
  uint32_t type = m->reason ? MILL_NONE : m->value.type;
  if (type == MILL_INT || type == MILL_REAL)
    cells[FRAME_VALUE] = m->value;
  else if (type == MILL_JSON)
    cells[FRAME_OBJECT] = mill_text(m->value.u.text, m->value.len);
  else
    cells[FRAME_REASON] = text_or_none(m->reason ? m->reason : "not applicable");
}

Frame *frame_of_metrics(const Results *results, const MillResults *view, Results *keep)
{
  static const MillColumnRows columns = { metric_columns, FRAME_N_COLUMNS, sizeof(MillColumn) };
  Frame *f = frame_new(columns, view->n_metrics, NULL);
  const MillValue **rows = (const MillValue **)(gpointer)f->rows;
  MillMetricResult m = { .size = sizeof m };
  for (uint32_t i = 0; view->metric(view, i, &m); i++) {
    MillValue *cells = results_alloc(keep, FRAME_N_COLUMNS * sizeof *cells);
    g_autofree char *group = frame_group_text(m.group);
    rows[i] = cells;
    cells[FRAME_METRIC] = text_or_none(m.name);
    cells[FRAME_STAT] = text_or_none(m.stat);
    cells[FRAME_GROUP] = text_or_none(results_text(keep, group, strlen(group)));
    cells[FRAME_UNIT] = text_or_none(!strcmp(m.stat, "n") ? "count" : m.metric->unit);
    cells[FRAME_BETTER] = mill_int(m.metric->better);
    cells[FRAME_HEADLINE] = mill_int(metric_is_headline(m.metric, m.stat));
    fill_lane(results, m.lane, cells);
    fill_value(&m, cells);
  }
  return f;
}
