/* Steps by the ends of their work; see step-windows.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/step-windows.h"

#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "torch/lib/order.h"

bool step_windows_open(StepWindows *s, const MillHost *common)
{
  s->common = common;
  s->numbers = keyed_new(common, sizeof(size_t));
  return s->numbers != NULL;
}

static StepWindow *window_of(StepWindows *s, int64_t number)
{
  if (s->recent < s->n && s->items[s->recent].number == number) return &s->items[s->recent];
  size_t *place = keyed_get(s->numbers, (const char *)&number, sizeof number);
  if (!place) return NULL;
  if (*place == 0) {
    if (!array_reserve(s->common, &s->items, &s->capacity, s->n + 1, sizeof *s->items)) return NULL;
    s->items[s->n++] = (StepWindow){ .number = number };
    *place = s->n;
  }
  s->recent = *place - 1;
  return &s->items[s->recent];
}

bool step_windows_slice(StepWindows *s, int64_t number, int64_t start_ns)
{
  StepWindow *w = window_of(s, number);
  if (!w) return false;
  if (!w->has_host || start_ns < w->host_ns) w->host_ns = start_ns;
  w->has_host = true;
  return true;
}

static void add_work(StepWindow *w, int64_t start_ns, int64_t end_ns)
{
  if (!w->has_work || start_ns < w->first_ns) w->first_ns = start_ns;
  if (!w->has_work || end_ns > w->last_ns) w->last_ns = end_ns;
  w->has_work = true;
}

bool step_windows_work(StepWindows *s, int64_t number, int64_t start_ns, int64_t end_ns)
{
  add_work(&s->all, start_ns, end_ns);
  if (number < 0) return true;
  StepWindow *w = window_of(s, number);
  if (w) add_work(w, start_ns, end_ns);
  return w != NULL;
}

/* ---- the end of a lane */

static int64_t begin_of(const StepWindow *w)
{
  return w->has_host && (!w->has_work || w->host_ns < w->first_ns) ? w->host_ns : w->first_ns;
}

static bool sort_by_time(StepWindows *s, OrderKey *keys)
{
  StepWindow *sorted = mill_new(s->common, (s->n + 1) * sizeof *sorted);
  if (!sorted) return false;
  for (size_t i = 0; i < s->n; i++) {
    const StepWindow *w = &s->items[i];
    keys[i] = (OrderKey){ .a = begin_of(w), .b = w->number, .i = (uint32_t)i };
  }
  order_sort(keys, s->n);
  for (size_t i = 0; i < s->n; i++) sorted[i] = s->items[keys[i].i];
  array_free(s->common, s->items);
  s->items = sorted;
  s->capacity = s->n + 1;
  return true;
}

static bool sort_hosts(StepWindows *s)
{
  s->hosts = mill_new(s->common, (s->n + 1) * sizeof *s->hosts);
  if (!s->hosts) return false;
  for (size_t i = 0; i < s->n; i++)
    if (s->items[i].has_host) s->hosts[s->n_hosts++] = (OrderKey){ .a = s->items[i].host_ns };
  order_sort(s->hosts, s->n_hosts);
  return true;
}

static size_t *place_of(const StepWindows *s, int64_t number)
{
  return keyed_find(s->numbers, (const char *)&number, sizeof number);
}

/* Each begins where the one before ends, if it follows it.  Those that take no time of their own go. */
static void place_windows(StepWindows *s)
{
  size_t n = 0;
  for (size_t i = 0; i < s->n; i++) {
    StepWindow w = s->items[i];
    const StepWindow *before = n ? &s->items[n - 1] : NULL;
    size_t *place = place_of(s, w.number);
    *place = 0;
    if (!w.has_work) continue;
    w.from_ns = begin_of(&w);
    const bool follows = before && w.number - 1 == before->number;
    if (before && (follows || w.from_ns < before->to_ns)) w.from_ns = before->to_ns;
    w.to_ns = w.last_ns;
    if (w.to_ns <= w.from_ns) continue;
    s->items[n++] = w;
    *place = n;
  }
  s->n = n;
}

static int64_t span_of(const StepWindow *w) { return interval_span(w->from_ns, w->to_ns); }

/* Of the spans of steps from that one on. */
static double median_from(const StepWindows *s, size_t first, OrderKey *keys)
{
  const size_t n = s->n - first;
  for (size_t i = 0; i < n; i++) keys[i] = (OrderKey){ .a = span_of(&s->items[first + i]) };
  order_sort(keys, n);
  return ((double)keys[(n - 1) / 2].a + (double)keys[n / 2].a) / 2;
}

static void mark_warmup(StepWindows *s, OrderKey *keys)
{
  for (size_t i = 0; i + 1 < s->n && i < STEP_WARMUP_MOST; i++) {
    if ((double)span_of(&s->items[i]) <= 1.5 * median_from(s, i + 1, keys)) return;
    s->items[i].is_warmup = true;
  }
}

bool step_windows_close(StepWindows *s)
{
  OrderKey *keys = mill_new(s->common, (s->n + 1) * sizeof *keys);
  if (!keys || !sort_hosts(s) || !sort_by_time(s, keys)) return false;
  place_windows(s);
  s->has_steps = s->n > 0;
  if (s->n == 0 && s->all.has_work && s->all.last_ns > s->all.first_ns) {
    s->items[s->n] = s->all;
    s->items[s->n].from_ns = s->all.first_ns;
    s->items[s->n++].to_ns = s->all.last_ns;
  }
  mark_warmup(s, keys);
  array_free(s->common, keys);
  return true;
}

const StepWindow *step_windows_find(const StepWindows *s, int64_t number)
{
  if (!s->has_steps) return number == 0 && s->n ? &s->items[0] : NULL;
  const size_t *place = place_of(s, number);
  return place && *place ? &s->items[*place - 1] : NULL;
}

bool step_windows_begins(const StepWindows *s, int64_t from_ns, int64_t to_ns)
{
  const size_t at = order_find(s->hosts, s->n_hosts, from_ns, INT64_MIN);
  return at < s->n_hosts && s->hosts[at].a <= to_ns;
}
