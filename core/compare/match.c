/* Which rows of several tables are about the same thing; see match.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/match.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/hash-seed.h"

/* A group of rows.  Where tables have several rows with equal keys, others follow the first group. */
typedef struct Group {
  uint64_t hash;
  uint32_t table, row; /* its first one */
  uint32_t next;       /* the group of the next rows with equal keys, or MATCH_NONE */
  uint32_t above;      /* what the keys before these have told apart */
  bool follows;        /* it is the next of another one */
} Group;

typedef struct Index Index;
struct Index {
  const MatchTable *tables;
  uint32_t n_tables;
  uint32_t from, to; /* keys */
  GArray *groups;    /* Group */
  GArray *rows;      /* of each group the row of each table */
  GArray *tails;     /* the group that each table came to last, of those that follow a first one */
  uint32_t *slots;   /* a first group + 1; 0: free */
  uint32_t mask, n_used;
  const Index *before; /* the index by the keys before these, or NULL */
  uint32_t **firsts;   /* of each row of each table its first group; or NULL */
  bool *tied;          /* first groups of which some table has several rows */
  bool any_tied;
};

/* ------------------------------------------------------------------- cells */

/* A whole number as an integer, so that 8 and 8.0 are one key. */
static MillValue plain(const MillValue *v)
{
  if (v->type != MILL_REAL || v->u.r != rint(v->u.r) || fabs(v->u.r) > 9007199254740992.0)
    return *v;
  return mill_int((int64_t)v->u.r);
}

bool match_equal(const MillValue *a, const MillValue *b)
{
  if (a->type == MILL_TEXT || b->type == MILL_TEXT)
    return a->type == b->type && a->len == b->len && !memcmp(a->u.text, b->u.text, a->len);
  MillValue x = plain(a), y = plain(b);
  if (x.type != y.type) return false;
  return x.type == MILL_NONE || (x.type == MILL_REAL ? x.u.r == y.u.r : x.u.i == y.u.i);
}

static uint64_t hash_cell(const MillSeed *seed, uint64_t before, const MillValue *cell)
{
  if (cell->type == MILL_TEXT)
    return hash_pair(seed, before, hash_bytes(seed, cell->u.text, cell->len));
  MillValue v = plain(cell);
  uint64_t bits = 0;
  if (v.type != MILL_NONE) memcpy(&bits, &v.u, sizeof bits);
  return hash_pair(seed, before, bits + v.type);
}

/* ------------------------------------------------------------------- index */

typedef struct RowKey {
  uint64_t hash;
  uint32_t table, row, above;
  bool cells; /* they count; else only what is above */
} RowKey;

static const MillValue *cells_at(const Index *x, uint32_t table, uint32_t row)
{
  return x->tables[table].rows[row];
}

static RowKey key_of(const Index *x, const MillSeed *seed, uint32_t table, uint32_t row)
{
  RowKey key = { .table = table, .row = row, .cells = true };
  const uint32_t *keys = x->tables[table].keys;
  const MillValue *cells = cells_at(x, table, row);
  if (x->before) {
    key.above = x->before->firsts[table][row];
    key.cells = x->before->tied[key.above];
  }
  key.hash = hash_pair(seed, key.above, 0);
  for (uint32_t k = x->from; key.cells && k < x->to; k++)
    key.hash = hash_cell(seed, key.hash, &cells[keys[k]]);
  return key;
}

static bool is_of(const Index *x, const Group *g, const RowKey *key)
{
  if (g->hash != key->hash || g->above != key->above) return false;
  const MillValue *a = cells_at(x, g->table, g->row), *b = cells_at(x, key->table, key->row);
  const uint32_t *in_a = x->tables[g->table].keys, *in_b = x->tables[key->table].keys;
  for (uint32_t k = x->from; key->cells && k < x->to; k++)
    if (!match_equal(&a[in_a[k]], &b[in_b[k]])) return false;
  return true;
}

static void put_slot(Index *x, uint64_t hash, uint32_t group)
{
  uint32_t at = (uint32_t)hash & x->mask;
  while (x->slots[at]) at = (at + 1) & x->mask;
  x->slots[at] = group + 1;
}

static void grow(Index *x)
{
  uint32_t size = x->slots ? (x->mask + 1) * 2 : 1024;
  g_free(x->slots);
  x->slots = g_new0(uint32_t, size);
  x->mask = size - 1;
  for (guint i = 0; i < x->groups->len; i++) {
    const Group *g = &g_array_index(x->groups, Group, i);
    if (!g->follows) put_slot(x, g->hash, i);
  }
}

