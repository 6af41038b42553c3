/* Which pages a launch refers to, over its time: the page reference map. */
/* SPDX-License-Identifier: MIT */
#include "access-map.h"

#include <string.h>

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/sort.h"
#include "kit/text/symbol.h"

static int map_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out_instance)
{
  (void)self, (void)level;
  Map *x = mill_new(host->common, sizeof *x);
  if (!x) return -MILL_LIMIT;
  x->host = host;
  x->options = options;
  probe_open(&x->reader, host->common);
  probe_pairs_open(&x->pairs, host->common, (uint64_t)x->options->page,
                   (uint64_t)x->options->max_pairs);
  *out_instance = x;
  return x->options->page & (x->options->page - 1)
             ? mill_fail(host->common, MILL_STAGE_FAILED,
                         "the size of a page is not a power of two",
                         "page=4KiB, 64KiB, 2MiB, or a line of the cache: 32, 128")
             : 0;
}

/* --------------------------------------------------------------- accesses come */

static int add_unit(Map *x, const MillBatch *b, const MillEvent *e)
{
  ProbeUnit u;
  size_t n, n_addresses;
  if (!probe_unit(&x->reader, b, e, &u) || u.section->kind != PROBE_DMAT) return 0;
  const MillAttr *clock = probe_list(&x->reader, &u, PROBE_CLOCK, &n);
  const MillAttr *address = probe_list(&x->reader, &u, PROBE_ADDRESS, &n_addresses);
  if (n_addresses < n) n = n_addresses;
  for (size_t i = 0; i < n; i++) {
    uint64_t at = (uint64_t)clock[i].u.i, where = (uint64_t)address[i].u.i;
    if ((!at && !where) || clock[i].u.i < 0) {
      x->used += at != 0;
      if (at && at != UINT64_MAX) mill_note(x->host->common, NOTICE_WRAPPED);
      continue;
    }
    int status = probe_pairs_add(&x->pairs, at, where, 1);
    if (status < 0) return status;
    x->used++;
  }
  return 0;
}

static int add_page(Map *x, const MillBatch *b, const MillEvent *e)
{
  int64_t clock = 0, page = 0, count = 0;
  mill_attr_int(b, e, x->reader.keys[PROBE_CLOCK], &clock);
  mill_attr_int(b, e, x->reader.keys[PROBE_PAGE], &page);
  mill_attr_int(b, e, x->reader.keys[PROBE_COUNT], &count);
  if (clock == -1 || count <= 0) return 0;
  if (clock < 0) {
    mill_note(x->host->common, NOTICE_WRAPPED);
    return 0;
  }
  return probe_pairs_add(&x->pairs, (uint64_t)clock, (uint64_t)page, (uint64_t)count);
}

static bool text_part(const Map *x, const MillBatch *b, const MillEvent *e, const char *key,
                      char *io_label, size_t size)
{
  const MillAttr *a = mill_attr(b, e, symbol_of(x->host->common, key));
  size_t len = 0, had = strlen(io_label);
  const char *text = a ? mill_attr_text(b, a, &len) : NULL;
  if (had) had += (size_t)(stpcpy(io_label + had, ", ") - (io_label + had));
  if (!text) text = "Unknown", len = 7;
  if (len > (size - 8) / 2) {
    len = (size - 8) / 2;
    while (len && ((unsigned char)text[len] & 0xc0) == 0x80) len--; /* a character stays whole */
  }
  memcpy(io_label + had, text, len);
  io_label[had + len] = 0;
  return true;
}

static int add_tensor(Map *x, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = x->host->common;
  char label[512] = "";
  int64_t pointer = 0, bytes = 0;
  mill_attr_int(b, e, symbol_of(common, "pointer"), &pointer);
  mill_attr_int(b, e, symbol_of(common, "bytes"), &bytes);
  text_part(x, b, e, "shape", label, sizeof label);
  text_part(x, b, e, "name", label, sizeof label);
  if (!array_reserve(common, &x->tensors, &x->tensors_capacity, x->n_tensors + 1,
                     sizeof *x->tensors))
    return -MILL_LIMIT;
  char *kept = mill_new(common, strlen(label) + 1);
  if (!kept) return -MILL_LIMIT;
  strcpy(kept, label);
  x->tensors[x->n_tensors].pointer = (uint64_t)pointer;
  x->tensors[x->n_tensors].bytes = (uint64_t)bytes;
  x->tensors[x->n_tensors++].label = kept;
  return 0;
}

static int map_process(void *instance, MillBatch *b)
{
  Map *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_RECORD) continue;
    if (e->name == x->reader.unit)
      status = add_unit(x, b, e);
    else if (e->name == x->reader.page)
      status = add_page(x, b, e);
    else if (e->name == x->reader.tensor)
      status = add_tensor(x, b, e);
    else
      probe_take(&x->reader, b, e);
  }
  return status;
}

