/* A sink that was built with the headers of 1.0: a line for each event, then one for each row, metric and notice. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stagemill/sink.h>
#include <stdio.h>

enum { LINE = 512 };

static int put(const MillSinkHost *h, const char *line)
{
  return h->output(h, "kept.txt", NULL, line, (size_t)snprintf(NULL, 0, "%s", line));
}

static int lines_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int lines_write(void *instance, const MillBatch *b)
{
  const MillSinkHost *h = instance;
  const MillHost *common = h->common;
  const MillSym kept = common->intern(common, "kept", 4);
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    char line[LINE];
    int64_t value = -1;
    size_t raw_len;
    mill_attr_int(b, e, kept, &value);
    mill_raw(b, e, &raw_len);
    snprintf(line, sizeof line, "event %s %" PRId64 " %" PRId64 " %" PRId64 " %zu\n",
             common->symbol_text(common, e->name, NULL), e->ts_ns, e->dur_ns, value, raw_len);
    int status = put(h, line);
    if (status) return status;
  }
  return 0;
}

static int put_rows(const MillSinkHost *h, const MillResults *r, uint32_t index, const MillTableResult *t)
{
  int status = 0;
  for (uint64_t row = 0; row < t->n_rows && !status; row++) {
    const MillValue *last = &r->row(r, index, row)[t->columns.n - 1];
    char line[LINE];
    snprintf(line, sizeof line, "row %s %u columns, last %s %" PRId64 "\n", t->name, t->columns.n,
             MILL_AT(MillColumn, t->columns, t->columns.n - 1)->name, last->u.i);
    status = put(h, line);
  }
  return status;
}

static int lines_results(void *instance, const MillResults *r)
{
  MillTableResult table = { .size = sizeof table };
  MillMetricResult metric = { .size = sizeof metric };
  MillNoticeResult notice = { .size = sizeof notice };
  char line[LINE];
  int status = 0;
  for (uint32_t k = 0; r->table(r, k, &table) && !status; k++) status = put_rows(instance, r, k, &table);
  for (uint32_t k = 0; r->metric(r, k, &metric) && !status; k++) {
    snprintf(line, sizeof line, "metric %s %" PRId64 "\n", metric.name, metric.value.u.i);
    status = put(instance, line);
  }
  for (uint32_t k = 0; r->notice(r, k, &notice) && !status; k++) {
    snprintf(line, sizeof line, "notice %s\n", notice.code);
    status = put(instance, line);
  }
  return status;
}

static const MillRead reads[] = { { "kept", MILL_AS_INT, 0 } };
static const MillSinkOps ops = { .size = sizeof ops, .open = lines_open, .write = lines_write, .results = lines_results };
static const MillSink sink = {
  .size = sizeof sink,
  .flags = MILL_READS_RAW,
  .name = "kept.sink",
  .format = "sink",
  .version = "1.0.0",
  .tag = "KEPTW",
  .title = "Write lines",
  .help = "Writes lines.",
  .reads = MILL_ROWS(reads),
  .files = "kept.txt",
  .ops = &ops,
};
MILL_SINK_MODULE(sink, "kept", "MIT");
