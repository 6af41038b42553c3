/* Groups of pages, and the cells of the map that they are in. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "access-map.h"
#include "kit/state/grow.h"
#include "kit/state/search.h"
#include "kit/state/sort.h"

#define REGION_GAP ((uint64_t)65536)

/* ------------------------------------------------------------------- groups */

static bool add_group(Map *x, const char *label, uint64_t pointer, size_t first, size_t end,
                      bool rest)
{
  const MillHost *common = x->host->common;
  if (!array_reserve(common, &x->groups, &x->groups_capacity, x->n_groups + 1, sizeof *x->groups))
    return false;
  char *kept = mill_new(common, strlen(label) + 1);
  if (!kept) return false;
  strcpy(kept, label);
  x->groups[x->n_groups++] = (Group){ kept, pointer, first, end, rest, true };
  return true;
}

/* The first page at or after the address. */
static size_t page_from(const Map *x, uint64_t address)
{
  return FIRST_NOT(x->rows.n_pages, i, x->rows.pages[i] < address);
}

/* From which address on pages are of the tensor: as published, those that begin in it; where pages were made larger,
 * those that hold a part of it. */
static uint64_t first_address(const Map *x, const struct Tensor *t)
{
  uint64_t before = x->pairs.larger ? ~x->pairs.page_mask : 0;
  return t->pointer > before ? t->pointer - before : 0;
}

static bool add_tensors(Map *x)
{
  for (size_t i = 0; i < x->n_tensors; i++) {
    const struct Tensor *t = &x->tensors[i];
    uint64_t last = t->pointer + t->bytes;
    if (t->bytes == 0 || last < t->pointer) continue;
    size_t first = page_from(x, first_address(x, t));
    size_t end = last == UINT64_MAX ? x->rows.n_pages : page_from(x, last + 1);
    memset(x->owned + first, true, end - first);
    if (first < end && !add_group(x, t->label, t->pointer, first, end, false)) return false;
  }
  return true;
}

static bool add_regions(Map *x)
{
  const uint64_t *pages = x->rows.pages;
  uint64_t gap = ~x->pairs.page_mask + 1 > REGION_GAP ? ~x->pairs.page_mask + 1 : REGION_GAP;
  for (size_t i = 0, end; i < x->rows.n_pages; i = end) {
    for (end = i + 1; end < x->rows.n_pages && pages[end] - pages[end - 1] <= gap;) end++;
    if (!add_group(x, "Unknown, Unknown", pages[i], i, end, false)) return false;
  }
  return true;
}

bool map_make_groups(Map *x)
{
  if (x->n_tensors == 0 && x->options->regions) return add_regions(x);
  return add_tensors(x) &&
         add_group(x, "Unknown, Unknown", x->rows.pages[0], 0, x->rows.n_pages, true);
}

/* -------------------------------------------------------------------- cells */

size_t map_pairs_from(const Map *x, size_t page)
{
  return FIRST_NOT(x->rows.n, i, probe_row_page(&x->rows.at[i]) < page);
}

/* Fills the cells; how many accesses there are in them. */
static uint64_t fill(Map *x, const Group *g)
{
  uint64_t references = 0;
  size_t end = map_pairs_from(x, g->end);
  memset(x->cells, 0, sizeof *x->cells * COLUMNS * ROWS);
  for (size_t i = map_pairs_from(x, g->first); i < end; i++) {
    const ProbePairRow *r = &x->rows.at[i];
    uint64_t page = probe_row_page(r);
    if (map_is_late(x, r) || (g->rest && x->owned[page])) continue;
    uint64_t row = ROWS - 1 - page / x->qy, column = map_clock(x, r) / x->qx;
    x->cells[row * COLUMNS + column] += r->count;
    references += r->count;
  }
  return references;
}

static size_t bounds_of(const Map *x, double *out)
{
  int64_t *sorted = x->host->common->scratch(x->host->common, sizeof *sorted * COLUMNS * ROWS);
  size_t n = 0;
  if (!sorted) return 0; /* the instance has failed */
  for (size_t i = 0; i < COLUMNS * ROWS; i++)
    if (x->cells[i]) sorted[n++] = (int64_t)x->cells[i];
  sort_rows(sorted, n, 1);
  for (int k = 0; k < N_BOUNDS && n; k++) out[k] = probe_percentile(sorted, n, 20 * (k + 1));
  return n;
}

static int cell_rows(const Map *x, int64_t group, const char *label, const double *bounds)
{
  int status = 0;
  for (size_t i = 0; i < COLUMNS * ROWS && status == 0; i++) {
    double v = (double)x->cells[i];
    int64_t row = (int64_t)(i / COLUMNS), column = (int64_t)(i % COLUMNS), level = 1;
    uint64_t lowest = (uint64_t)(ROWS - 1 - row) * x->qy;
    char page[PROBE_ADDRESS_TEXT];
    if (x->cells[i] == 0) continue;
    for (int k = 0; k < N_BOUNDS; k++) level += bounds[k] < v;
    const CellRow cells = {
      .group = group,
      .row = row,
      .column = column,
      .count = (int64_t)x->cells[i],
      .level = level,
      .clock = column * (int64_t)x->qx,
      .page = probe_address_text(x->rows.pages[lowest], page),
      .page_number = (int64_t)lowest,
      .tensor = label,
    };
    status = mill_row(x->host, TABLE_CELLS, &cells);
  }
  return status;
}

static int group_row(const Map *x, int64_t number, const Group *g, const char *label,
                     uint64_t references, size_t n, const double *bounds)
{
  char pointer[PROBE_ADDRESS_TEXT];
  const GroupRow row = {
    .group = number,
    .label = label,
    .ptr = probe_address_text(g->pointer, pointer),
    .references = (int64_t)references,
    .cells = (int64_t)n,
    .p20 = bounds[0],
    .p40 = bounds[1],
    .p60 = bounds[2],
    .p80 = bounds[3],
  };
  return mill_row(x->host, TABLE_GROUPS, &row);
}

/* The groups with the most accesses have a colour of their own. */
static bool name_groups(Map *x)
{
  const MillHost *common = x->host->common;
  int64_t *rows = mill_new(common, (x->n_groups + 1) * 2 * sizeof *rows);
  size_t n = 0;
  if (!rows) return false;
  for (size_t i = 0; i < x->n_groups; i++) {
    uint64_t references = fill(x, &x->groups[i]);
    if (references == 0) continue;
    rows[2 * n] = -(int64_t)references;
    rows[2 * n++ + 1] = (int64_t)i;
  }
  probe_sort_starts(rows, n);
  for (size_t k = MAX_NAMED - 1; n > MAX_NAMED && k < n; k++) {
    x->groups[rows[2 * k + 1]].named = false;
    x->n_others++;
  }
  array_free(common, rows);
  return true;
}

int map_group_rows(Map *x)
{
  int64_t number = 0;
  int status = 0;
  if (!name_groups(x)) return -MILL_LIMIT;
  for (size_t i = 0; i < x->n_groups && status == 0; i++) {
    double bounds[N_BOUNDS] = { 0 };
    uint64_t references = fill(x, &x->groups[i]);
    if (references == 0) continue;
    size_t n = bounds_of(x, bounds);
    if (n == 0) return -MILL_LIMIT;
    char label[600];
    snprintf(label, sizeof label, "Ptr %lld: %s", (long long)number, x->groups[i].label);
    status = group_row(x, number, &x->groups[i], label, references, n, bounds);
    if (!x->groups[i].named) snprintf(label, sizeof label, "others (%zu)", x->n_others);
    if (status == 0) status = cell_rows(x, number++, label, bounds);
  }
  return status;
}
