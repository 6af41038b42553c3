/* How often each page was referenced at each clock; see probe-pairs.h. */
#include "lib/probe-pairs.h"

#include "lib/grow.h"
#include "lib/sort.h"

#define MAX_CLOCK (((uint64_t)1 << PROBE_CLOCK_BITS) - 1)
#define MAX_PAGES ((size_t)1 << PROBE_PAGE_BITS)
enum { FIRST_SLOTS = 1024 };

void probe_pairs_open(ProbePairs *p, const MillHost *common, uint64_t page_bytes,
                      uint64_t max_pairs)
{
  *p = (ProbePairs){ .common = common, .page_mask = ~(page_bytes - 1), .max_pairs = max_pairs };
  p->seed = hash_seed_or_fixed(common->extension(common, HASH_SEED_EXTENSION));
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

/* Puts all pairs into n_slots new slots, their clocks divided by 1 << by. */
static bool rebuild(ProbePairs *p, size_t n_slots, uint32_t by)
{
  ProbePairs old = *p;
  p->keys = mill_new(p->common, n_slots * sizeof *p->keys);
  p->counts = p->keys ? mill_new(p->common, n_slots * sizeof *p->counts) : NULL;
  if (!p->counts) return false;
  p->n_slots = n_slots;
  p->n = 0;
  p->shift += by;
  pairmap_open(&p->more, p->common);
  for (size_t k = 0; k < old.n_slots; k++) {
    if (!old.counts[k]) continue;
    uint64_t key = (old.keys[k] & ~MAX_CLOCK) | (old.keys[k] & MAX_CLOCK) >> by;
    uint64_t count = old.counts[k];
    if (count == UINT32_MAX) count += pairmap_get(&old.more, old.keys[k], 0);
    size_t i = place_of(p, key);
    p->n += !p->counts[i];
    p->keys[i] = key;
    if (!add_count(p, i, count)) return false;
  }
  pairmap_clear(&old.more);
  array_free(p->common, old.keys);
  array_free(p->common, old.counts);
  return true;
}

static int too_many(const ProbePairs *p)
{
  return mill_fail(p->common, MILL_LIMIT, "the trace refers to more pages than can be told apart",
                   "raise the option max-pairs, or that of the page's size");
}

static int make_room(ProbePairs *p)
{
  while (p->n >= p->max_pairs) {
    if (p->n_pages > p->max_pairs || p->shift + 1 >= PROBE_CLOCK_BITS) return too_many(p);
    if (!rebuild(p, p->n_slots, 1)) return -MILL_LIMIT;
  }
  bool full = p->n >= p->n_slots / 4 * 3;
  if (full && !rebuild(p, p->n_slots ? p->n_slots * 2 : FIRST_SLOTS, 0)) return -MILL_LIMIT;
  return 0;
}

static int number_of(ProbePairs *p, uint64_t page, uint64_t *out)
{
  if (page == p->last_page && p->n_pages) {
    *out = p->last_number;
    return 0;
  }
  uint64_t *number = pairmap_at(&p->pages, page, 0);
  if (!number) return -MILL_LIMIT;
  if (*number == 0) {
    if (p->n_pages == MAX_PAGES) return too_many(p);
    if (!array_reserve(p->common, &p->addresses, &p->pages_capacity, p->n_pages + 1,
                       sizeof *p->addresses))
      return -MILL_LIMIT;
    p->addresses[p->n_pages++] = page;
    *number = p->n_pages;
  }
  p->last_page = page;
  *out = p->last_number = *number - 1;
  return 0;
}

int probe_pairs_add(ProbePairs *p, uint64_t clock, uint64_t address, uint64_t count)
{
  uint64_t number = 0, key;
  int status = number_of(p, address & p->page_mask, &number);
  if (status < 0) return status;
  if (clock > p->max_clock) p->max_clock = clock;
  p->references += count;
  if (clock > MAX_CLOCK) {
    clock = MAX_CLOCK;
    p->cut = true;
  }
  if (p->n_slots == 0 && (status = make_room(p)) < 0) return status;
  key = number << PROBE_CLOCK_BITS | clock >> p->shift;
  size_t i = place_of(p, key);
  if (!p->counts[i]) {
    uint32_t shift = p->shift;
    size_t n_slots = p->n_slots;
    if ((status = make_room(p)) < 0) return status;
    key = number << PROBE_CLOCK_BITS | clock >> p->shift;
    if (p->shift != shift || p->n_slots != n_slots) i = place_of(p, key);
    p->n += !p->counts[i];
    p->keys[i] = key;
  }
  return count == 0 || add_count(p, i, count) ? 0 : -MILL_LIMIT;
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
