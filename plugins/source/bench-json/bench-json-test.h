/* Results of benchmarks in memory, read by the bench-json source: records as lines to compare with. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_BENCH_JSON_BENCH_JSON_TEST_H
#define SOURCE_BENCH_JSON_BENCH_JSON_TEST_H

#include "base/num.h"
#include "check.h"
#include "fuzz/source-host.c"

typedef struct BenchDump {
  SourceHost *host;
  GString *out;
} BenchDump;

static void bench_attr(const BenchDump *d, const MillBatch *b, const MillAttr *a)
{
  char buf[NUM_BUF];
  size_t len = 0;
  g_string_append_printf(d->out, " %s=", source_symbol(d->host, a->key));
  switch (a->type & MILL_ATTR_TYPE) {
  case MILL_INT: num_format_int(buf, a->u.i); break;
  case MILL_REAL: num_format_real(buf, a->u.r); break;
  case MILL_SYM: g_string_append(d->out, source_symbol(d->host, a->u.sym)); return;
  default: {
    const char *text = mill_attr_text(b, a, &len);
    g_string_append_printf(d->out, "'%.*s'", (int)len, text);
    return;
  }
  }
  g_string_append(d->out, buf);
}

static void bench_batch(void *user, const MillBatch *b)
{
  BenchDump *d = user;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    const char *name = source_symbol(d->host, e->name);
    CHECK(e->kind == MILL_RECORD && e->flags == MILL_FLAG_NO_TS && e->dur_ns == -1);
    CHECK(g_str_has_prefix(name, "bench."));
    g_string_append(d->out, name + 6);
    if (e->id_kind == MILL_ID_INT) g_string_append_printf(d->out, " %u", (unsigned)e->id);
    for (uint32_t k = 0; k < e->n_attrs; k++) bench_attr(d, b, &b->attrs[e->attrs + k]);
    g_string_append_c(d->out, '\n');
  }
}

/* What was described since the last lane, and a line where it ends. */
static void bench_lane(void *user)
{
  BenchDump *d = user;
  g_string_append_printf(d->out, "-- %s\n", d->host->described->str);
  g_string_truncate(d->host->described, 0);
}

/* Records, lanes, notices and the failure, one per line; `wanted` is "a b c" or "*". */
static char *bench_run(const char *text, size_t len, const char *wanted, size_t read_size,
                       uint32_t max_events)
{
  SourceHost *h = source_host_new(text, len);
  BenchDump d = { h, g_string_new(NULL) };
  g_auto(GStrv) names = g_strsplit(wanted, " ", -1);
  MillRead reads[32] = { { NULL, 0, 0 } };
  for (h->n_reads = 0; names[h->n_reads] && h->n_reads < 32; h->n_reads++)
    reads[h->n_reads].name = names[h->n_reads];
  h->reads = reads;
  h->on_lane = bench_lane;
  SourceRun run = { read_size, max_events, 0, true, bench_batch, &d };
  int status = source_run(h, &run);
  if (status < 0) g_string_truncate(d.out, 0); /* how many came before depends on the batches */
  for (unsigned i = 0; i < 64 && status == 0; i++)
    if (h->notes[i]) g_string_append_printf(d.out, "note %u: %u\n", i, (unsigned)h->notes[i]);
  CHECK((status < 0) == (h->failure != NULL));
  if (status < 0) g_string_append(d.out, h->failure ? h->failure : "failed without a word");
  source_host_free(h);
  return g_string_free(d.out, FALSE);
}

/* Results must not depend on how the bytes and the records are cut. */
static bool bench_expect(const char *text, const char *wanted, const char *expected)
{
  static const size_t sizes[] = { 1 << 20, 61, 7, 1 };
  for (unsigned i = 0; i < 8; i++) {
    g_autofree char *got = bench_run(text, strlen(text), wanted, sizes[i / 2], i % 2 ? 1 : 1024);
    if (CHECK(strcmp(got, expected) == 0)) continue;
    CHECK_ROW(text);
    printf("\n--- got\n%s\n--- wanted\n%s\n---", got, expected);
    return false;
  }
  return true;
}

typedef struct BenchRow {
  const char *text, *expected;
} BenchRow;

static inline int bench_probe(const char *text, size_t len)
{
  const MillSource *source = source_under_test();
  return source->ops->probe(source, text, len, "x.json");
}

#endif
