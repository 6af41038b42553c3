/* The xlsx sink: results.xlsx, a workbook with the metrics and a sheet for each table.
 *
 * Written piece by piece through the host: a library would write files of its own, whose failures nobody sees. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/tag-text.h"
#include "book.h"
#include "xml.h"
#include "kit/sink/result.h"
#include "kit/sink/results-sink.h"

typedef struct Sheet {
  Book *book;
  GString *out; /* the part's text */
  CellPlace at;
} Sheet;

/* ------------------------------------------------------------------- cells */

static void put_text(Sheet *s, const char *text, size_t len)
{
  if (xml_put_text(s->out, &s->at, text, len)) s->book->n_cut++;
}

static void put_value(Sheet *s, const MillValue *v)
{
  size_t len;
  const char *text = result_text(s->book->host->common, v, &len);
  if (text)
    put_text(s, text, len);
  else if (v->type == MILL_INT)
    xml_put_int(s->out, &s->at, v->u.i);
  else if (v->type == MILL_BOOL)
    xml_put_bool(s->out, &s->at, v->u.i != 0);
  else if (v->type == MILL_REAL && isfinite(v->u.r))
    xml_put_real(s->out, &s->at, v->u.r);
}

static void next_text(Sheet *s, const char *text)
{
  if (text && *text) put_text(s, text, strlen(text));
  s->at.column++;
}

static void begin_row(Sheet *s)
{
  s->at.row++;
  s->at.column = 0;
  g_string_append_printf(s->out, "<row r=\"%" G_GUINT64_FORMAT "\">", s->at.row);
}

static int end_row(Sheet *s)
{
  g_string_append(s->out, "</row>");
  return package_flush(s->book->package);
}

/* ------------------------------------------------------------------ sheets */

/* Wide enough for the header and its filter button. */
static void put_widths(GString *out, const char *const *headers, const bool *texts, uint32_t n)
{
  enum { NUMBER = 12, TEXT = 28, WIDEST = 60, BUTTON = 4 };
  g_string_append(out, "<cols>");
  for (uint32_t i = 0; i < n; i++) {
    size_t wanted = strlen(headers[i]) + BUTTON;
    g_string_append_printf(out, "<col min=\"%u\" max=\"%u\" width=\"%u\" customWidth=\"1\"/>",
                           i + 1, i + 1, (unsigned)CLAMP(wanted, texts[i] ? TEXT : NUMBER, WIDEST));
  }
  g_string_append(out, "</cols>");
}

/* "A1:J20" */
static void put_range(GString *out, uint32_t n_columns, uint64_t n_rows)
{
  char last[4];
  xml_column_name(n_columns - 1, last);
  g_string_append_printf(out, "A1:%s%" G_GUINT64_FORMAT, last, n_rows + 1);
}

static int begin_sheet(Sheet *s, Book *b, guint index, const char *const *headers,
                       const bool *texts, uint32_t n)
{
  g_autofree char *part = book_part_name(index);
  int status = package_begin(b->package, part);
  *s = (Sheet){ .book = b, .out = package_text(b->package), .at.style = STYLE_HEADER };
  if (status) return status;
  g_string_append(s->out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
                  "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
                  "<dimension ref=\"");
  put_range(s->out, n, g_array_index(b->sheets, BookSheet, index).n_rows);
  g_string_append(s->out, "\"/><sheetViews><sheetView ");
  if (!index) g_string_append(s->out, "tabSelected=\"1\" ");
  g_string_append(s->out, "workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" "
                          "activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>");
  put_widths(s->out, headers, texts, n);
  g_string_append(s->out, "<sheetData>");
  begin_row(s);
  for (uint32_t i = 0; i < n; i++) next_text(s, headers[i]);
  s->at.style = STYLE_PLAIN;
  return end_row(s);
}

static void end_sheet(Sheet *s, uint32_t n_columns, uint64_t n_rows)
{
  g_string_append(s->out, "</sheetData><autoFilter ref=\"");
  put_range(s->out, n_columns, n_rows);
  g_string_append(s->out, "\"/></worksheet>\n");
}

/* Keys are names, also where they are numbers. */
static uint32_t style_of(const MillColumn *c)
{
  if (c->flags & MILL_COLUMN_KEY) return STYLE_PLAIN;
  if (c->unit && !strcmp(c->unit, "percent")) return STYLE_PERCENT;
  return c->type == MILL_INT ? STYLE_WHOLE : STYLE_PLAIN;
}

static int put_rows(Sheet *s, const BookSheet *sheet, MillColumnRows columns)
{
  const MillResults *r = s->book->results;
  g_autofree uint32_t *styles = g_new(uint32_t, columns.n + 1);
  for (uint32_t i = 0; i < columns.n; i++) styles[i] = style_of(MILL_AT(MillColumn, columns, i));
  for (uint64_t row = 0; row < sheet->n_rows; row++) {
    const MillValue *cells = r->row(r, sheet->table, sheet->first + row);
    begin_row(s);
    for (; s->at.column < columns.n; s->at.column++) {
      s->at.style = styles[s->at.column];
      put_value(s, &cells[s->at.column]);
    }
    int status = end_row(s);
    if (status) return status;
  }
  return 0;
}

