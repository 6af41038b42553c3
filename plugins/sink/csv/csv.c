/* The CSV sink: one RFC 4180 file for each table, tables/NAME.csv.
 *
 * Text that came from inputs must not become a formula: what begins like one is
 * quoted with an apostrophe before it, which spreadsheets take as "this is text". */
#include <glib.h>
#include <math.h>
#include <stagemill/sink.h>
#include <string.h>

#include "base/num.h"
#include "lib/result.h"

#define PIECE_BYTES (128u << 10)
#define END_OF_ROW "\r\n"

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

/* Leading white space does not stop a spreadsheet from seeing a formula. */
static bool like_formula(const char *text, size_t len)
{
  if (len && (*text == '\t' || *text == '\r' || *text == '\n')) return true;
  size_t i = 0;
  while (i < len && text[i] == ' ') i++;
  return i < len && memchr("=+-@", text[i], 4);
}

static void put_valid(GString *out, const char *text, size_t len)
{
  bool formula = like_formula(text, len),
       quoted = formula || (len && (*text == ' ' || text[len - 1] == ' '));
  for (size_t i = 0; i < len && !quoted; i++) quoted = memchr(",\"\r\n", text[i], 4) != NULL;
  if (!quoted) {
    g_string_append_len(out, text, (gssize)len);
    return;
  }
  g_string_append_c(out, '"');
  if (formula) g_string_append_c(out, '\'');
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '"') g_string_append_c(out, '"');
    g_string_append_c(out, text[i]);
  }
  g_string_append_c(out, '"');
}

/* Names of files may hold any bytes. */
static void put_text(GString *out, const char *text, size_t len)
{
  g_autofree char *mended = NULL;
  text = result_valid(text, &len, &mended);
  put_valid(out, text, len);
}

static void put_cell(Sink *s, const MillValue *v)
{
  char buf[NUM_BUF];
  size_t len;
  const char *text = result_text(s->host->common, v, &len);
  if (text) put_text(s->text, text, len);
  switch (v->type) {
  case MILL_INT: g_string_append_len(s->text, buf, (gssize)num_format_int(buf, v->u.i)); break;
  case MILL_REAL:
    if (isfinite(v->u.r)) g_string_append_len(s->text, buf, (gssize)num_format_real(buf, v->u.r));
    break;
  case MILL_BOOL: g_string_append(s->text, v->u.i ? "true" : "false"); break;
  default: break;
  }
}

static void put_header(Sink *s, MillColumnRows columns)
{
  for (uint32_t i = 0; i < columns.n; i++) {
    g_autofree char *name = result_header(MILL_AT(MillColumn, columns, i));
    if (i) g_string_append_c(s->text, ',');
    put_text(s->text, name, strlen(name));
  }
  g_string_append(s->text, END_OF_ROW);
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
      put_cell(s, &cells[i]);
    }
    g_string_append(s->text, END_OF_ROW);
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
  .version = "1.0.0",
  .tag = "CSV",
  .title = "Write each table as a CSV file",
  .help = "One file per table, tables/NAME.csv, by RFC 4180: a header of name_unit (counts have "
          "just the "
          "name), dot decimals, "
          "numbers in the shortest "
          "form that reads back the same. Text that a spreadsheet would run as a formula is quoted "
          "with an apostrophe.",
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
