/* Results for tests of pictures, from tables written as text, and their pictures. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_PICTURE_MAKE_H
#define TESTS_UNIT_PICTURE_MAKE_H

#include <stdlib.h>

#include "base/hash.h"
#include "check.h"
#include "kit/picture/picture.h"
#include "results/results.h"

enum { MADE_COLUMNS = 16, MADE_TABLES = 4 };

typedef struct MadeTable {
  MillTable table;
  MillColumn columns[MADE_COLUMNS];
  uint32_t n_lead, n_columns;
  Sheet *sheet;
} MadeTable;

typedef struct Made {
  Results *results;
  MadeTable tables[MADE_TABLES];
  uint32_t n_tables;
  GPtrArray *texts; /* that tables keep */
  MillHost host;
} Made;

static inline void *made_resize(const MillHost *host, void *old, size_t bytes)
{
  (void)host;
  if (bytes) return g_realloc(old, bytes);
  g_free(old);
  return NULL;
}

static inline void made_open(Made *m)
{
  *m = (Made){ .results = results_new(), .texts = g_ptr_array_new_with_free_func(g_free) };
  m->host = (MillHost){ .size = sizeof m->host, .seed = hash_seed_fixed(), .resize = made_resize };
}

static inline void made_close(Made *m)
{
  results_free(m->results);
  g_ptr_array_unref(m->texts);
}

static inline char *made_keep(Made *m, const char *text)
{
  g_ptr_array_add(m->texts, g_strdup(text));
  return m->texts->pdata[m->texts->len - 1];
}

/* "*rank:int total:real:ns:key": a star before leading columns; type, unit and flag may be missing. */
static inline void made_column(Made *m, MadeTable *t, const char *text)
{
  static const char *const types[] = { "int", "real", "text", "bool" };
  static const uint32_t type_of[] = { MILL_INT, MILL_REAL, MILL_TEXT, MILL_BOOL };
  static const char *const flags[] = { "key", "lower", "higher" };
  static const uint32_t flag_of[] = { MILL_COLUMN_KEY, MILL_COLUMN_LOWER, MILL_COLUMN_HIGHER };
  g_auto(GStrv) parts = g_strsplit(text + (*text == '*'), ":", -1);
  guint n = g_strv_length(parts);
  MillColumn *c = &t->columns[t->n_columns++];
  *c = (MillColumn){ .name = made_keep(m, parts[0]), .type = MILL_TEXT, .help = "x" };
  for (guint i = 0; n > 1 && i < 4; i++)
    if (!strcmp(parts[1], types[i])) c->type = type_of[i];
  if (n > 2 && *parts[2]) c->unit = made_keep(m, parts[2]);
  for (guint i = 0; n > 3 && i < 3; i++)
    if (!strcmp(parts[3], flags[i])) c->flags = flag_of[i];
  t->n_lead += *text == '*';
}

static inline MadeTable *made_table(Made *m, const char *name, const char *columns)
{
  MadeTable *t = &m->tables[m->n_tables++];
  g_auto(GStrv) words = g_strsplit(columns, " ", -1);
  for (char **word = words; *word; word++) made_column(m, t, *word);
  t->table = (MillTable){ .name = made_keep(m, name), .help = "x" };
  t->table.columns =
      (MillColumnRows){ t->columns + t->n_lead, t->n_columns - t->n_lead, sizeof(MillColumn) };
  t->sheet = sheet_new(&t->table, g_strdup(name));
  for (uint32_t c = 0; c < t->n_lead; c++)
    sheet_add_lead(t->sheet, t->columns[c].name, t->columns[c].type, 0, "x");
  sheet_add_declared(t->sheet);
  return t;
}

static inline MillValue made_value(Made *m, uint32_t type, const char *text)
{
  if (!strcmp(text, "-")) return mill_none();
  if (type == MILL_INT) return mill_int(g_ascii_strtoll(text, NULL, 10));
  if (type == MILL_REAL) return mill_real(g_ascii_strtod(text, NULL));
  if (type == MILL_BOOL) return mill_bool(!strcmp(text, "yes"));
  const char *kept = made_keep(m, text);
  return mill_text(kept, strlen(kept));
}