/* ---------------------------------------------------------------------- report */

/* Places that nothing was written to, as the published program counts them: page 0 at clock 0. */
static int add_empty(Map *x)
{
  uint64_t places = 0;
  for (uint32_t i = 0; i < x->reader.n_sections; i++) {
    const ProbeSection *s = &x->reader.sections[i];
    if (s->kind == PROBE_DMAT) places += (uint64_t)s->units * (uint64_t)s->capacity;
  }
  if (!x->options->keep_empty || places <= x->used) return 0;
  return probe_pairs_add(&x->pairs, 0, 0, places - x->used);
}

static uint64_t at_least_one(uint64_t v) { return v ? v : 1; }

/* 160 columns and 100 rows as they are meant; more clocks or pages to each where they would not fit. */
static void set_grid(Map *x)
{
  uint64_t clocks = x->pairs.max_clock, pages = x->pairs.n_pages;
  x->qx = at_least_one(clocks / (COLUMNS - 2));
  x->qy = at_least_one(pages / (ROWS - 2));
  while (pages && (pages - 1) / x->qy > ROWS - 1) x->qy++;
  while (clocks / x->qx > COLUMNS - 1) x->qx++;
}

static void note_rounding(const Map *x)
{
  if (x->pairs.shift) mill_note(x->host->common, NOTICE_COARSE);
  if (x->pairs.larger) mill_note(x->host->common, NOTICE_LARGER);
  if (x->pairs.cut) mill_note(x->host->common, NOTICE_FAR);
}

static int count_clocks(Map *x, int64_t *out)
{
  int64_t *clocks = mill_new(x->host->common, (x->rows.n + 1) * sizeof *clocks);
  uint64_t n = 0;
  if (!clocks) return -MILL_LIMIT;
  for (size_t i = 0; i < x->rows.n; i++) clocks[i] = (int64_t)probe_row_clock(&x->rows.at[i]);
  sort_rows(clocks, x->rows.n, 1);
  for (size_t i = 0; i < x->rows.n; i++) n += i == 0 || clocks[i] != clocks[i - 1];
  array_free(x->host->common, clocks);
  *out = (int64_t)n;
  return 0;
}

typedef struct AllRow {
  int64_t pages, clocks, pairs, references, max_clock, pages_per_row, clocks_per_column, late_pairs,
      clock_step, page_bytes;
} AllRow;

static int all_row(Map *x)
{
  int64_t clocks;
  if (count_clocks(x, &clocks) < 0) return -MILL_LIMIT;
  for (size_t i = 0; i < x->rows.n; i++) x->late += map_is_late(x, &x->rows.at[i]);
  for (uint64_t i = 0; i < x->late; i++) mill_note(x->host->common, NOTICE_LATE);
  const AllRow row = {
    .pages = (int64_t)x->rows.n_pages,
    .clocks = clocks,
    .pairs = (int64_t)x->rows.n,
    .references = (int64_t)x->pairs.references,
    .max_clock = (int64_t)x->pairs.max_clock,
    .pages_per_row = (int64_t)x->qy,
    .clocks_per_column = (int64_t)x->qx,
    .late_pairs = (int64_t)x->late,
    .clock_step = (int64_t)1 << x->pairs.shift,
    .page_bytes = (int64_t)(~x->pairs.page_mask + 1),
  };
  return mill_row(x->host, TABLE_ALL, &row);
}

