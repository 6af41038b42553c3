/* Reading tables of ideal cycles, and finding the rows of a kernel; see util-tables.h. */
/* SPDX-License-Identifier: MIT */
#include "util-tables.h"

#include "kit/state/grow.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"

static const char total_kernel[] = "Total Cmpt Exec";

void util_tables_open(UtilTables *t, const MillHost *common)
{
  *t = (UtilTables){ .common = common, .texts = { .common = common } };
  t->of_table = symbol_of(common, "compiler.table");
  t->of_kernel = symbol_of(common, "compiler.kernel");
  t->of_log = symbol_of(common, "compiler.log");
  t->phase_key = symbol_of(common, "phase");
  t->kernel_key = symbol_of(common, "kernel");
  t->category_key = symbol_of(common, "category");
  t->cycles_key = symbol_of(common, "ideal_cycles");
  t->autopilot_key = symbol_of(common, "autopilot");
}

static bool add_table(UtilTables *t, const UtilTable *table)
{
  if (!array_reserve_at(t->common, &t->tables, &t->max_tables, t->n_tables, sizeof *t->tables))
    return false;
  t->tables[t->n_tables++] = *table;
  return true;
}

static bool add_row(const UtilTables *t, const UtilRow *row)
{
  UtilTable *last = &t->tables[t->n_tables - 1];
  if (!array_reserve_at(t->common, &last->rows, &last->max_rows, last->n_rows, sizeof *last->rows))
    return false;
  last->rows[last->n_rows++] = *row;
  return true;
}

/* ------------------------------------------------------------------- records */

static uint32_t text_of(const UtilTables *t, Names *texts, const MillBatch *batch,
                        const MillEvent *e, MillSym key)
{
  char digits[DIGITS_MAX];
  size_t len;
  const char *text = transfer_text(t->common, batch, mill_attr(batch, e, key), digits, &len);
  return util_number(texts, text ? text : "", text ? len : 0);
}

static int64_t cycles_of(const UtilTables *t, const MillBatch *batch, const MillEvent *e)
{
  int64_t cycles;
  return mill_attr_int(batch, e, t->cycles_key, &cycles) && cycles > 0 ? cycles : 0;
}

static bool observe_table(UtilTables *t, const MillBatch *batch, const MillEvent *e, int64_t rank)
{
  const UtilTable table = { .rank = rank,
                            .phase = text_of(t, &t->texts, batch, e, t->phase_key),
                            .sum = cycles_of(t, batch, e) };
  return table.phase != UTIL_NO_NAME && add_table(t, &table);
}

static bool observe_kernel(UtilTables *t, Names *kernels, const MillBatch *batch,
                           const MillEvent *e)
{
  uint32_t kernel = text_of(t, kernels, batch, e, t->kernel_key);
  uint32_t category = text_of(t, &t->texts, batch, e, t->category_key);
  int64_t cycles = cycles_of(t, batch, e);
  if (kernel == UTIL_NO_NAME || category == UTIL_NO_NAME) return false;
  const KeyedEntry *name = kernels->entries[kernel];
  if (name->len == sizeof total_kernel - 1 && !memcmp(name->key, total_kernel, name->len))
    t->tables[t->n_tables - 1].total = cycles;
  return add_row(t, &(UtilRow){ kernel, category, cycles });
}

bool util_tables_observe(UtilTables *t, Names *kernels, const MillBatch *batch, const MillEvent *e,
                         int64_t rank)
{
  int64_t on = 0;
  if (e->name == t->of_table) return observe_table(t, batch, e, rank);
  if (e->name == t->of_kernel && t->n_tables) return observe_kernel(t, kernels, batch, e);
  if (e->name != t->of_log || !mill_attr_int(batch, e, t->autopilot_key, &on)) return true;
  for (uint32_t i = 0; i < t->n_tables; i++) t->tables[i].autopilot = on != 0;
  return true;
}

/* ----------------------------------------------------------------- rows of kernels */

static void add_use(UtilTables *t, uint32_t *io_n, uint32_t table, const UtilRow *row)
{
  t->uses[*io_n] = (UtilUse){ table, t->of_number[row->kernel], row->cycles };
  t->of_number[row->kernel] = ++*io_n;
}

bool util_tables_index(UtilTables *t, size_t n_kernels)
{
  size_t n_rows = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->n_tables; i++) n_rows += t->tables[i].n_rows;
  t->uses = mill_new(t->common, (n_rows + 1) * sizeof *t->uses);
  t->of_number = mill_new(t->common, (n_kernels + 1) * sizeof *t->of_number);
  if (!t->uses || !t->of_number) return false;
  for (uint32_t i = 0; i < t->n_tables; i++)
    for (uint32_t k = 0; k < t->tables[i].n_rows; k++) add_use(t, &n, i, &t->tables[i].rows[k]);
  return true;
}

/* ----------------------------------------------------------------- summaries */

static const StateField row_fields[] = {
  STATE_NUMBER(UtilRow, kernel, 0),
  STATE_NUMBER(UtilRow, category, 1),
  STATE_FIRST(UtilRow, cycles),
};
const StateType util_row_state = STATE_TYPE(UtilRow, row_fields);

static const StateField table_fields[] = {
  STATE_FIRST(UtilTable, rank),      STATE_NUMBER(UtilTable, phase, 1),
  STATE_FIRST(UtilTable, autopilot), STATE_FIRST(UtilTable, sum),
  STATE_FIRST(UtilTable, total),     STATE_LIST(UtilTable, rows, n_rows, max_rows, util_row_state),
};
static const StateType table_state = STATE_TYPE(UtilTable, table_fields);

static const StateField tables_fields[] = {
  STATE_NAMES(UtilTables, texts, 1),
  STATE_LIST(UtilTables, tables, n_tables, max_tables, table_state),
};
const StateType util_tables_state = STATE_TYPE(UtilTables, tables_fields);