static void fill_none(GArray *of_groups, uint32_t n)
{
  static const uint32_t none = MATCH_NONE;
  for (uint32_t i = 0; i < n; i++) g_array_append_val(of_groups, none);
}

static uint32_t add_group(Index *x, const RowKey *key, bool follows)
{
  Group g = { key->hash, key->table, key->row, MATCH_NONE, key->above, follows };
  g_array_append_val(x->groups, g);
  fill_none(x->rows, x->n_tables);
  fill_none(x->tails, x->n_tables);
  return x->groups->len - 1;
}

static uint32_t find_first(Index *x, const RowKey *key)
{
  if (!x->slots || x->n_used >= x->mask / 2) grow(x);
  for (uint32_t at = (uint32_t)key->hash & x->mask; x->slots[at]; at = (at + 1) & x->mask)
    if (is_of(x, &g_array_index(x->groups, Group, x->slots[at] - 1), key)) return x->slots[at] - 1;
  uint32_t group = add_group(x, key, false);
  put_slot(x, key->hash, group);
  x->n_used++;
  return group;
}

/* Behind the rows of its table that have the same keys. */
static uint32_t place_row(Index *x, const RowKey *key)
{
  uint32_t first = find_first(x, key);
  size_t at = (size_t)first * x->n_tables + key->table;
  uint32_t group = first, tail = g_array_index(x->tails, uint32_t, at);
  if (tail != MATCH_NONE) {
    x->any_tied = true;
    group = g_array_index(x->groups, Group, tail).next;
    if (group == MATCH_NONE) group = add_group(x, key, true);
    g_array_index(x->groups, Group, tail).next = group;
  }
  g_array_index(x->tails, uint32_t, at) = group;
  g_array_index(x->rows, uint32_t, (size_t)group * x->n_tables + key->table) = key->row;
  return first;
}

static void mark_tied(Index *x)
{
  x->tied = g_new0(bool, x->groups->len + 1);
  for (guint i = 0; i < x->groups->len; i++)
    x->tied[i] = g_array_index(x->groups, Group, i).next != MATCH_NONE;
}

static void index_build(Index *x, bool keeps_firsts)
{
  const MillSeed *seed = &hash_seed;
  x->groups = g_array_new(FALSE, FALSE, sizeof(Group));
  x->rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  x->tails = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  if (keeps_firsts) x->firsts = g_new0(uint32_t *, x->n_tables);
  for (uint32_t t = 0; t < x->n_tables; t++) {
    uint32_t n_rows = x->tables[t].n_rows;
    if (keeps_firsts) x->firsts[t] = g_new(uint32_t, n_rows + 1);
    for (uint32_t row = 0; row < n_rows; row++) {
      RowKey key = key_of(x, seed, t, row);
      uint32_t first = place_row(x, &key);
      if (keeps_firsts) x->firsts[t][row] = first;
    }
  }
  if (keeps_firsts && x->any_tied) mark_tied(x);
}

static void index_clear(Index *x)
{
  for (uint32_t t = 0; x->firsts && t < x->n_tables; t++) g_free(x->firsts[t]);
  g_free(x->firsts);
  g_free(x->tied);
  g_free(x->slots);
  g_array_unref(x->groups);
  if (x->rows) g_array_unref(x->rows);
  g_array_unref(x->tails);
}

/* ------------------------------------------------------------------- match */

Match *match_rows(const MatchTable *tables, uint32_t n_tables, uint32_t n_keys,
                  uint32_t n_more_keys)
{
  Match *m = g_new0(Match, 1);
  Index plain_keys = { .tables = tables, .n_tables = n_tables, .to = n_keys }, more = plain_keys;
  Index *last = &plain_keys;
  index_build(&plain_keys, n_more_keys > 0);
  m->needs_more = plain_keys.any_tied && n_more_keys;
  if (m->needs_more) {
    more.from = n_keys;
    more.to = n_keys + n_more_keys;
    more.before = &plain_keys;
    last = &more;
    index_build(&more, false);
  }
  m->n_tables = n_tables;
  m->n_groups = last->groups->len;
  m->rows = (uint32_t *)(gpointer)g_array_free(g_steal_pointer(&last->rows), FALSE);
  if (m->needs_more) index_clear(&more);
  index_clear(&plain_keys);
  return m;
}

void match_free(Match *m)
{
  g_free(m->rows);
  g_free(m);
}
