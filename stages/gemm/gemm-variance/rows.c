/* Keeping rows of the variance table; see rows.h. */
#include "rows.h"

#include <stdlib.h>

#include "lib/grow.h"
#include "lib/sym-save.h"

VarianceRow *rows_add(VarianceRows *r)
{
  if (!array_reserve(r->common, &r->items, &r->capacity, r->n + 1, sizeof *r->items)) return NULL;
  VarianceRow *row = &r->items[r->n++];
  *row = (VarianceRow){ .first_overlap = r->n_overlaps };
  return row;
}

bool rows_add_overlap(VarianceRows *r, VarianceRow *row, MillSym name, int64_t ns)
{
  if (!array_reserve(r->common, &r->overlaps, &r->overlap_capacity, r->n_overlaps + 1,
                     sizeof *r->overlaps))
    return false;
  r->overlaps[r->n_overlaps++] = (Overlap){ name, ns };
  row->n_overlaps++;
  return true;
}

/* ---- summaries */

void rows_save(const VarianceRows *r, const MillStageHost *host)
{
  host->put_int(host, (int64_t)r->n);
  for (size_t i = 0; i < r->n; i++) {
    const VarianceRow *v = &r->items[i];
    const int64_t numbers[] = { v->threads,      v->channels,  v->rank,      v->position,
                                v->lane,         v->calls,     v->min_ns,    v->max_ns,
                                v->is_found,     v->min_at_ns, v->max_at_ns, v->min_found_ns,
                                v->max_found_ns, v->busy_ns,   v->overlap_ns };
    for (uint32_t k = 0; k < MILL_COUNT(numbers); k++) host->put_int(host, numbers[k]);
    sym_save(host, v->key);
    sym_save(host, v->kernel);
    sym_save(host, v->input);
    host->put_int(host, (int64_t)v->n_overlaps);
    for (size_t k = 0; k < v->n_overlaps; k++) {
      sym_save(host, r->overlaps[v->first_overlap + k].name);
      host->put_int(host, r->overlaps[v->first_overlap + k].ns);
    }
  }
}

static bool load_row(VarianceRows *r, const MillStageHost *host)
{
  VarianceRow *v = rows_add(r);
  if (!v) return false;
  int64_t *const numbers[] = { &v->threads, &v->channels, &v->rank,   &v->position,
                               &v->lane,    &v->calls,    &v->min_ns, &v->max_ns };
  for (uint32_t k = 0; k < MILL_COUNT(numbers); k++) *numbers[k] = host->get_int(host);
  v->is_found = host->get_int(host) != 0;
  int64_t *const more[] = { &v->min_at_ns,    &v->max_at_ns, &v->min_found_ns,
                            &v->max_found_ns, &v->busy_ns,   &v->overlap_ns };
  for (uint32_t k = 0; k < MILL_COUNT(more); k++) *more[k] = host->get_int(host);
  v->key = sym_load(host);
  v->kernel = sym_load(host);
  v->input = sym_load(host);
  for (uint64_t n = host->get_count(host, 5); n > 0; n--) {
    MillSym name = sym_load(host);
    if (!rows_add_overlap(r, v, name, host->get_int(host))) return false;
  }
  return true;
}

bool rows_load(VarianceRows *r, const MillStageHost *host)
{
  for (uint64_t n = host->get_count(host, 35); n > 0; n--)
    if (!load_row(r, host)) return false;
  return true;
}

/* ---- order */

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_diff(const void *p, const void *q)
{
  const VarianceRow *a = p, *b = q;
  int order = order_of(row_diff(b), row_diff(a));
  if (order == 0) order = order_of(a->threads, b->threads);
  if (order == 0) order = order_of(a->channels, b->channels);
  if (order == 0) order = order_of(a->rank, b->rank);
  if (order == 0) order = order_of(a->lane, b->lane);
  return order ? order : order_of(a->position, b->position);
}

typedef struct Sharing { /* of one configuration and rank */
  int64_t lane;          /* the first, plus 1 */
  bool several;
} Sharing;

static Sharing *sharing_of(Keyed *ranks, const VarianceRow *row)
{
  const int64_t key[] = { row->threads, row->channels, row->rank };
  return keyed_get(ranks, (const char *)key, sizeof key);
}

static bool find_shared_ranks(VarianceRows *r)
{
  Keyed *ranks = keyed_new(r->common, sizeof(Sharing));
  for (size_t i = 0; ranks && i < r->n; i++) {
    Sharing *s = sharing_of(ranks, &r->items[i]);
    if (!s) return false;
    s->several |= s->lane && s->lane != r->items[i].lane + 1;
    s->lane = r->items[i].lane + 1;
  }
  for (size_t i = 0; ranks && i < r->n; i++) {
    const Sharing *s = sharing_of(ranks, &r->items[i]);
    if (!s) return false;
    r->items[i].shares_rank = s->several;
  }
  return ranks != NULL;
}

bool rows_sort(VarianceRows *r)
{
  if (r->n) qsort(r->items, r->n, sizeof *r->items, by_diff);
  return find_shared_ranks(r);
}

/* ---- overlap */

bool row_share(const VarianceRow *row, int64_t ns, double *out)
{
  if (row->busy_ns <= 0) return false;
  *out = 100 * (double)ns / (double)row->busy_ns;
  return true;
}

const Overlap *row_largest(const VarianceRows *r, const VarianceRow *row)
{
  const Overlap *largest = NULL;
  for (size_t i = 0; i < row->n_overlaps; i++) {
    const Overlap *o = &r->overlaps[row->first_overlap + i];
    if (!largest || o->ns > largest->ns) largest = o;
  }
  return largest;
}
