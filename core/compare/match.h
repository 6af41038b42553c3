/* Which rows of several tables are about the same thing. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_MATCH_H
#define COMPARE_MATCH_H

#include <stagemill/types.h>

typedef struct MatchTable { /* of one run */
  const MillValue *const *rows;
  uint32_t n_rows;
  const uint32_t
      *keys; /* columns: first those that always count, then those that count between rows which the
                           first ones do not tell apart */
} MatchTable;

#define MATCH_NONE UINT32_MAX
typedef struct Match {
  uint32_t n_groups, n_tables;
  uint32_t *rows;  /* of a group: the row of each table, or MATCH_NONE */
  bool needs_more; /* keys of the second kind counted */
} Match;

/* Groups are in the order of their first rows.  Rows of one table with equal keys are told apart by their order. */
Match *match_rows(const MatchTable *tables, uint32_t n_tables, uint32_t n_keys,
                  uint32_t n_more_keys);
void match_free(Match *m);
static inline uint32_t match_row(const Match *m, uint32_t group, uint32_t table)
{
  return m->rows[(size_t)group * m->n_tables + table];
}
/* Numbers are equal whatever their type is. */
bool match_equal(const MillValue *a, const MillValue *b);

#endif