static int map_report(void *instance)
{
  Map *x = instance;
  int status = add_empty(x);
  if (status < 0) return status;
  set_grid(x);
  note_rounding(x);
  if (!probe_pairs_rows(&x->pairs, false, &x->rows)) return -MILL_LIMIT;
  if (x->rows.n == 0) return 0;
  x->cells = mill_new(x->host->common, sizeof *x->cells * COLUMNS * ROWS);
  x->owned = mill_new(x->host->common, x->rows.n_pages);
  if (!x->cells || !x->owned || !map_make_groups(x)) return -MILL_LIMIT;
  status = all_row(x);
  if (status == 0) status = map_group_rows(x);
  if (status == 0) status = map_page_rows(x);
  return status < 0 ? status : map_history_rows(x);
}

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_SIZE_OPTION(Options, page, "page", "64KiB", "32:1GiB", "Bytes of a page: a power of two"),
  MILL_INT_OPTION(Options, clock_limit, "clock-limit", "5000000", "1:274877906944", "cycles",
                  "Leave accesses from this clock on out of the map"),
  MILL_INT_OPTION(Options, max_pairs, "max-pairs", "4194304", "16:67108864", NULL,
                  "Clock and page are exact up to this many pairs of them"),
  MILL_BOOL_OPTION(Options, keep_empty, "keep-empty", "false",
                   "Count unwritten records as page 0 at clock 0, as the published program does"),
  MILL_BOOL_OPTION(Options, regions, "regions", "false",
                   "Without tensors: group pages whose gaps are at most 64 KiB"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_LATE, "{count} pair[|s] of clock and page [is|are] beyond clock-limit",
      "[it is|they are] not in the map", "raise clock-limit",
      "A wrongly read clock makes the columns of all others too wide. The map leaves out accesses "
      "after 5,000,000 cycles, as the published program does."),
  MILL_WARNING(
      NOTICE_COARSE, "clocks were rounded down in {count} trace[|s]",
      "the column clock_step has the step", "raise max-pairs",
      "Pairs of clock and page are exact up to max-pairs. With more pairs, clocks are rounded down "
      "to a power of two, at most a sixteenth of a column of the map."),
  MILL_WARNING(
      NOTICE_LARGER, "pages were made larger in {count} trace[|s]",
      "the column page_bytes has the size", "raise max-pairs",
      "If clocks cannot be rounded further and there are still more than max-pairs pairs, the size "
      "of pages is doubled, down to 4 pages for each row of the map. A page that holds some of a "
      "tensor then belongs to that tensor."),
  MILL_WARNING(NOTICE_FAR, "{count} trace[|s] [has|have] clocks of 2^39 or more",
               "these count as one clock, so there are fewer clocks and pairs", NULL,
               "A pair holds 39 bits of its clock. All such clocks are beyond clock-limit."),
  MILL_WARNING(NOTICE_WRAPPED, "{count} access[|es] [has|have] a clock of 2^63 or more",
               "[it is|they are] left out", NULL,
               "The clock is the time since the thread began. It is negative, and so reads as 2^63 "
               "or more, if the thread moved to another SM whose counter is behind."),
};

static const MillRead reads[] = { PROBE_READS,         RECORD_INT("clock"),  RECORD_INT("address"),
                                  RECORD_INT("page"),  RECORD_INT("count"),  RECORD_INT("pointer"),
                                  RECORD_INT("bytes"), RECORD_TEXT("shape"), RECORD_TEXT("name") };

static const MillColumn all_columns[] = {
  MILL_BRIEF(AllRow, pages, "pages", "count", "Pages with an access"),
  MILL_COLUMN(AllRow, clocks, "clocks", "count", 0, "Clocks with an access"),
  MILL_BRIEF(AllRow, pairs, "pairs", "count", "Pairs of clock and page with an access"),
  MILL_BRIEF(AllRow, references, "references", "count", "Accesses"),
  MILL_BRIEF(AllRow, max_clock, "max_clock", "ticks", "Highest clock"),
  MILL_COLUMN(AllRow, pages_per_row, "pages_per_row", "count", 0, "Pages in a row of the map"),
  MILL_COLUMN(AllRow, clocks_per_column, "clocks_per_column", "ticks", 0,
              "Clocks in a column of the map"),
  MILL_COLUMN(AllRow, late_pairs, "late_pairs", "count", 0, "Pairs from clock-limit on"),
  MILL_COLUMN(AllRow, clock_step, "clock_step", "ticks", 0,
              "Step to which clocks were rounded down; 1: not rounded"),
  MILL_COLUMN(AllRow, page_bytes, "page_bytes", "bytes", 0,
              "Size of a page: the option page, or more"),
};
static const MillColumn group_columns[] = {
  MILL_KEY_BRIEF(GroupRow, group, "group", NULL,
                 "Number of the group, in the order in which groups are drawn"),
  MILL_BRIEF(GroupRow, label, "label", NULL, "Ptr NUMBER: shape, name"),
  MILL_COLUMN(GroupRow, ptr, "ptr", NULL, 0, "Address of the tensor or region"),
  MILL_BRIEF(GroupRow, references, "references", "count", "Accesses"),
  MILL_COLUMN(GroupRow, cells, "cells", "count", 0, "Cells of the map with an access"),
  MILL_COLUMN(GroupRow, p20, "p20", "count", 0, "20th percentile of the accesses of a cell"),
  MILL_COLUMN(GroupRow, p40, "p40", "count", 0, "40th percentile of the accesses of a cell"),
  MILL_COLUMN(GroupRow, p60, "p60", "count", 0, "60th percentile of the accesses of a cell"),
  MILL_COLUMN(GroupRow, p80, "p80", "count", 0, "80th percentile of the accesses of a cell"),
};
static const MillColumn cell_columns[] = {
  MILL_KEY(CellRow, group, "group", NULL, "Number of the group, as in access-groups"),
  MILL_KEY(CellRow, row, "row", NULL, "Row of the map; 0: top row, with the highest pages"),
  MILL_KEY(CellRow, column, "column", NULL, "Column of the map; 0: column with the lowest clocks"),
  MILL_COLUMN(CellRow, count, "count", "count", 0, "Accesses"),
  MILL_COLUMN(CellRow, level, "level", NULL, 0,
              "1 to 5: 1 plus the number of percentiles in access-groups below the count"),
  MILL_COLUMN(CellRow, clock, "clock", "ticks", 0, "Lowest clock of the column"),
  MILL_COLUMN(CellRow, page, "page", NULL, 0, "Lowest page of the row"),
  MILL_COLUMN(CellRow, page_number, "page_number", NULL, 0,
              "Position of this page in the order of addresses, from 0"),
  MILL_COLUMN(CellRow, tensor, "tensor", NULL, 0,
              "Label of the group; beyond the 12 groups with the most accesses: others (n)"),
};
static const MillColumn page_columns[] = {
  MILL_KEY_BRIEF(PageRow, page, "page", NULL, "Address of the page"),
  MILL_BRIEF(PageRow, references, "references", "count", "Accesses"),
};
static const MillColumn working_columns[] = {
  MILL_KEY(WorkingRow, column, "column", NULL, "Column of the map"),
  MILL_COLUMN(WorkingRow, pages, "pages", "count", 0, "Pages with an access in this column"),
  MILL_COLUMN(WorkingRow, new_pages, "new_pages", "count", 0,
              "Pages whose first access is in this column"),
};
static const MillColumn reuse_columns[] = {
  MILL_KEY(ReuseRow, low, "low", "ticks", "Clocks between two accesses to a page: at least this"),
  MILL_COLUMN(ReuseRow, high, "high", "ticks", 0,
              "Clocks between two accesses to a page: less than this"),
  MILL_COLUMN(ReuseRow, count, "count", "count", 0, "Number of such pairs of accesses"),
};

