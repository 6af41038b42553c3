/* What is in a trace: its launch, sections and first records. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "probe/lib/probe-key.h"
#include "kit/declare/rows.h"
#include "kit/trace/probe.h"

enum { TABLE_LAUNCH, TABLE_SECTIONS, TABLE_RECORDS };

typedef struct Options {
  int64_t records, values;
} Options;

typedef struct Dump {
  const MillStageHost *host;
  const Options *options;
  ProbeReader reader;
  uint64_t given[PROBE_MAX_SECTIONS]; /* records of a section */
  struct Row {
    uint32_t table, n;
    MillValue cells[10];
  } * rows;
  size_t n, capacity;
} Dump;

static int dump_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Dump *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  probe_open(&x->reader, host->common);
  *out_instance = x;
  return 0;
}

static int keep_row(Dump *x, uint32_t table, const MillValue *cells, uint32_t n)
{
  if (!array_reserve(x->host->common, &x->rows, &x->capacity, x->n + 1, sizeof *x->rows))
    return -MILL_LIMIT;
  struct Row *row = &x->rows[x->n++];
  row->table = table;
  row->n = n;
  for (uint32_t i = 0; i < n; i++) {
    row->cells[i] = cells[i];
    if (cells[i].type != MILL_TEXT) continue;
    char *copy = mill_new(x->host->common, cells[i].len + 1u);
    if (!copy) return -MILL_LIMIT;
    memcpy(copy, cells[i].u.text, cells[i].len);
    row->cells[i].u.text = copy;
  }
  return 0;
}

static MillValue text(const char *s) { return *s ? mill_text(s, strlen(s)) : mill_none(); }

static int launch_row(Dump *x, const MillBatch *b, const MillEvent *e)
{
  static const char *const keys[] = { "grid_x",  "grid_y", "grid_z",   "block_x", "block_y",
                                      "block_z", "shared", "sections", "bytes" };
  MillValue cells[MILL_COUNT(keys)];
  for (uint32_t k = 0; k < MILL_COUNT(keys); k++)
    cells[k] = mill_int(probe_int(x->host->common, b, e, keys[k], 0));
  return keep_row(x, TABLE_LAUNCH, cells, MILL_COUNT(keys));
}

static int section_row(Dump *x, const MillBatch *b, const MillEvent *e)
{
  static const char *const keys[] = {
    "level", "unit_bytes", "capacity", "units", "offset", "bytes"
  };
  const MillHost *common = x->host->common;
  char schema[64], layout[32], fields[1024];
  MillValue cells[10] = {
    mill_int(probe_int(common, b, e, "section", 0)),
    text(probe_text(common, b, e, "schema", schema, sizeof schema)),
    text(probe_text(common, b, e, "layout", layout, sizeof layout)),
    text(probe_text(common, b, e, "fields", fields, sizeof fields)),
  };
  for (uint32_t k = 0; k < MILL_COUNT(keys); k++)
    cells[4 + k] = mill_int(probe_int(common, b, e, keys[k], 0));
  return keep_row(x, TABLE_SECTIONS, cells, 10);
}

/* "start=100 elapsed=5", "clock=1,2,3...": a list as far as `values` goes. */
static size_t show_values(const Dump *x, const ProbeUnit *u, char *out, size_t size)
{
  size_t len = 0, name_len;
  int64_t of_list = 0;
  for (const MillAttr *a = u->fields; a < u->end && len + 80 < size; a++) {
    bool more = a > u->fields && a[-1].key == a->key;
    if ((a->type & MILL_ATTR_TYPE) != MILL_INT) continue;
    of_list = more ? of_list + 1 : 0;
    if (of_list > x->options->values) continue;
    if (of_list == x->options->values) {
      len += (size_t)snprintf(out + len, size - len, "...");
      continue;
    }
    const char *name = x->host->common->symbol_text(x->host->common, a->key, &name_len);
    if (more)
      len += (size_t)snprintf(out + len, size - len, ",%" PRId64, a->u.i);
    else
      len +=
          (size_t)snprintf(out + len, size - len, "%s%.48s=%" PRId64, len ? " " : "", name, a->u.i);
  }
  return len;
}

static int record_row(Dump *x, const MillBatch *b, const MillEvent *e)
{
  ProbeUnit u;
  char values[4096];
  if (!probe_unit(&x->reader, b, e, &u)) return 0;
  size_t section = (size_t)(u.section - x->reader.sections);
  if (x->given[section] >= (uint64_t)x->options->records) return 0;
  x->given[section]++;
  size_t len = show_values(x, &u, values, sizeof values);
  const MillValue cells[] = { mill_int((int64_t)section), mill_int(u.block), mill_int(u.unit),
                              mill_int(u.place), len ? mill_text(values, len) : mill_none() };
  return keep_row(x, TABLE_RECORDS, cells, MILL_COUNT(cells));
}

