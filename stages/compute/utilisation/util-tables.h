/* Tables of ideal cycles, from the records of side inputs. */
/* SPDX-License-Identifier: MIT */
#ifndef UTIL_TABLES_H
#define UTIL_TABLES_H

#include "kit/declare/rows.h"
#include "kit/state/state.h"
#include "util-names.h"

typedef struct UtilRow {
  uint32_t kernel, category;
  int64_t cycles;
} UtilRow;

typedef struct UtilTable {
  int64_t rank;   /* that it is for; -1: all */
  uint32_t phase; /* a text */
  bool autopilot; /* only what it says of all kernels together counts */
  int64_t sum;    /* of its kernels' cycles */
  int64_t total;  /* what it says itself; 0: nothing */
  UtilRow *rows;
  size_t max_rows;
  uint32_t n_rows;
} UtilTable;

typedef struct UtilUse { /* a row of a kernel */
  uint32_t table, next;  /* the use of the same kernel before it, plus 1 */
  int64_t cycles;
} UtilUse;

typedef struct UtilTables {
  const MillHost *common;
  MillSym of_table, of_kernel, of_log;
  MillSym phase_key, kernel_key, category_key, cycles_key, autopilot_key;
  Names texts; /* phases and categories */
  UtilTable *tables;
  size_t max_tables;
  uint32_t n_tables;
  UtilUse *uses; /* once they were indexed */
  uint32_t *of_number; /* by kernel: its last use, plus 1 */
} UtilTables;

/* Phases and categories are saved by name, kernels by their numbers in STATE_NAMES 0. */
extern const StateType util_tables_state, util_row_state;

/* Here and below false means that memory was refused. */
void util_tables_open(UtilTables *, const MillHost *common);
/* A record of the lane; others are nothing. */
bool util_tables_observe(UtilTables *, Names *kernels, const MillBatch *, const MillEvent *,
                         int64_t rank);
/* All cycles of a table: what it says, or else their sum. */
static inline int64_t util_table_cycles(const UtilTable *table)
{
  return table->total ? table->total : table->sum;
}
/* Finds the rows of each of so many kernels; no more tables come. */
bool util_tables_index(UtilTables *, size_t n_kernels);

/* For a stage's `reads`. */
#define UTIL_TABLES_READS                                      \
  RECORD_TEXT("phase"),           \
      RECORD_INT("ideal_cycles"), \
      RECORD_TEXT("kernel"),      \
      RECORD_TEXT("category"),    \
  {                                                            \
    "autopilot", MILL_AS_INT, MILL_KIND(MILL_RECORD)           \
  }

#endif
