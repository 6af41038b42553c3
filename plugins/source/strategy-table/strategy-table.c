/* The strategy-table source: lookup tables of all-reduce strategies, in C++ or as rows. */
/* SPDX-License-Identifier: MIT */
#include "strategy-table.h"

#include <string.h>

#include "kit/read/input.h"
#include "kit/read/source-new.h"

enum { KEY_TP, KEY_FUSION, KEY_STRATEGY, KEY_TOKENS, KEY_HIDDEN, KEY_NUMBER, KEY_SOURCE, N_KEYS };
#define MAX_BYTES ((size_t)64 << 20)

typedef struct Source {
  const MillSourceHost *host;
  RecordWriter writer;
  MillSym record;
  Tables tables;
  guint table, cell; /* what comes next */
} Source;

static void table_free(gpointer data)
{
  Table *t = data;
  g_array_unref(t->cells);
  g_free(t);
}

void tables_init(Tables *t)
{
  *t = (Tables){ .tables = g_ptr_array_new_with_free_func(table_free),
                 .names = g_string_chunk_new(4096) };
}

void tables_clear(Tables *t)
{
  if (t->tables) g_ptr_array_unref(t->tables);
  if (t->names) g_string_chunk_free(t->names);
  g_free(t->what);
}

Table *tables_add(Tables *t, int64_t sm)
{
  Table *table = g_new0(Table, 1);
  table->sm = sm;
  table->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
  g_ptr_array_add(t->tables, table);
  return table;
}

bool tables_fail(Tables *t, uint32_t number, uint64_t line, uint64_t column, char *what)
{
  t->failed = number;
  t->line = line;
  t->column = column;
  g_free(t->what);
  t->what = what;
  return false;
}

/* ----------------------------------------------------------------- reading */

static int fail(const Source *s)
{
  const Tables *t = &s->tables;
  return input_fail_at(s->host->common, strategy_table_notices, t->failed, t->line, t->column,
                       t->what, NULL);
}

static void begin_lane(const Source *s)
{
  const Table *t = s->tables.tables->pdata[s->table];
  if (t->sm < 0) return;
  g_autofree char *tag = g_strdup_printf("sm=%" G_GINT64_FORMAT, t->sm);
  input_describe(s->host, "tag", tag);
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "tp",     "fusion", "strategy", "tokens",
                                            "hidden", "number", "source" };
  Source *s = instance;
  g_autoptr(GString) text = g_string_new(NULL);
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = symbol_of(s->host->common, "allreduce.cell");
  int status = input_read_all(s->host, MAX_BYTES, text);
  if (status < 0) return status;
  if (status > 0) {
    tables_fail(&s->tables, ST_TOO_LONG, 0, 0, NULL);
    return fail(s);
  }
  bool rows = table_csv_is(text->str, text->len);
  bool good = rows ? table_csv_read(&s->tables, text->str, text->len)
                   : cpp_read(&s->tables, text->str, text->len);
  if (!good) return fail(s);
  begin_lane(s);
  return 0;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  const Table *t = s->tables.tables->pdata[s->table];
  if (s->cell == t->cells->len) {
    s->table++;
    s->cell = 0;
    if (s->table == s->tables.tables->len) return MILL_NEXT_END;
    begin_lane(s);
    t = s->tables.tables->pdata[s->table];
  }
  for (; s->cell < t->cells->len; s->cell++) {
    const Cell *c = &g_array_index(t->cells, Cell, s->cell);
    if (!record_begin(&s->writer, b, s->record, N_KEYS)) return MILL_NEXT_MORE;
    record_int(&s->writer, b, KEY_TP, c->tp);
    record_name(&s->writer, b, KEY_FUSION, c->fusion);
    record_name(&s->writer, b, KEY_STRATEGY, c->strategy);
    record_int(&s->writer, b, KEY_TOKENS, c->tokens);
    record_int(&s->writer, b, KEY_HIDDEN, c->hidden);
    record_int(&s->writer, b, KEY_NUMBER, c->number);
    record_name(&s->writer, b, KEY_SOURCE, c->source);
  }
  return s->table + 1 < s->tables.tables->len ? MILL_NEXT_LANE : MILL_NEXT_END;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)name;
  if (table_csv_is(bytes, len)) return 95;
  return cpp_is(bytes, len) ? 90 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  tables_init(&s->tables);
  return 0;
}

static int describe(void *instance)
{
  input_tag_file(((const Source *)instance)->host);
  return 0;
}

static void close_source(void *instance) { tables_clear(&((Source *)instance)->tables); }

static const char *const provides[] = { "input.allreduce", "input.strategy-table", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "strategy-table",
  .version = "0.1.0",
  .tag = "STRAT",
  .title = "Lookup tables of all-reduce strategies (C++, or rows of a run)",
  .help =
      "Reads the tables that are compiled into TensorRT-LLM (AllReduceBestStrategyTableSM90 and "
      "the like), as its generator writes them or reformatted, and tables/allreduce-table.csv of a "
      "run. Each cell becomes a record allreduce.cell; each table is a lane with the tag sm.",
  .provides = provides,
  .notices = MILL_ROWS(strategy_table_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
