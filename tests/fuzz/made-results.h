/* Results with any values, texts, groups and names of lanes, as a sink may get. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_MADE_RESULTS_H
#define FUZZ_MADE_RESULTS_H

#include "../unit/fake-host.h"
#include "bytes.h"

enum { MADE_ROWS = 6, MADE_METRICS = 4, MADE_NOTICES = 3, MADE_FIGURES = 2, MADE_TEXTS = 96 };

typedef struct MadeResults {
  FakeResults fake;
  FakeTable tables[2];
  MillValue cells[2][MADE_ROWS * 5];
  FakeMetric metrics[MADE_METRICS];
  MillNotice rows[MADE_NOTICES];
  FakeNotice notices[MADE_NOTICES];
  MillFigure declared[MADE_FIGURES];
  MillFigureResult figures[MADE_FIGURES];
  GPtrArray *texts; /* GString, as long as the results */
} MadeResults;

static const FakeColumn made_columns[] = {
  { { "rank", NULL, MILL_INT, MILL_COLUMN_KEY, "Rank" } },
  { { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, "A \"text\"" } },
  { { "total", "ns", MILL_INT, MILL_COLUMN_BRIEF, NULL } },
  { { "share", "percent", MILL_REAL, MILL_COLUMN_BRIEF, NULL } },
  { { "odd", NULL, MILL_BOOL, MILL_COLUMN_BRIEF, NULL } },
};

static const MillTable made_tables[] = {
  { MILL_PER_RUN, 5, "a-table", "Of the run", NULL, FAKE_COLUMNS(made_columns) },
  { MILL_PER_LANE, 3, "other", NULL, "-total", FAKE_COLUMNS(made_columns) },
};

static const MillMetric made_metrics[] = {
  { .kind = MILL_REAL, .name = "real", .unit = "percent", .stats = "mean,p50", .help = "A real" },
  { .kind = MILL_INT, .better = MILL_LOWER, .name = "whole", .unit = "ns" },
  { .kind = MILL_JSON, .name = "object", .per = MILL_PER_LANE },
};

static inline const GString *made_kept(MadeResults *r, Bytes *b, bool nuls)
{
  g_assert(r->texts->len < MADE_TEXTS);
  g_ptr_array_add(r->texts, bytes_text(b, 70, nuls));
  return r->texts->pdata[r->texts->len - 1];
}

static inline MillValue made_cell(MadeResults *r, FakeHost *f, Bytes *b, uint32_t type)
{
  MillValue v = { .type = bytes_pick(b, 6) ? type : MILL_NONE };
  if (v.type == MILL_INT) v.u.i = bytes_int(b);
  if (v.type == MILL_BOOL) v.u.i = bytes_pick(b, 2);
  if (v.type == MILL_REAL) v.u.r = bytes_real(b);
  if (v.type == MILL_JSON) v = mill_text("{\"a\":[1,null]}", 14);
  if (type == MILL_JSON && v.type == MILL_TEXT) v.type = MILL_JSON;
  if (v.type != MILL_TEXT) return v;
  const GString *text = made_kept(r, b, true);
  v.len = (uint32_t)text->len;
  v.u.text = text->str;
  if (bytes_pick(b, 2)) return v;
  return (MillValue){ .type = MILL_SYM,
                      .u.sym = f->common.intern(&f->common, text->str, text->len) };
}

static inline void made_table(MadeResults *r, FakeHost *f, Bytes *b, uint32_t index)
{
  FakeTable *t = &r->tables[index];
  MillValue *cells = r->cells[index];
  *t = (FakeTable){ &made_tables[index], made_tables[index].name, FAKE_COLUMNS(made_columns), cells,
                    bytes_pick(b, MADE_ROWS + 1) };
  for (uint64_t row = 0; row < t->n_rows; row++)
    for (size_t k = 0; k < G_N_ELEMENTS(made_columns); k++)
      *cells++ = made_cell(r, f, b, made_columns[k].column.type);
}

