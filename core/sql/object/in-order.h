/* Whether rows come in the order that a statement asks for: then SQLite sorts nothing. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_IN_ORDER_H
#define SQL_IN_ORDER_H

#include <glib.h>

#include "sql/table.h"

enum { IN_ORDER_COLUMNS = 4 };

typedef struct InOrder { /* what was found out about a table; all zero at first */
  GArray *known;
} InOrder;

/* Looks at all rows once.  Columns of integers alone: SQLite orders them as numbers, with those that are missing first. */
bool in_order(InOrder *o, const SqlTable *table, const uint32_t *columns, uint32_t n);
void in_order_free(InOrder *o);

#endif
