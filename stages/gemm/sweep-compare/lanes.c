/* Facts of lanes: what is saved of them, and their order; see lanes.h. */
/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"

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

/* ---- saved state */

LaneFacts *lanes_add(Lanes *l)
{
  if (!array_reserve(l->common, &l->items, &l->capacity, l->n + 1, sizeof *l->items)) return NULL;
  l->items[l->n] = (LaneFacts){ 0 };
  return &l->items[l->n++];
}

static const StateField name_fields[] = {
  STATE_SYM(NameTime, name),
  STATE_FIRST(NameTime, total_ns),
  STATE_FIRST(NameTime, calls),
};
static const StateType name_state = STATE_TYPE(NameTime, name_fields);

static const StateField names_fields[] = { STATE_LIST(NameTimes, items, n, capacity, name_state) };
static const StateType names_state = STATE_TYPE(NameTimes, names_fields);

static const StateField lane_fields[] = {
  STATE_SYM(LaneFacts, label),
  STATE_FIRST(LaneFacts, threads),
  STATE_FIRST(LaneFacts, channels),
  STATE_FIRST(LaneFacts, rank),
  STATE_FIRST(LaneFacts, has_device),
  STATE_FIRSTS(LaneFacts, times_ns),
  STATE_FIRST(LaneFacts, gemm_ns),
  STATE_FIRST(LaneFacts, gemm_calls),
  STATE_EXACT_LIST(LaneFacts, spreads_ns, n_spreads, state_of_int),
  STATE_PART(LaneFacts, ops, names_state),
  STATE_PART(LaneFacts, collectives, names_state),
};
const StateType lane_state = STATE_TYPE(LaneFacts, lane_fields);

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