static inline void made_metric(MadeResults *r, FakeHost *f, Bytes *b, uint32_t index)
{
  static const char *const groups[] = { NULL, "model=a\nrate=1", "a=\\n\\\\x", "t\\=t=", "empty=" };
  const MillMetric *m = &made_metrics[bytes_pick(b, G_N_ELEMENTS(made_metrics))];
  MillValue value = made_cell(r, f, b, m->kind);
  bool of_run = m->per == MILL_PER_RUN;
  r->metrics[index] = (FakeMetric){
    .metric = m,
    .stat = m->stats && bytes_pick(b, 2) ? "p50" : NULL,
    .value = value,
    .n = (uint64_t)bytes_int(b) & INT64_MAX,
    .lane = of_run || !f->n_lanes ? MILL_NO_LANE : bytes_pick(b, f->n_lanes),
    .reason = value.type == MILL_NONE ? made_kept(r, b, false)->str : NULL,
    .group = of_run ? groups[bytes_pick(b, G_N_ELEMENTS(groups))] : NULL,
  };
}

static inline void made_notice(MadeResults *r, Bytes *b, uint32_t index)
{
  r->rows[index] = (MillNotice){ .number = index + 1,
                                 .level = MILL_LEVEL_WARNING + bytes_pick(b, 2),
                                 .what = made_kept(r, b, false)->str,
                                 .effect = bytes_pick(b, 2) ? made_kept(r, b, false)->str : NULL,
                                 .help = bytes_pick(b, 2) ? made_kept(r, b, false)->str : NULL };
  r->notices[index] = (FakeNotice){ &r->rows[index], "FUZ-01", 1 + bytes_pick(b, 200) };
}

/* Of the first table: any kind, of any columns. */
static inline void made_figure(MadeResults *r, Bytes *b, uint32_t index)
{
  static const char *const columns[] = { "rank", "name", "total", "share", "odd", NULL };
  MillFigure *f = &r->declared[index];
  *f = (MillFigure){ .kind = 1 + bytes_pick(b, MILL_FIGURE_HISTOGRAM),
                     .name = index ? "second" : "first",
                     .title = made_kept(r, b, false)->str,
                     .table = made_tables[0].name,
                     .x = columns[bytes_pick(b, 5)],
                     .y = columns[bytes_pick(b, 6)],
                     .series = columns[bytes_pick(b, 6)],
                     .annotation = columns[bytes_pick(b, 6)],
                     .value = columns[bytes_pick(b, 6)],
                     .pages = bytes_pick(b, 4) ? NULL : "name" };
  r->figures[index] =
      (MillFigureResult){ .size = sizeof(MillFigureResult), .figure = f, .name = f->name };
}

static inline void made_free_text(gpointer text) { g_string_free(text, TRUE); }

static inline void made_results_init(MadeResults *r, FakeHost *f, Bytes *b)
{
  static const char *const words[] = { "program", "stagemill", "version", "1.0",
                                       "profile", "p",         NULL };
  memset(r, 0, sizeof *r);
  r->texts = g_ptr_array_new_with_free_func(made_free_text);
  MillResults *v = &r->fake.results;
  v->n_tables = bytes_pick(b, G_N_ELEMENTS(made_tables) + 1);
  v->n_metrics = bytes_pick(b, MADE_METRICS + 1);
  v->n_notices = bytes_pick(b, MADE_NOTICES + 1);
  v->n_figures = v->n_tables ? bytes_pick(b, MADE_FIGURES + 1) : 0;
  for (uint32_t i = 0; i < v->n_tables; i++) made_table(r, f, b, i);
  for (uint32_t i = 0; i < v->n_metrics; i++) made_metric(r, f, b, i);
  for (uint32_t i = 0; i < v->n_notices; i++) made_notice(r, b, i);
  for (uint32_t i = 0; i < v->n_figures; i++) made_figure(r, b, i);
  r->fake.figures = r->figures;
  r->fake.tables = r->tables;
  r->fake.metrics = r->metrics;
  r->fake.notices = r->notices;
  r->fake.info = words;
  fake_results_init(&r->fake);
}

static inline void made_results_clear(MadeResults *r) { g_ptr_array_free(r->texts, TRUE); }

#endif
