/* How often each page was referenced at each clock; see probe-pairs.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/probe-pairs.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/sort.h"

#define MAX_CLOCK (((uint64_t)1 << PROBE_CLOCK_BITS) - 1)
#define MAX_PAGES ((size_t)1 << PROBE_PAGE_BITS)
#define UNPLACED ((uint64_t)1 << 63) /* of a key: it is where it was before a change of the slots */
enum { FIRST_SLOTS = 1024 };
/* No more is rounded than to a sixteenth of a column of the map, or a fourth of a row. */
enum { MAP_COLUMNS = 159, MAP_ROWS = 100, COLUMN_PARTS = 16, ROW_PARTS = 8 };

void probe_pairs_open(ProbePairs *p, const MillHost *common, uint64_t page_bytes,
                      uint64_t max_pairs)
{
  *p = (ProbePairs){ .common = common, .page_mask = ~(page_bytes - 1), .max_pairs = max_pairs };
  p->seed = common->seed;
  pairmap_open(&p->more, common);
  pairmap_open(&p->pages, common);
}

static size_t place_of(const ProbePairs *p, uint64_t key)
{
  size_t mask = p->n_slots - 1;
  size_t i = (size_t)hash_fold(key ^ p->seed->start, p->seed->left) & mask;
  while (p->counts[i] && p->keys[i] != key) i = (i + 1) & mask;
  return i;
}

static bool add_count(ProbePairs *p, size_t i, uint64_t count)
{
  uint64_t sum = p->counts[i] + count;
  if (sum <= UINT32_MAX) {
    p->counts[i] = (uint32_t)sum;
    return true;
  }
  uint64_t *more = pairmap_at(&p->more, p->keys[i], 0);
  if (!more) return false;
  *more += sum - UINT32_MAX;
  p->counts[i] = UINT32_MAX;
  return true;
}

/* Keys become what they are after a change: clocks of 1 << by as large a step, and pages of other numbers. */
typedef struct Change {
  uint32_t by;
  const uint32_t *numbers; /* by the number of before; NULL: as they were */
} Change;

static uint64_t changed(uint64_t key, const Change *c)
{
  uint64_t number = key >> PROBE_CLOCK_BITS, clock = key & MAX_CLOCK;
  if (c->numbers) number = c->numbers[number];
  return number << PROBE_CLOCK_BITS | clock >> c->by;
}

/* Takes the pair out of slot i, and puts it where it belongs; one that is there and has no place yet goes on itself. */
static bool place_again(ProbePairs *p, size_t i, const PairMap *more, const Change *c)
{
  uint64_t old = p->keys[i] & ~UNPLACED, count = p->counts[i];
  p->counts[i] = 0;
  p->n--;
  while (count) {
    uint64_t key = changed(old, c), next = 0, next_count = 0;
    if (count == UINT32_MAX) count += pairmap_get(more, old, 0);
    size_t mask = p->n_slots - 1;
    size_t at = (size_t)hash_fold(key ^ p->seed->start, p->seed->left) & mask;
    while (p->counts[at] && p->keys[at] != key && !(p->keys[at] & UNPLACED)) at = (at + 1) & mask;
    if (p->counts[at] && p->keys[at] & UNPLACED) {
      next = p->keys[at] & ~UNPLACED;
      next_count = p->counts[at];
      p->counts[at] = 0;
      p->n--;
    }
    p->n += !p->counts[at];
    p->keys[at] = key;
    if (!add_count(p, at, count)) return false;
    old = next;
    count = next_count;
  }
  return true;
}

/* In the memory that there is: pairs are the most that is held. */
static bool place_all(ProbePairs *p, size_t n_old, const Change *c)
{
  PairMap more = p->more;
  bool fine = true;
  pairmap_open(&p->more, p->common);
  for (size_t i = 0; i < n_old; i++)
    if (p->counts[i]) p->keys[i] |= UNPLACED;
  for (size_t i = 0; i < p->n_slots && fine; i++)
    if (p->counts[i] && p->keys[i] & UNPLACED) fine = place_again(p, i, &more, c);
  pairmap_clear(&more);
  return fine;
}

static bool grow(ProbePairs *p)
{
  static const Change none = { 0, NULL };
  size_t n_old = p->n_slots, n = n_old ? n_old * 2 : FIRST_SLOTS;
  uint64_t *keys = p->common->resize(p->common, p->keys, n * sizeof *keys);
  if (keys) p->keys = keys;
  uint32_t *counts = keys ? p->common->resize(p->common, p->counts, n * sizeof *counts) : NULL;
  if (!counts) return false;
  p->counts = counts;
  memset(counts + n_old, 0, (n - n_old) * sizeof *counts);
  p->n_slots = n;
  return place_all(p, n_old, &none);
}

static bool coarsen_clocks(ProbePairs *p, uint32_t by)
{
  const Change change = { by, NULL };
  p->shift += by;
  return place_all(p, p->n_slots, &change);
}

