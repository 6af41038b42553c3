/* One table of ideal cycles: its kernels, and what rows that repeat one say. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "compiler-log.h"
#include "kit/read/input.h"
#include "kit/text/symbol.h"

void clog_table_init(Table *t, const MillHost *common)
{
  *t = (Table){ .common = common, .by_name = { .common = common, .seed = common->seed } };
}

static void forget_kernels(Table *t)
{
  for (uint32_t i = 0; i < t->n_kernels; i++) {
    t->common->resize(t->common, t->kernels[i].name, 0);
    t->common->resize(t->common, t->kernels[i].category, 0);
  }
  t->n_kernels = 0;
  pair_table_clear(&t->by_name);
}

void clog_table_clear(Table *t)
{
  if (!t->common) return;
  forget_kernels(t);
  if (t->kernels) t->common->resize(t->common, t->kernels, 0);
}

void clog_note(const MillHost *common, uint32_t number, const char *what, size_t len)
{
  const MillNamed named = { "what", mill_text(what, len) };
  common->note(common, number, NULL, MILL_NO_EVENT, &named, 1);
}

void clog_table_begin(Table *t, const char *phase, uint64_t line)
{
  forget_kernels(t);
  t->n_rows = t->ideal_cycles = 0;
  t->line = line;
  t->phase = phase;
  t->is_open = true;
}

/* NULL: refused. */
static char *copy_of(const Table *t, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = mill_new(t->common, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* By its symbol. */
static int add_kernel(Table *t, MillSym symbol, const Kernel *kernel)
{
  Kernel k = *kernel;
  Kernel *larger =
      array_grow(t->common, t->kernels, t->n_kernels, &t->max_kernels, sizeof *t->kernels);
  if (!larger) return -MILL_LIMIT;
  t->kernels = larger;
  k.name = copy_of(t, kernel->name);
  k.category = k.name ? copy_of(t, kernel->category) : NULL;
  if (!k.category || !pair_table_put(&t->by_name, symbol, 0, t->n_kernels + 1)) return -MILL_LIMIT;
  t->kernels[t->n_kernels++] = k;
  return 0;
}

static void merge(const Table *t, Kernel *k, const char *category, int64_t cycles)
{
  k->rows++;
  if (k->cycles && cycles && k->cycles != cycles)
    clog_note(t->common, CLOG_CYCLES, k->name, strlen(k->name));
  if (!k->cycles) k->cycles = cycles;
  if (strcmp(k->category, category)) clog_note(t->common, CLOG_CATEGORY, k->name, strlen(k->name));
}

int clog_table_add(Table *t, const char *name, const char *category, int64_t cycles, uint64_t line)
{
  if (t->n_rows == CLOG_MAX_ROWS)
    return input_fail(t->common, clog_notices, CLOG_TOO_MANY, MILL_LIMIT, NULL, NULL, NULL);
  t->n_rows++;
  if (strcmp(category, "Total") &&
      __builtin_add_overflow(t->ideal_cycles, cycles, &t->ideal_cycles))
    t->ideal_cycles = INT64_MAX;
  MillSym symbol = symbol_of(t->common, name);
  uint64_t known = pair_table_get(&t->by_name, symbol, 0);
  const Kernel k = { (char *)name, (char *)category, cycles, 1, line };
  if (!known) return add_kernel(t, symbol, &k);
  merge(t, &t->kernels[known - 1], category, cycles);
  return 0;
}

/* ---------------------------------------------------------------------- rows */

#define SHOWN 120u /* bytes of a line, in a notice */

/* The line at hand, by its number and how it begins. */
static void note_line(const Table *t, uint32_t number, const char *line, size_t len, uint64_t at)
{
  size_t front = clog_front(line, len);
  g_autofree char *what = g_strdup_printf("line %" G_GUINT64_FORMAT ": %.*s", at,
                                          (int)MIN(len - front, SHOWN), line + front);
  clog_note(t->common, number, what, strlen(what));
}

int clog_table_line(Table *t, const char *line, size_t len, uint64_t number)
{
  static const uint32_t notices[] = {
    [CLOG_IS_ODD] = CLOG_NAME, [CLOG_IS_LARGE] = CLOG_LARGE, [CLOG_IS_UNREADABLE] = CLOG_ROW
  };
  ClogRow row;
  int status = 0;
  ClogLine is = clog_row(line, len, &row);
  if (is == CLOG_IS_ROW)
    status = clog_table_add(t, row.name, row.category, row.cycles, number);
  else if (is != CLOG_IS_NOTHING)
    note_line(t, notices[is], line, len, number);
  clog_row_clear(&row);
  return status;
}
