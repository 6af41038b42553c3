/* Tables of ideal cycles, from the records of side inputs. */
#ifndef UTIL_TABLES_H
#define UTIL_TABLES_H

#include "kit/state/pairmap.h"
#include "util-names.h"

typedef struct UtilTable {
  int64_t rank;                /* that it is for; -1: all */
  uint32_t phase;              /* a text */
  bool autopilot;              /* only what it says of all kernels together counts */
  int64_t sum;                 /* of its kernels' cycles */
  int64_t total;               /* what it says itself; 0: nothing */
  uint32_t entries, n_entries; /* its rows follow each other */
} UtilTable;

typedef struct UtilEntry {
  uint32_t kernel, table, category;
  int64_t cycles;
  uint32_t next; /* the entry of the same kernel before it, plus 1 */
} UtilEntry;

typedef struct UtilTables {
  const MillHost *common;
  MillSym of_table, of_kernel, of_log;
  MillSym phase_key, kernel_key, category_key, cycles_key, autopilot_key;
  UtilTable *tables;
  UtilEntry *entries;
  size_t max_tables, max_entries;
  uint32_t n_tables, n_entries;
  UtilTexts texts;     /* phases and categories */
  uint32_t *of_number; /* by kernel: its last entry, plus 1 */
  size_t max_kernels;
} UtilTables;

/* Here and below false means that memory was refused. */
bool util_tables_open(UtilTables *, const MillHost *common);
/* A record of the lane; others are nothing. */
bool util_tables_observe(UtilTables *, UtilTexts *kernels, const MillBatch *, const MillEvent *,
                         int64_t rank);
/* All cycles of a table: what it says, or else their sum. */
static inline int64_t util_table_cycles(const UtilTable *table)
{
  return table->total ? table->total : table->sum;
}
/* The last entry of a kernel, plus 1. */
static inline uint32_t util_tables_last(const UtilTables *t, uint32_t kernel)
{
  return kernel < t->max_kernels ? t->of_number[kernel] : 0;
}

/* Kernels are saved by number: those of the lane before, those of the run after. */
void util_tables_save(const UtilTables *, const MillStageHost *);
bool util_tables_merge(UtilTables *, const MillStageHost *, const uint32_t *kernels,
                       uint32_t n_kernels);

/* For a stage's `reads`. */
#define UTIL_TABLES_READS                                      \
  { "phase", MILL_AS_TEXT, MILL_KIND(MILL_RECORD) },           \
      { "ideal_cycles", MILL_AS_INT, MILL_KIND(MILL_RECORD) }, \
      { "kernel", MILL_AS_TEXT, MILL_KIND(MILL_RECORD) },      \
      { "category", MILL_AS_TEXT, MILL_KIND(MILL_RECORD) },    \
  {                                                            \
    "autopilot", MILL_AS_INT, MILL_KIND(MILL_RECORD)           \
  }

#endif
