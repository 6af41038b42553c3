/* Rows of a table that is too large for the document: a file with each row as a list of its cells. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <string.h>

#include "doc.h"

typedef struct RowsFile {
  Doc *doc;
  char *name;
  GChecksum *sum;
  JsonWriter out;
} RowsFile;

/* A table's name holds an id from the profile: only harmless characters reach the file system.  The index tells apart
 * what is then called alike. */
static char *file_name(const char *table, uint32_t index)
{
  char *file = g_strdup_printf("rows/%u-%s.json", index, table);
  for (char *c = file + strlen("rows/"); *c; c++)
    if (!g_ascii_isalnum(*c) && !strchr("._-", *c)) *c = '_';
  return file;
}

static int flush(RowsFile *f)
{
  const MillSinkHost *host = f->doc->host;
  GString *text = f->out.text;
  g_checksum_update(f->sum, (const guchar *)text->str, (gssize)text->len);
  int status = host->output(host, f->name, NULL, text->str, text->len);
  g_string_truncate(text, 0);
  return status;
}

static void put_head(RowsFile *f, const MillTableResult *t)
{
  json_put_open(&f->out, NULL, '{');
  json_put_text(&f->out, "table", t->name);
  json_put_open(&f->out, "columns", '[');
  for (uint32_t i = 0; i < t->columns.n; i++)
    json_put_text(&f->out, NULL, MILL_AT(MillColumn, t->columns, i)->name);
  json_put_close(&f->out);
  json_put_lines(&f->out, "rows", '[');
}

static int put_row(RowsFile *f, uint32_t n_columns, const MillValue *cells)
{
  json_put_open(&f->out, NULL, '[');
  for (uint32_t i = 0; i < n_columns; i++) doc_put_value(f->doc, &f->out, NULL, &cells[i]);
  json_put_close(&f->out);
  return f->out.text->len < PIECE_BYTES ? 0 : flush(f);
}

static int write_all(RowsFile *f, const MillResults *r, uint32_t index, const MillTableResult *t)
{
  int status = 0;
  put_head(f, t);
  for (uint64_t row = 0; row < t->n_rows && !status; row++)
    status = put_row(f, t->columns.n, r->row(r, index, row));
  if (status) return status;
  json_put_close(&f->out);
  json_put_end(&f->out);
  status = flush(f);
  /* Of a run with many such tables none stays open. */
  return status ? status : f->doc->host->output(f->doc->host, f->name, NULL, NULL, 0);
}

int rows_file_put(Doc *d, const MillResults *r, uint32_t index, const MillTableResult *t)
{
  RowsFile f = { .doc = d,
                 .name = file_name(t->name, index),
                 .sum = g_checksum_new(G_CHECKSUM_SHA256),
                 .out = { .text = g_string_new(NULL), .layout = JSON_DENSE } };
  int status = write_all(&f, r, index, t);
  json_put_uint(&d->out, "n_rows", t->n_rows);
  json_put_text(&d->out, "rows_file", f.name);
  json_put_text(&d->out, "rows_sha256", g_checksum_get_string(f.sum));
  g_string_free(f.out.text, TRUE);
  g_checksum_free(f.sum);
  g_free(f.name);
  return status;
}