static int put_table(Book *b, guint index)
{
  const BookSheet *sheet = &g_array_index(b->sheets, BookSheet, index);
  MillTableResult t = { .size = sizeof t };
  Sheet s;
  b->results->table(b->results, sheet->table, &t);
  uint32_t n = t.columns.n;
  if (n > BOOK_MAX_COLUMNS)
    return xlsx_too_large(b->host->common, "a sheet would have more than 16,384 columns");
  g_autoptr(GPtrArray) headers = g_ptr_array_new_with_free_func(g_free);
  g_autofree bool *texts = g_new(bool, n);
  for (uint32_t i = 0; i < n; i++) {
    const MillColumn *c = MILL_AT(MillColumn, t.columns, i);
    g_ptr_array_add(headers, result_header(c));
    texts[i] = c->type == MILL_TEXT;
  }
  int status = begin_sheet(&s, b, index, (const char *const *)headers->pdata, texts, n);
  if (!status) status = put_rows(&s, sheet, t.columns);
  if (!status) end_sheet(&s, n, sheet->n_rows);
  return status;
}

/* ----------------------------------------------------------------- summary */

/* "rank 3", or what else the input is called. */
static void put_lane(Sheet *s, uint32_t index)
{
  MillLane lane;
  g_autofree char *name =
      index == MILL_NO_LANE ? NULL : result_lane(s->book->host->common, index, &lane);
  if (index != MILL_NO_LANE && lane.rank >= 0) xml_put_int(s->out, &s->at, lane.rank);
  s->at.column++;
  next_text(s, name);
}

/* "model=a, tp=8" */
static void put_group(Sheet *s, const char *group)
{
  g_autoptr(GString) text = g_string_new(NULL);
  char *tag, *value;
  while (tag_text_next(&group, &tag, &value)) {
    g_string_append_printf(text, "%s%s=%s", text->len ? ", " : "", tag, value);
    g_free(tag);
    g_free(value);
  }
  next_text(s, text->str);
}

static int put_metric(Sheet *s, const MillMetricResult *m)
{
  const char *reason = result_absence(&m->value, m->reason);
  MillValue n = result_samples(m);
  begin_row(s);
  next_text(s, m->name);
  next_text(s, m->stat);
  put_lane(s, m->lane);
  put_group(s, m->group);
  if (!reason) put_value(s, &m->value);
  s->at.column++;
  next_text(s, result_unit(m));
  if (n.type != MILL_NONE) put_value(s, &n);
  s->at.column++;
  next_text(s, result_better(m->metric->better));
  next_text(s, reason);
  next_text(s, m->metric->help);
  return end_row(s);
}

static int put_metrics(Book *b, guint index)
{
  static const char *const headers[] = { "metric", "stat", "rank",   "input",  "group", "value",
                                         "unit",   "n",    "better", "reason", "help" };
  static const bool texts[G_N_ELEMENTS(headers)] = { true, false, false, true };
  const uint32_t n = G_N_ELEMENTS(headers);
  const BookSheet *sheet = &g_array_index(b->sheets, BookSheet, index);
  MillMetricResult m = { .size = sizeof m };
  Sheet s;
  int status = begin_sheet(&s, b, index, headers, texts, n);
  for (uint64_t i = 0; i < sheet->n_rows && !status; i++) {
    b->results->metric(b->results, (uint32_t)(sheet->first + i), &m);
    status = put_metric(&s, &m);
  }
  if (!status) end_sheet(&s, n, sheet->n_rows);
  return status;
}

static int put_book(Book *b)
{
  int status = book_put_parts(b);
  for (guint i = 0; i < b->sheets->len && !status; i++) {
    bool metrics = g_array_index(b->sheets, BookSheet, i).table == BOOK_METRICS;
    status = metrics ? put_metrics(b, i) : put_table(b, i);
  }
  return status ? status : package_end(b->package);
}

static int write_results(void *instance, const MillResults *r)
{
  const MillSinkHost *host = instance;
  Book b;
  book_init(&b, host, r);
  int status = put_book(&b);
  for (uint64_t i = 0; i < b.n_cut && !status; i++) mill_note(host->common, XLSX_CUT);
  book_clear(&b);
  return status;
}

static const MillNotice notices[] = {
  MILL_WARNING(XLSX_CUT, "{count} text[|s] [is|are] cut short in results.xlsx",
               "a cell of a workbook holds 32,767 characters",
               "whole texts are in csv, sqlite and json",
               "Spreadsheets take at most 32,767 characters (UTF-16 units) in one cell. A longer "
               "text ends in an ellipsis in results.xlsx; the other formats have all of it."),
  MILL_ERROR(XLSX_TOO_LARGE, "the results do not fit into a workbook", "write csv or sqlite",
             "A sheet has at most 16,384 columns, and the file at most 4 GiB before and after it "
             "is packed."),
};

int xlsx_too_large(const MillHost *common, const char *why)
{
  const MillNotice *row = &notices[XLSX_TOO_LARGE - 1];
  MillFailure f = { .size = sizeof f,
                    .status = MILL_LIMIT,
                    .number = row->number,
                    .what = row->what,
                    .why = why,
                    .help = row->help };
  return common->fail(common, &f);
}

RESULTS_SINK(
    write_results, "xlsx", "XLS", "Write a workbook for spreadsheets", .files = "results.xlsx",
    .notices = MILL_ROWS(notices),
    .help = "results.xlsx: the metrics in the sheet Summary, and a sheet for each table with the "
            "headers of csv. Text is never a formula. Integers that a spreadsheet would round are "
            "text.");
