/* Distributions in summaries: how many values, whether there are bins, then texts of packed numbers.
 * Values are little-endian, of 4 bytes where all in the text fit, else of 8; see hist.h. */
/* SPDX-License-Identifier: MIT */
#include <endian.h>
#include <string.h>

#include "kit/numbers/hist.h"
#include "kit/state/state.h"

enum { PACK = 4096, PACK_BYTES = PACK * 8 };

/* ---- all of them */

void hists_save(const Hists *all, const MillStageHost *host)
{
  host->put_int(host, (int64_t)all->n);
}

bool hists_settle(Hists *all)
{
  bool binned = all->n > all->bound || (all->n_of_groups && *all->n_of_groups > all->bound);
  return !binned || hists_bin(all);
}

bool hists_load(Hists *all, const MillStageHost *host)
{
  uint64_t n = (uint64_t)host->get_int(host);
  all->n_of_groups = host->shared_count(host);
  all->n += n;
  if (all->n_of_groups) *all->n_of_groups += n;
  return hists_settle(all);
}

/* ---- numbers */

static void put_4(char *to, uint64_t v)
{
  uint32_t bytes = htole32((uint32_t)v);
  memcpy(to, &bytes, sizeof bytes);
}

static void put_8(char *to, uint64_t v)
{
  v = htole64(v);
  memcpy(to, &v, sizeof v);
}

static uint32_t get_4(const char *from)
{
  uint32_t bytes;
  memcpy(&bytes, from, sizeof bytes);
  return le32toh(bytes);
}

static uint64_t get_8(const char *from)
{
  uint64_t bytes;
  memcpy(&bytes, from, sizeof bytes);
  return le64toh(bytes);
}

static void put_values(const MillStageHost *host, const int64_t *values, uint64_t n)
{
  char bytes[PACK_BYTES];
  uint64_t all = 0;
  for (uint64_t i = 0; i < n; i++) all |= (uint64_t)values[i];
  if (all >> 32)
    for (uint64_t i = 0; i < n; i++) put_8(bytes + 8 * i, (uint64_t)values[i]);
  else
    for (uint64_t i = 0; i < n; i++) put_4(bytes + 4 * i, (uint64_t)values[i]);
  host->put_text(host, bytes, n * (all >> 32 ? 8 : 4));
}

/* Packs of up to PACK values; a text of another length is not ours. */
static bool get_values(Hist *h, const MillStageHost *host, uint64_t n)
{
  int64_t values[PACK];
  size_t len;
  const char *bytes = host->get_text(host, &len);
  if (len == n * 8)
    for (uint64_t i = 0; i < n; i++) values[i] = (int64_t)get_8(bytes + 8 * i);
  else if (len == n * 4)
    for (uint64_t i = 0; i < n; i++) values[i] = get_4(bytes + 4 * i);
  else
    return true;
  return hist_insert(h, values, n);
}

static uint64_t at_most(uint64_t n, uint64_t most) { return n < most ? n : most; }

/* ---- bins: pairs of bin and count, 4 and 8 bytes */

enum { PAIR_BYTES = 12, MAX_PAIRS = PACK_BYTES / PAIR_BYTES };

static void put_bins(const Hist *h, const MillStageHost *host)
{
  char bytes[PACK_BYTES];
  size_t len = 0;
  for (uint32_t bin = 0; bin < 2 * HIST_HALF; bin++) {
    uint64_t n = hist_count_of(h, bin);
    if (n == 0) continue;
    put_4(bytes + len, bin);
    put_8(bytes + len + 4, n);
    len += PAIR_BYTES;
    if (len < MAX_PAIRS * PAIR_BYTES) continue;
    host->put_text(host, bytes, len);
    len = 0;
  }
  host->put_text(host, bytes, len);
}

/* The last text is one that is not full. */
static bool get_bins(Hist *h, const MillStageHost *host)
{
  size_t len;
  do {
    const char *bytes = host->get_text(host, &len);
    for (size_t i = 0; i + PAIR_BYTES <= len; i += PAIR_BYTES) {
      uint32_t bin = get_4(bytes + i);
      if (bin >> HIST_LOG2_BINS >= HIST_PAGES) return true;
      if (!hist_count_in(h, bin, get_8(bytes + i + 4))) return false;
    }
  } while (len == MAX_PAIRS * PAIR_BYTES);
  return true;
}

/* ---- one of them */

void hist_save(Hist *h, const MillStageHost *host)
{
  host->put_int(host, (int64_t)h->n);
  host->put_int(host, h->pages != NULL);
  if (!h->pages) {
    hist_sort(h);
    for (uint64_t i = 0; i < h->n; i += PACK)
      put_values(host, h->values + i, at_most(h->n - i, PACK));
    return;
  }
  host->put_int(host, h->min);
  host->put_int(host, h->max);
  put_bins(h, host);
}

bool hist_load(Hist *h, const MillStageHost *host)
{
  uint64_t n = (uint64_t)host->get_int(host);
  if (!host->get_int(host)) {
    for (uint64_t i = 0; i < n && host->get_more(host); i += PACK)
      if (!get_values(h, host, at_most(n - i, PACK))) return false;
    return true;
  }
  if (!hist_change_over(h)) return false;
  int64_t min = host->get_int(host);
  hist_widen(h, min, host->get_int(host));
  h->n += n;
  return get_bins(h, host);
}

/* ---- as fields */

static void save_all(StateIo *io, const StateField *f, void *owner, void *at)
{
  (void)f, (void)owner;
  hists_save(at, io->host);
}

static bool load_all(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  (void)f, (void)owner, (void)is_new;
  io->hists = at;
  return hists_load(at, io->host);
}

static void save_one(StateIo *io, const StateField *f, void *owner, void *at)
{
  (void)f, (void)owner;
  hist_save(at, io->host);
}

static bool load_one(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  Hist *const h = at;
  (void)f, (void)owner, (void)is_new;
  if (!h->of) hist_init(h, io->hists);
  return hist_load(h, io->host);
}

const StateOps state_of_hists = { save_all, load_all, 2 };
const StateOps state_of_hist = { save_one, load_one, 4 };