static int dump_process(void *instance, MillBatch *b)
{
  Dump *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_RECORD) continue;
    probe_take(&x->reader, b, e);
    if (e->name == x->reader.launch) status = launch_row(x, b, e);
    if (e->name == x->reader.section) status = section_row(x, b, e);
    if (e->name == x->reader.unit) status = record_row(x, b, e);
  }
  return status;
}

static int dump_report(void *instance)
{
  const Dump *x = instance;
  int status = 0;
  for (size_t i = 0; i < x->n && status == 0; i++)
    status = x->host->cells(x->host, x->rows[i].table, x->rows[i].cells, x->rows[i].n);
  return status;
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_INT_OPTION(Options, records, "records", "8", "0:1000", NULL, "Records of each section"),
  MILL_INT_OPTION(Options, values, "values", "8", "1:1000", NULL, "Values of a list"),
};

/* Lists are wanted as numbers, and fields of any other name, too. */
static const MillRead reads[] = { PROBE_READS,
                                  RECORD_INT("unit"),
                                  RECORD_INT("clock"),
                                  RECORD_INT("address"),
                                  { "*", MILL_AS_ANY, MILL_KIND(MILL_RECORD) } };

static const MillColumn launch_columns[] = {
  MILL_CELL_COLUMN("grid_x", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Blocks"),
  MILL_CELL_COLUMN("grid_y", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Blocks"),
  MILL_CELL_COLUMN("grid_z", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Blocks"),
  MILL_CELL_COLUMN("block_x", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Threads"),
  MILL_CELL_COLUMN("block_y", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Threads"),
  MILL_CELL_COLUMN("block_z", NULL, MILL_INT, MILL_COLUMN_BRIEF, "Threads"),
  MILL_CELL_COLUMN("shared", "bytes", MILL_INT, 0, "Dynamic shared memory"),
  MILL_CELL_COLUMN("sections", "count", MILL_INT, MILL_COLUMN_BRIEF, "Number of sections"),
  MILL_CELL_COLUMN("bytes", "bytes", MILL_INT, 0, "Size of the file"),
};
static const MillColumn section_columns[] = {
  MILL_CELL_COLUMN("section", NULL, MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
                   "Number of the section, from 0"),
  MILL_CELL_COLUMN("schema", NULL, MILL_TEXT, MILL_COLUMN_BRIEF, "Meaning of its records"),
  MILL_CELL_COLUMN("layout", NULL, MILL_TEXT, MILL_COLUMN_BRIEF,
                   "Meaning of the size in the file: total, unit or divisor"),
  MILL_CELL_COLUMN("fields", NULL, MILL_TEXT, 0, "Fields of a record"),
  MILL_CELL_COLUMN("level", "count", MILL_INT, MILL_COLUMN_BRIEF, "Threads of a unit"),
  MILL_CELL_COLUMN("unit_bytes", "bytes", MILL_INT, 0, "Size of a unit"),
  MILL_CELL_COLUMN("capacity", "count", MILL_INT, 0, "Records for which a unit has room"),
  MILL_CELL_COLUMN("units", "count", MILL_INT, MILL_COLUMN_BRIEF, "Number of threads or warps"),
  MILL_CELL_COLUMN("offset", "bytes", MILL_INT, 0, "Begin of the section in the file"),
  MILL_CELL_COLUMN("extent", "bytes", MILL_INT, 0, "Size of the section in the file"),
};
static const MillColumn record_columns[] = {
  MILL_CELL_COLUMN("section", NULL, MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
                   "Number of the section, from 0"),
  MILL_CELL_COLUMN("block", NULL, MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
                   "Number of the block"),
  MILL_CELL_COLUMN("unit", NULL, MILL_INT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF,
                   "Thread or warp of the block"),
  MILL_CELL_COLUMN("place", NULL, MILL_INT, MILL_COLUMN_KEY, "Number of the first value"),
  MILL_CELL_COLUMN("values", NULL, MILL_TEXT, MILL_COLUMN_BRIEF, "Values as FIELD=VALUE"),
};

static const MillTable tables[] = {
  [TABLE_LAUNCH] = { .per = MILL_PER_LANE,
                     .brief_rows = 12,
                     .name = "dump-launch",
                     .help = "Header of a trace",
                     .columns = MILL_ROWS(launch_columns) },
  [TABLE_SECTIONS] = { .per = MILL_PER_LANE,
                       .brief_rows = 24,
                       .name = "dump-sections",
                       .help = "Sections of a trace",
                       .columns = MILL_ROWS(section_columns) },
  [TABLE_RECORDS] = { .per = MILL_PER_LANE,
                      .brief_rows = 24,
                      .name = "dump-records",
                      .help = "The first records of each section",
                      .columns = MILL_ROWS(record_columns) },
};

static const char *const needs[] = { "input.probe", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = dump_open,
  .process = dump_process,
  .report = dump_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "probe-dump",
  .family = "probe",
  .version = "1.0.0",
  .tag = "PRDUMP",
  .title = "Show the contents of a probe's trace",
  .help = "Shows the header, the sections with their detected layout, and the first records of "
          "each section. Files have no magic number, so check the layout here.",
  .needs = needs,
  OWN_ROWS(options, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
