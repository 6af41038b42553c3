/* The CSV sink: one RFC 4180 file for each table, tables/NAME.csv. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "kit/sink/cells.h"
#include "kit/sink/result.h"

#define PIECE_BYTES (128u << 10)

typedef struct Sink {
  const MillSinkHost *host;
  GString *text;
} Sink;

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->text = g_string_new(NULL);
  *out_instance = s;
  return 0;
}

static void close_sink(void *instance)
{
  Sink *s = instance;
  g_string_free(s->text, TRUE);
}

static int flush(Sink *s, const char *file)
{
  int status = s->text->len ? s->host->output(s->host, file, NULL, s->text->str, s->text->len) : 0;
  g_string_truncate(s->text, 0);
  return status;
}

static void put_header(Sink *s, MillColumnRows columns)
{
  for (uint32_t i = 0; i < columns.n; i++) {
    g_autofree char *name = result_header(MILL_AT(MillColumn, columns, i));
    if (i) g_string_append_c(s->text, ',');
    cells_put_text(s->text, name, strlen(name));
  }
  g_string_append(s->text, CELLS_END_OF_ROW);
}

/* A table's name holds an id from the profile: only harmless characters reach the file system. */
static char *file_name(const char *table)
{
  char *file = g_strdup_printf("tables/%s.csv", table);
  for (char *c = file + strlen("tables/"); *c; c++)
    if (!g_ascii_isalnum(*c) && !strchr("._-", *c)) *c = '_';
  if (file[strlen("tables/")] == '.') file[strlen("tables/")] = '_';
  return file;
}

static int write_table(Sink *s, const MillResults *r, uint32_t index)
{
  MillTableResult t = { .size = sizeof t };
  r->table(r, index, &t);
  g_autofree char *file = file_name(t.name);
  put_header(s, t.columns);
  for (uint64_t row = 0; row < t.n_rows; row++) {
    const MillValue *cells = r->row(r, index, row);
    for (uint32_t i = 0; i < t.columns.n; i++) {
      if (i) g_string_append_c(s->text, ',');
      cells_put(s->text, s->host->common, &cells[i]);
    }
    g_string_append(s->text, CELLS_END_OF_ROW);
    if (s->text->len < PIECE_BYTES) continue;
    int status = flush(s, file);
    if (status) return status;
  }
  return flush(s, file);
}

static int write_results(void *instance, const MillResults *r)
{
  int status = 0;
  for (uint32_t i = 0; i < r->n_tables && !status; i++) status = write_table(instance, r, i);
  return status;
}

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .name = "csv",
  .format = "csv",
  .flags = MILL_USUAL,
  .files = "tables/{table}.csv",
  .version = "1.0.0",
  .tag = "CSV",
  .title = "Write each table as a CSV file",
  .help = "One file per table, tables/NAME.csv, by RFC 4180: a header of name_unit (counts have "
          "just the name), dot decimals, numbers in the shortest form that reads back the same. "
          "Text that a spreadsheet would run as a formula is quoted with an apostrophe.",
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
