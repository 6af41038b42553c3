/* Facts of lanes: saving, loading, order; see lanes.h. */
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/sym-save.h"

const int shown_times[N_SHOWN_TIMES] = { COMPUTATION, EXPOSED_COMM, EXPOSED_MEMCPY, BUSY,
                                         IDLE,        TOTAL,        TOTAL_COMM,     TOTAL_MEMCPY };

/* ---- names */

static NameTime *add_name(const MillHost *common, NameTimes *t)
{
  if (!array_reserve(common, &t->items, &t->capacity, t->n + 1, sizeof *t->items)) return NULL;
  return &t->items[t->n++];
}

bool name_times_take(const MillHost *common, Keyed *of, NameTimes *out)
{
  const KeyedEntry *const *entries = keyed_sorted(of);
  if (!entries) return false;
  for (uint32_t i = 0; i < keyed_count(of); i++) {
    NameTime *t = add_name(common, out);
    if (!t) return false;
    *t = *(const NameTime *)entries[i]->state;
    t->name = common->intern(common, entries[i]->key, entries[i]->len);
  }
  return true;
}

static int text_order(const MillHost *common, MillSym a, MillSym b)
{
  size_t len;
  return strcmp(common->symbol_text(common, a, &len), common->symbol_text(common, b, &len));
}

const NameTime *name_times_find(const MillHost *common, const NameTimes *t, MillSym name)
{
  size_t from = 0, to = t->n;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    int order = text_order(common, t->items[middle].name, name);
    if (order == 0) return &t->items[middle];
    if (order < 0)
      from = middle + 1;
    else
      to = middle;
  }
  return NULL;
}

/* ---- summaries */

static void put_names(const NameTimes *t, const MillStageHost *host)
{
  host->put_int(host, (int64_t)t->n);
  for (size_t i = 0; i < t->n; i++) {
    sym_save(host, t->items[i].name);
    host->put_int(host, t->items[i].total_ns);
    host->put_int(host, t->items[i].calls);
  }
}

void lane_save(const LaneFacts *l, const MillStageHost *host)
{
  const int64_t numbers[] = { l->threads,    l->channels, l->rank,
                              l->has_device, l->gemm_ns,  l->gemm_calls };
  sym_save(host, l->label);
  for (uint32_t i = 0; i < MILL_COUNT(numbers); i++) host->put_int(host, numbers[i]);
  for (int i = 0; i < N_DEVICE_TIMES; i++) host->put_int(host, l->times_ns[i]);
  host->put_int(host, (int64_t)l->n_spreads);
  for (size_t i = 0; i < l->n_spreads; i++) host->put_int(host, l->spreads_ns[i]);
  put_names(&l->ops, host);
  put_names(&l->collectives, host);
}

static bool get_names(const MillHost *common, NameTimes *t, const MillStageHost *host)
{
  for (uint64_t n = host->get_count(host, 7); n > 0; n--) {
    NameTime *item = add_name(common, t);
    if (!item) return false;
    item->name = sym_load(host);
    item->total_ns = host->get_int(host);
    item->calls = host->get_int(host);
  }
  return true;
}

static bool get_spreads(const MillHost *common, LaneFacts *l, const MillStageHost *host)
{
  uint64_t n = host->get_count(host, 2);
  l->spreads_ns = mill_new(common, (n + 1) * sizeof *l->spreads_ns);
  if (!l->spreads_ns) return false;
  while (n-- > 0) l->spreads_ns[l->n_spreads++] = host->get_int(host);
  return true;
}

bool lanes_load(Lanes *lanes, const MillStageHost *host)
{
  const MillHost *common = lanes->common;
  if (!array_reserve(common, &lanes->items, &lanes->capacity, lanes->n + 1, sizeof *lanes->items))
    return false;
  LaneFacts *l = &lanes->items[lanes->n++];
  *l = (LaneFacts){ .label = sym_load(host) };
  l->threads = host->get_int(host);
  l->channels = host->get_int(host);
  l->rank = host->get_int(host);
  l->has_device = host->get_int(host) != 0;
  l->gemm_ns = host->get_int(host);
  l->gemm_calls = host->get_int(host);
  for (int i = 0; i < N_DEVICE_TIMES; i++) l->times_ns[i] = host->get_int(host);
  return get_spreads(common, l, host) && get_names(common, &l->ops, host) &&
         get_names(common, &l->collectives, host);
}

/* ---- order */

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

int lane_order(const MillHost *common, const LaneFacts *a, const LaneFacts *b)
{
  int order = text_order(common, a->label, b->label);
  if (order == 0) order = order_of(a->threads, b->threads);
  if (order == 0) order = order_of(a->channels, b->channels);
  return order ? order : order_of(a->rank, b->rank);
}

/* Stable; they come nearly in order, and are few. */
void lanes_sort(Lanes *lanes)
{
  for (size_t i = 1; i < lanes->n; i++) {
    const LaneFacts lane = lanes->items[i];
    size_t k = i;
    for (; k > 0 && lane_order(lanes->common, &lane, &lanes->items[k - 1]) < 0; k--)
      lanes->items[k] = lanes->items[k - 1];
    lanes->items[k] = lane;
  }
}

size_t lanes_config_end(const Lanes *lanes, size_t first)
{
  const LaneFacts *a = &lanes->items[first];
  size_t end = first + 1;
  while (end < lanes->n && text_order(lanes->common, a->label, lanes->items[end].label) == 0 &&
         lanes->items[end].threads == a->threads && lanes->items[end].channels == a->channels)
    end++;
  return end;
}

bool lane_has_label(const MillHost *common, const LaneFacts *l, const char *label)
{
  size_t len;
  return strcmp(common->symbol_text(common, l->label, &len), label) == 0;
}