/* The number of a page, a new one where there is none. */
static uint64_t *number_at(ProbePairs *p, uint64_t page)
{
  uint64_t *number = pairmap_at(&p->pages, page, 0);
  if (!number || *number) return number;
  if (!array_reserve(p->common, &p->addresses, &p->pages_capacity, p->n_pages + 1,
                     sizeof *p->addresses))
    return NULL;
  p->addresses[p->n_pages++] = page;
  *number = p->n_pages;
  return number;
}

static bool coarsen_pages(ProbePairs *p, uint32_t by)
{
  size_t n_old = p->n_pages;
  uint32_t *numbers = mill_new(p->common, (n_old + 1) * sizeof *numbers);
  if (!numbers) return false;
  p->page_mask <<= by;
  p->larger += by;
  pairmap_clear(&p->pages);
  pairmap_open(&p->pages, p->common);
  p->n_pages = 0; /* no more of them than before: each is written behind where it is read */
  for (size_t i = 0; i < n_old; i++) {
    uint64_t *number = number_at(p, p->addresses[i] & p->page_mask);
    if (!number) return false;
    numbers[i] = (uint32_t)(*number - 1);
  }
  const Change change = { 0, numbers };
  bool fine = place_all(p, p->n_slots, &change);
  array_free(p->common, numbers);
  p->last_page = 1; /* no page begins there */
  return fine;
}

static int too_many(const ProbePairs *p)
{
  return mill_fail(p->common, MILL_LIMIT, "the trace refers to more pages than can be told apart",
                   "raise the option of the page's size");
}

/* How often the step of clocks may be doubled. */
static uint32_t clocks_to_spare(const ProbePairs *p)
{
  uint64_t column = p->max_clock / MAP_COLUMNS;
  uint32_t by = 0;
  while (p->shift + by + 1 < PROBE_CLOCK_BITS &&
         (uint64_t)2 << (p->shift + by) <= column / COLUMN_PARTS)
    by++;
  return by;
}

/* How many pages there would be, if they were so often doubled; 0: memory was refused. */
static size_t pages_after(const ProbePairs *p, uint32_t by)
{
  PairMap seen;
  size_t n = 0;
  pairmap_open(&seen, p->common);
  for (size_t i = 0; i < p->n_pages; i++) {
    uint64_t *any = pairmap_at(&seen, p->addresses[i] & p->page_mask << by, 0);
    if (!any) {
      pairmap_clear(&seen);
      return 0;
    }
    n += !*any;
    *any = 1;
  }
  pairmap_clear(&seen);
  return n;
}

/* All pairs that there can be of so many pages: half as many more as are meant to be. */
static bool have_room(const ProbePairs *p, size_t n_pages)
{
  uint64_t clocks = (p->max_clock >> p->shift) + 1;
  return clocks <= (p->max_pairs + p->max_pairs / 2) / n_pages;
}

/* How often pages may be doubled; at once until all pairs have room, where fewer doublings gain little. */
static uint32_t pages_to_spare(const ProbePairs *p, bool at_once)
{
  uint32_t by = 0;
  for (size_t n = p->n_pages; n > MAP_ROWS * ROW_PARTS && p->page_mask << by << 1; by++) {
    if (by && (!at_once || have_room(p, n))) break;
    n = pages_after(p, by + 1);
    if (n == 0) break; /* the next one that asks for memory fails */
  }
  return by;
}

/* Doubles what does not show, clocks first; one by one as long as this makes pairs fewer. */
static bool make_fewer(ProbePairs *p)
{
  bool at_once = false;
  while (p->n >= p->max_pairs - p->max_pairs / 8) { /* not so few that it comes soon again */
    size_t before = p->n;
    if (have_room(p, p->n_pages)) break;
    uint32_t clocks = clocks_to_spare(p), pages = clocks ? 0 : pages_to_spare(p, at_once);
    if (!clocks && !pages) break; /* what is left is not much */
    bool fine = clocks ? coarsen_clocks(p, at_once ? clocks : 1) : coarsen_pages(p, pages);
    if (!fine) return false;
    at_once = p->n > before / 4 * 3;
  }
  return true;
}

static bool make_room(ProbePairs *p)
{
  if (p->n >= p->max_pairs && !make_fewer(p)) return false;
  bool full = p->n >= p->n_slots / 4 * 3;
  return !full || grow(p);
}

/* Pages take memory of their own: a sixteenth as many of them as pairs, where pairs have a limit. */
static bool are_too_many_pages(const ProbePairs *p)
{
  uint64_t most = p->max_pairs / 16;
  if (most < MAP_ROWS * ROW_PARTS) most = MAP_ROWS * ROW_PARTS;
  return p->n_pages >= most && p->page_mask << 1;
}

