/* Whether rows come in the order that a statement asks for; see in-order.h. */
/* SPDX-License-Identifier: MIT */
#include "sql/object/in-order.h"

#include <string.h>

typedef struct Known {
  uint32_t columns[IN_ORDER_COLUMNS], n;
  bool yes;
} Known;

static bool are_whole(const SqlTable *t, const uint32_t *columns, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t type = t->columns[columns[i]].type;
    if (type != MILL_INT && type != MILL_BOOL) return false;
  }
  return true;
}

/* Of a row and the one before it: below, above or equal to 0; what is missing comes first. */
static int compare(const MillValue *a, const MillValue *b, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const bool has_a = a[i].type != MILL_NONE, has_b = b[i].type != MILL_NONE;
    if (has_a != has_b) return has_a ? 1 : -1;
    if (has_a && a[i].u.i != b[i].u.i) return a[i].u.i < b[i].u.i ? -1 : 1;
  }
  return 0;
}

static bool look(const SqlTable *t, const uint32_t *columns, uint32_t n)
{
  MillValue before[IN_ORDER_COLUMNS] = { 0 }, now[IN_ORDER_COLUMNS] = { 0 };
  SqlScan scan = { .columns = 0 };
  for (uint32_t i = 0; i < n; i++) scan.columns |= (uint64_t)1 << MIN(columns[i], 63);
  void *rows = t->begin(t, &scan);
  bool first = true, ordered = rows != NULL;
  int more = 0;
  while (ordered && (more = t->next(rows)) == 1) {
    for (uint32_t i = 0; i < n; i++) now[i] = t->cell(rows, columns[i]);
    ordered = first || compare(before, now, n) <= 0;
    memcpy(before, now, sizeof before);
    first = false;
  }
  if (rows) t->end(rows);
  return ordered && more == 0;
}

bool in_order(InOrder *o, const SqlTable *table, const uint32_t *columns, uint32_t n)
{
  Known ask = { .n = n };
  if (n > IN_ORDER_COLUMNS || !are_whole(table, columns, n)) return false;
  memcpy(ask.columns, columns, n * sizeof *columns);
  for (guint i = 0; o->known && i < o->known->len; i++) {
    const Known *k = &g_array_index(o->known, Known, i);
    if (k->n == n && !memcmp(k->columns, ask.columns, sizeof ask.columns)) return k->yes;
  }
  if (!o->known) o->known = g_array_new(FALSE, FALSE, sizeof(Known));
  ask.yes = look(table, columns, n);
  g_array_append_val(o->known, ask);
  return ask.yes;
}

void in_order_free(InOrder *o) { g_clear_pointer(&o->known, g_array_unref); }
