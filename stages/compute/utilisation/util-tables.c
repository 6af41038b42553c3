/* Reading tables of ideal cycles, and finding the rows of a kernel; see util-tables.h. */
#include "util-tables.h"

#include "kit/state/grow.h"
#include "kit/trace/transfer.h"

static const char total_kernel[] = "Total Cmpt Exec";

static MillSym symbol(const MillHost *common, const char *text)
{
  return common->intern(common, text, strlen(text));
}

bool util_tables_open(UtilTables *t, const MillHost *common)
{
  *t = (UtilTables){ .common = common };
  t->of_table = symbol(common, "compiler.table");
  t->of_kernel = symbol(common, "compiler.kernel");
  t->of_log = symbol(common, "compiler.log");
  t->phase_key = symbol(common, "phase");
  t->kernel_key = symbol(common, "kernel");
  t->category_key = symbol(common, "category");
  t->cycles_key = symbol(common, "ideal_cycles");
  t->autopilot_key = symbol(common, "autopilot");
  return util_texts_open(&t->texts, common);
}

static bool add_table(UtilTables *t, const UtilTable *table)
{
  if (!array_reserve_at(t->common, &t->tables, &t->max_tables, t->n_tables, sizeof *t->tables))
    return false;
  t->tables[t->n_tables] = *table;
  t->tables[t->n_tables].entries = t->n_entries;
  t->tables[t->n_tables++].n_entries = 0;
  return true;
}

/* To the last table. */
static bool add_entry(UtilTables *t, uint32_t kernel, uint32_t category, int64_t cycles)
{
  const MillHost *common = t->common;
  if (!array_reserve_at(common, &t->entries, &t->max_entries, t->n_entries, sizeof *t->entries) ||
      !array_reserve_at(common, &t->of_number, &t->max_kernels, kernel, sizeof *t->of_number))
    return false;
  t->entries[t->n_entries] =
      (UtilEntry){ kernel, t->n_tables - 1, category, cycles, t->of_number[kernel] };
  t->of_number[kernel] = ++t->n_entries;
  t->tables[t->n_tables - 1].n_entries++;
  return true;
}

/* ------------------------------------------------------------------- records */

static uint32_t text_of(const UtilTables *t, UtilTexts *texts, const MillBatch *batch,
                        const MillEvent *e, MillSym key)
{
  char digits[DIGITS_MAX];
  size_t len;
  const char *text = transfer_text(t->common, batch, mill_attr(batch, e, key), digits, &len);
  return util_texts_number(texts, text ? text : "", text ? len : 0);
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

static bool observe_kernel(UtilTables *t, UtilTexts *kernels, const MillBatch *batch,
                           const MillEvent *e)
{
  uint32_t kernel = text_of(t, kernels, batch, e, t->kernel_key);
  uint32_t category = text_of(t, &t->texts, batch, e, t->category_key);
  int64_t cycles = cycles_of(t, batch, e);
  if (kernel == UTIL_NO_NAME || category == UTIL_NO_NAME) return false;
  const KeyedEntry *name = kernels->entries[kernel];
  if (name->len == sizeof total_kernel - 1 && !memcmp(name->key, total_kernel, name->len))
    t->tables[t->n_tables - 1].total = cycles;
  return add_entry(t, kernel, category, cycles);
}

bool util_tables_observe(UtilTables *t, UtilTexts *kernels, const MillBatch *batch,
                         const MillEvent *e, int64_t rank)
{
  int64_t on = 0;
  if (e->name == t->of_table) return observe_table(t, batch, e, rank);
  if (e->name == t->of_kernel && t->n_tables) return observe_kernel(t, kernels, batch, e);
  if (e->name != t->of_log || !mill_attr_int(batch, e, t->autopilot_key, &on)) return true;
  for (uint32_t i = 0; i < t->n_tables; i++) t->tables[i].autopilot = on != 0;
  return true;
}

/* ----------------------------------------------------------------- summaries */

void util_tables_save(const UtilTables *t, const MillStageHost *host)
{
  util_texts_save(&t->texts, host);
  host->put_int(host, t->n_tables);
  for (uint32_t i = 0; i < t->n_tables; i++) {
    const UtilTable *table = &t->tables[i];
    const int64_t values[] = { table->rank, table->phase, table->autopilot,
                               table->sum,  table->total, table->n_entries };
    for (uint32_t k = 0; k < MILL_COUNT(values); k++) host->put_int(host, values[k]);
    for (uint32_t k = 0; k < table->n_entries; k++) {
      const UtilEntry *entry = &t->entries[table->entries + k];
      host->put_int(host, entry->kernel);
      host->put_int(host, entry->category);
      host->put_int(host, entry->cycles);
    }
  }
}

static bool merge_entry(UtilTables *t, const MillStageHost *host, const uint32_t *kernels,
                        uint32_t n_kernels, const uint32_t *texts, uint32_t n_texts)
{
  uint64_t kernel = (uint64_t)host->get_int(host), category = (uint64_t)host->get_int(host);
  int64_t cycles = host->get_int(host);
  if (kernel >= n_kernels || category >= n_texts) return true; /* the summary is damaged */
  return add_entry(t, kernels[kernel], texts[category], cycles);
}

static bool merge_table(UtilTables *t, const MillStageHost *host, const uint32_t *kernels,
                        uint32_t n_kernels, const uint32_t *texts, uint32_t n_texts)
{
  int64_t v[5];
  for (uint32_t i = 0; i < MILL_COUNT(v); i++) v[i] = host->get_int(host);
  const UtilTable table = { .rank = v[0],
                            .phase = (uint64_t)v[1] < n_texts ? texts[v[1]] : 0,
                            .autopilot = v[2] != 0,
                            .sum = v[3],
                            .total = v[4] };
  bool fits = add_table(t, &table);
  for (uint64_t n = host->get_count(host, 6); n > 0 && fits; n--)
    fits = merge_entry(t, host, kernels, n_kernels, texts, n_texts);
  return fits;
}

bool util_tables_merge(UtilTables *t, const MillStageHost *host, const uint32_t *kernels,
                       uint32_t n_kernels)
{
  uint32_t n_texts;
  const uint32_t *texts = util_texts_load(&t->texts, host, &n_texts);
  bool fits = texts != NULL;
  for (uint64_t n = fits ? host->get_count(host, 12) : 0; n > 0 && fits; n--)
    fits = merge_table(t, host, kernels, n_kernels, texts, n_texts);
  return fits;
}