static int number_of(ProbePairs *p, uint64_t address, uint64_t *out)
{
  uint64_t page = address & p->page_mask;
  if (page == p->last_page && p->n_pages) {
    *out = p->last_number;
    return 0;
  }
  bool is_new = !pairmap_get(&p->pages, page, 0);
  while (is_new && are_too_many_pages(p)) {
    if (!coarsen_pages(p, 1)) return -MILL_LIMIT;
    page = address & p->page_mask;
    is_new = !pairmap_get(&p->pages, page, 0);
  }
  if (is_new && p->n_pages == MAX_PAGES) return too_many(p);
  uint64_t *number = number_at(p, page);
  if (!number) return -MILL_LIMIT;
  p->last_page = page;
  *out = p->last_number = *number - 1;
  return 0;
}

/* A pair that is new finds room first; what was rounded for it may make it one that was there. */
static int add_pair(ProbePairs *p, uint64_t clock, uint64_t address, size_t *out_slot)
{
  uint64_t number = 0;
  int status = number_of(p, address, &number);
  if (status < 0) return status;
  *out_slot = place_of(p, number << PROBE_CLOCK_BITS | clock >> p->shift);
  if (p->counts[*out_slot]) return 0;
  if (!make_room(p)) return -MILL_LIMIT;
  status = number_of(p, address, &number);
  if (status < 0) return status;
  uint64_t key = number << PROBE_CLOCK_BITS | clock >> p->shift;
  *out_slot = place_of(p, key);
  p->n += !p->counts[*out_slot];
  p->keys[*out_slot] = key;
  return 0;
}

int probe_pairs_add(ProbePairs *p, uint64_t clock, uint64_t address, uint64_t count)
{
  size_t slot;
  if (count == 0) return 0;
  if (clock > p->max_clock) p->max_clock = clock;
  p->references += count;
  if (clock > MAX_CLOCK) {
    clock = MAX_CLOCK;
    p->cut = true;
  }
  if (p->n_slots == 0 && !grow(p)) return -MILL_LIMIT;
  int status = add_pair(p, clock, address, &slot);
  if (status < 0) return status;
  return add_count(p, slot, count) ? 0 : -MILL_LIMIT;
}

/* -------------------------------------------------------------------- rows */

static bool rank_pages(const ProbePairs *p, ProbePairRows *out, uint64_t *ranks)
{
  int64_t *order = mill_new(p->common, (p->n_pages + 1) * 2 * sizeof *order);
  if (!order) return false;
  for (size_t i = 0; i < p->n_pages; i++) {
    order[2 * i] = (int64_t)(p->addresses[i] ^ (uint64_t)1 << 63);
    order[2 * i + 1] = (int64_t)i;
  }
  sort_rows(order, p->n_pages, 2);
  for (size_t i = 0; i < p->n_pages; i++) {
    out->pages[i] = (uint64_t)order[2 * i] ^ (uint64_t)1 << 63;
    ranks[order[2 * i + 1]] = i;
  }
  array_free(p->common, order);
  return true;
}

/* The pairs that there are, at the front, and no more memory than for these. */
static void gather(ProbePairs *p)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n_slots; i++) {
    if (!p->counts[i]) continue;
    p->keys[n] = p->keys[i];
    p->counts[n++] = p->counts[i];
  }
  uint64_t *keys = n ? p->common->resize(p->common, p->keys, n * sizeof *keys) : NULL;
  uint32_t *counts = n ? p->common->resize(p->common, p->counts, n * sizeof *counts) : NULL;
  if (keys) p->keys = keys;
  if (counts) p->counts = counts;
  p->n_slots = 0;
}

bool probe_pairs_rows(ProbePairs *p, bool by_clock, ProbePairRows *out)
{
  *out = (ProbePairRows){ .n = p->n, .n_pages = p->n_pages };
  out->pages = mill_new(p->common, (p->n_pages + 1) * sizeof *out->pages);
  uint64_t *ranks = out->pages ? mill_new(p->common, (p->n_pages + 1) * sizeof *ranks) : NULL;
  if (!ranks || !rank_pages(p, out, ranks)) return false;
  gather(p);
  out->at = mill_new(p->common, (p->n + 1) * sizeof *out->at);
  if (!out->at) return false;
  for (size_t i = 0; i < p->n; i++) {
    uint64_t rank = ranks[p->keys[i] >> PROBE_CLOCK_BITS], clock = p->keys[i] & MAX_CLOCK;
    uint64_t count = p->counts[i];
    if (count == UINT32_MAX) count += pairmap_get(&p->more, p->keys[i], 0);
    out->at[i].key = by_clock ? clock << PROBE_PAGE_BITS | rank : rank << PROBE_CLOCK_BITS | clock;
    out->at[i].count = count;
  }
  array_free(p->common, ranks);
  array_free(p->common, p->keys);
  array_free(p->common, p->counts);
  p->keys = NULL;
  p->counts = NULL;
  p->n = 0;
  sort_rows((int64_t *)(void *)out->at, out->n, 2);
  return true;
}