/* Cells with a bar between; "-" is an empty one. */
static inline void made_row(Made *m, MadeTable *t, const char *text)
{
  g_auto(GStrv) cells = g_strsplit(text, "|", -1);
  MillValue values[MADE_COLUMNS] = { 0 };
  for (uint32_t c = 0; c < t->n_columns && cells[c]; c++)
    values[c] = made_value(m, t->columns[c].type, cells[c]);
  MillValue *row = sheet_add_row(t->sheet, values + t->n_lead);
  memcpy(row, values, t->n_lead * sizeof *row);
}

/* Rows with a blank or a line between: "a|1 b|2". */
static inline void made_rows(Made *m, MadeTable *t, const char *text)
{
  g_auto(GStrv) rows = g_strsplit_set(text, " \n", -1);
  for (char **row = rows; *row; row++)
    if (**row) made_row(m, t, *row);
}

static inline void made_end(Made *m, MadeTable *t)
{
  results_add_sheet(m->results, t->sheet);
  (void)t;
}

/* A table with all its rows. */
static inline void made_all(Made *m, const char *name, const char *columns, const char *rows)
{
  MadeTable *t = made_table(m, name, columns);
  made_rows(m, t, rows);
  made_end(m, t);
}

static inline void made_figure(Made *m, const MillFigure *f)
{
  results_add_figure(m->results, f, g_strdup(f->name), f->table);
}

static inline GPtrArray *made_sets(Made *m)
{
  return picture_sets(&m->host, results_view(m->results));
}

/* The only picture of figure i; NULL, with a failed check, when there are none or several. */
static inline const Picture *made_picture(const GPtrArray *sets, guint i)
{
  const PictureSet *set = sets->pdata[i];
  if (!CHECK_INT(set->pictures->len, 1)) {
    if (set->reason) CHECK_ROW(set->reason);
    return NULL;
  }
  return set->pictures->pdata[0];
}

static inline const PicturePanel *made_panel(const Picture *p, guint i)
{
  return p && CHECK(i < p->panels->len) ? p->panels->pdata[i] : NULL;
}

static inline const PictureSeries *made_series(const PicturePanel *p, guint i)
{
  return p && CHECK(i < p->series->len) ? p->series->pdata[i] : NULL;
}

/* One figure "f" of one table "t", drawn. */
typedef struct Case {
  Made made;
  MillFigure figures[2];
  GPtrArray *sets;
  const Picture *picture;
  const PicturePanel *panel;
} Case;

static inline const PicturePanel *case_draw(Case *c, const char *columns, const char *rows,
                                            MillFigure f)
{
  c->figures[0] = f;
  c->figures[0].name = "f";
  c->figures[0].table = "t";
  made_open(&c->made);
  made_all(&c->made, "t", columns, rows);
  made_figure(&c->made, &c->figures[0]);
  c->sets = made_sets(&c->made);
  c->picture = made_picture(c->sets, 0);
  return c->panel = made_panel(c->picture, 0);
}

static inline void case_end(Case *c)
{
  g_ptr_array_unref(c->sets);
  made_close(&c->made);
}

/* "1 2.5 -": three digits each. */
static inline char *made_numbers(const PictureNumbers *n)
{
  if (!n) return g_strdup("none");
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < n->len; i++) {
    double v = g_array_index(n, double, i);
    if (v != v)
      g_string_append_printf(out, "%s-", i ? " " : "");
    else
      g_string_append_printf(out, "%s%.6g", i ? " " : "", v);
  }
  return g_string_free(out, FALSE);
}

static inline bool made_check(const PictureNumbers *n, const char *wanted, const char *file,
                              int line)
{
  g_autofree char *got = made_numbers(n);
  return check_str(got, wanted, "numbers", file, line);
}
#define CHECK_NUMBERS(n, wanted) made_check((n), (wanted), __FILE__, __LINE__)

/* "a|b|c" */
static inline bool made_check_names(const GPtrArray *names, const char *wanted, const char *file,
                                    int line)
{
  g_autoptr(GString) got = g_string_new(NULL);
  for (guint i = 0; names && i < names->len; i++)
    g_string_append_printf(got, "%s%s", i ? "|" : "", (char *)names->pdata[i]);
  return check_str(got->str, wanted, "names", file, line);
}
#define CHECK_NAMES(names, wanted) made_check_names((names), (wanted), __FILE__, __LINE__)

#endif