static const MillTable tables[] = {
  [TABLE_ALL] = { .per = MILL_PER_LANE,
                  .brief_rows = 12,
                  .name = "access-map",
                  .help = "Summary of the map",
                  .columns = MILL_ROWS(all_columns) },
  [TABLE_GROUPS] = { .per = MILL_PER_LANE,
                     .brief_rows = 12,
                     .name = "access-groups",
                     .help = "Tensors, or regions of memory",
                     .columns = MILL_ROWS(group_columns) },
  [TABLE_CELLS] = { .per = MILL_PER_LANE,
                    .name = "access-cells",
                    .help = "Cells of the map with an access",
                    .columns = MILL_ROWS(cell_columns) },
  [TABLE_PAGES] = { .per = MILL_PER_LANE,
                    .brief_rows = TOP_PAGES,
                    .name = "access-pages",
                    .help = "The pages with the most accesses",
                    .order = "-references",
                    .columns = MILL_ROWS(page_columns) },
  [TABLE_WORKING_SET] = { .per = MILL_PER_LANE,
                          .name = "working-set",
                          .help = "Pages with an access, for each column of the map",
                          .columns = MILL_ROWS(working_columns) },
  [TABLE_REUSE] = { .per = MILL_PER_LANE,
                    .name = "page-reuse",
                    .help = "Time between two accesses to a page, by powers of two",
                    .columns = MILL_ROWS(reuse_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_DENSITY,
    .name = "access-map",
    .title = "Page Reference Map",
    .table = "access-cells",
    .x = "clock",
    .y = "page_number",
    .value = "level",
    .series = "tensor",
    .flags = MILL_FIGURE_OWN_AXES | MILL_FIGURE_MOMENTS,
    .palette = "ramps",
    .reduce = "max",
    .value_low = "1",
    .value_high = "5",
    .x_label = "Clock",
    .y_label = "Pages",
    .value_label = "Level",
    .annotation = "page" },
  { .kind = MILL_FIGURE_LINE,
    .name = "working-set",
    .title = "Pages over Time",
    .table = "working-set",
    .x = "column",
    .y = "pages",
    .flags = MILL_FIGURE_STEP,
    .x_label = "column of the map" },
  { .kind = MILL_FIGURE_HISTOGRAM,
    .name = "page-reuse",
    .title = "Time between Two Accesses to a Page",
    .table = "page-reuse",
    .x = "low",
    .y = "count",
    .x_end = "high",
    .x_scale = "log2",
    .x_label = "clocks" },
};

static const char *const needs[] = { "probe.access", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = map_open,
  .process = map_process,
  .report = map_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "access-map",
  .family = "probe",
  .version = "1.0.0",
  .tag = "ACCESS",
  .title = "Pages that a launch accesses, over its time",
  .help =
      "Counts accesses by clock and page in the cells of a map, with a group for each tensor. Also "
      "shows the pages in use over time, and the time between two accesses to a page.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
