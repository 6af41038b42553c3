/* Pages with the most accesses, pages in use over time, and the time between two accesses to a page. */
/* SPDX-License-Identifier: MIT */
#include "access-map.h"
#include "kit/state/grow.h"

typedef struct Top {
  uint64_t page, references;
} Top;

static void offer(Top *top, uint64_t page, uint64_t references)
{
  int k = TOP_PAGES;
  while (k > 0 && references > top[k - 1].references) k--;
  if (k == TOP_PAGES) return;
  for (int i = TOP_PAGES - 1; i > k; i--) top[i] = top[i - 1];
  top[k] = (Top){ page, references };
}

int map_page_rows(Map *x)
{
  Top top[TOP_PAGES] = { { 0, 0 } };
  int status = 0;
  for (size_t i = 0, end; i < x->rows.n; i = end) {
    uint64_t page = probe_row_page(&x->rows.at[i]), sum = 0;
    for (end = i; end < x->rows.n && probe_row_page(&x->rows.at[end]) == page; end++)
      sum += x->rows.at[end].count;
    offer(top, x->rows.pages[page], sum);
  }
  for (int k = 0; k < TOP_PAGES && status == 0 && top[k].references; k++) {
    char page[PROBE_ADDRESS_TEXT];
    const PageRow row = {
      .page = probe_address_text(top[k].page, page),
      .references = (int64_t)top[k].references,
    };
    status = mill_row(x->host, TABLE_PAGES, &row);
  }
  return status;
}

typedef struct History {
  uint64_t pages[COLUMNS], new_pages[COLUMNS], reuse[REUSE_BINS];
} History;

static void add_touch(const Map *x, size_t i, History *h)
{
  const ProbePairRow *r = &x->rows.at[i];
  bool again = i > 0 && probe_row_page(r - 1) == probe_row_page(r);
  uint64_t column = map_clock(x, r) / x->qx;
  if (map_is_late(x, r)) return;
  if (!again || map_clock(x, r - 1) / x->qx != column) h->pages[column]++;
  if (!again) h->new_pages[column]++;
  if (again) h->reuse[63 - __builtin_clzll(map_clock(x, r) - map_clock(x, r - 1))]++;
}

static int reuse_rows(const Map *x, const History *h)
{
  int status = 0;
  for (int k = 0; k < REUSE_BINS && status == 0; k++) {
    if (h->reuse[k] == 0) continue;
    const ReuseRow row = {
      .low = (int64_t)1 << k,
      .high = (int64_t)2 << k,
      .count = (int64_t)h->reuse[k],
    };
    status = mill_row(x->host, TABLE_REUSE, &row);
  }
  return status;
}

int map_history_rows(Map *x)
{
  History *h = mill_new(x->host->common, sizeof *h);
  int status = 0;
  if (!h) return -MILL_LIMIT;
  for (size_t i = 0; i < x->rows.n; i++) add_touch(x, i, h);
  for (int k = 0; k < COLUMNS && status == 0; k++) {
    if (h->pages[k] == 0) continue;
    const WorkingRow row = {
      .column = k,
      .pages = (int64_t)h->pages[k],
      .new_pages = (int64_t)h->new_pages[k],
    };
    status = mill_row(x->host, TABLE_WORKING_SET, &row);
  }
  if (status == 0) status = reuse_rows(x, h);
  array_free(x->host->common, h);
  return status;
}
