/* Writes events as lines, with the bytes that were read where there are any, and results as lines. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBER = 64 };

typedef struct Options {
  const char *prefix;
} Options;

typedef struct Lines {
  const MillSinkHost *host;
  const char *prefix, *file; /* of what is written now */
} Lines;

static int lines_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level;
  Lines *l = mill_new(host->common, sizeof *l);
  if (!l) return -MILL_LIMIT;
  l->host = host;
  l->prefix = ((const Options *)options)->prefix;
  l->file = "events.txt";
  *out_instance = l;
  return 0;
}

static int put(const Lines *l, const char *bytes, size_t len)
{
  return len ? l->host->output(l->host, l->file, "", bytes, len) : 0;
}

static int put_text(const Lines *l, const char *text) { return put(l, text, strlen(text)); }

static int write_event(const Lines *l, const MillBatch *b, const MillEvent *e)
{
  size_t raw_len, name_len;
  const char *raw = mill_raw(b, e, &raw_len);
  const char *name = l->host->common->symbol_text(l->host->common, e->name, &name_len);
  int status = put_text(l, l->prefix);
  if (status >= 0) status = put_text(l, raw ? "" : "made ");
  if (status >= 0) status = raw ? put(l, raw, raw_len) : put(l, name, name_len);
  return status < 0 ? status : put_text(l, "\n");
}

static int lines_write(void *instance, const MillBatch *b)
{
  for (uint32_t i = 0; i < b->n_events; i++) {
    int status = write_event(instance, b, &b->events[i]);
    if (status < 0) return status;
  }
  return 0;
}

static int put_value(const Lines *l, const MillValue *v)
{
  char text[MOST_NUMBER];
  size_t len;
  switch (v->type) {
  case MILL_INT: snprintf(text, sizeof text, "%" PRId64, v->u.i); return put_text(l, text);
  case MILL_REAL: snprintf(text, sizeof text, "%g", v->u.r); return put_text(l, text);
  case MILL_BOOL: return put_text(l, v->u.i ? "true" : "false");
  case MILL_TEXT: return put(l, v->u.text, v->len);
  case MILL_SYM: {
    const char *name = l->host->common->symbol_text(l->host->common, v->u.sym, &len);
    return put(l, name, len);
  }
  default: return put_text(l, "-");
  }
}

static int write_metrics(const Lines *l, const MillResults *results)
{
  MillMetricResult m = { .size = sizeof m };
  for (uint32_t i = 0; results->metric(results, i, &m); i++) {
    int status = put_text(l, m.name);
    if (status >= 0) status = put_text(l, " ");
    if (status >= 0) status = put_value(l, &m.value);
    if (status >= 0) status = put_text(l, "\n");
    if (status < 0) return status;
  }
  return 0;
}

static int write_row(const Lines *l, const MillResults *results, uint32_t table,
                     const MillTableResult *t, uint64_t row)
{
  const MillValue *cells = results->row(results, table, row);
  int status = put_text(l, t->name);
  for (uint32_t c = 0; c < t->columns.n && status >= 0; c++) {
    status = put_text(l, " ");
    if (status >= 0) status = put_value(l, &cells[c]);
  }
  return status < 0 ? status : put_text(l, "\n");
}

static int lines_results(void *instance, const MillResults *results)
{
  Lines *l = instance;
  MillTableResult t = { .size = sizeof t };
  l->file = "results.txt";
  int status = write_metrics(l, results);
  for (uint32_t i = 0; status >= 0 && results->table(results, i, &t); i++)
    for (uint64_t r = 0; r < t.n_rows && status >= 0; r++) status = write_row(l, results, i, &t, r);
  return status;
}

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, prefix, "prefix", "", "Text before each event"),
};
static const MillSinkOps ops = {
  .size = sizeof ops,
  .open = lines_open,
  .write = lines_write,
  .results = lines_results,
};
static const MillSink sink = {
  .size = sizeof sink,
  .flags = MILL_READS_RAW,
  .options_size = sizeof(Options),
  .name = "acme.lines",
  .format = "lines",
  .version = "1.0.0",
  .tag = "LINES",
  .title = "Events and results as lines",
  .help = "events.txt has one event a line, results.txt one metric or row a line.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "acme", "MIT");
