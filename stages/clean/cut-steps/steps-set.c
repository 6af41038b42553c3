/* What the stage remembers of a lane; see steps-set.h. */
/* SPDX-License-Identifier: MIT */
#include "steps-set.h"

#include <stdlib.h>
#include <string.h>

#include "base/num-digits.h"
#include "kit/state/grow.h"
#include "kit/state/search.h"

/* ------------------------------------------------------------------- steps */

static size_t place_of(const StepSet *s, int64_t step)
{
  return FIRST_NOT(s->n, i, s->items[i] < step);
}

bool step_set_add(const MillHost *common, StepSet *s, int64_t step)
{
  size_t at = place_of(s, step);
  if (at < s->n && s->items[at] == step) return true;
  if (!array_reserve(common, &s->items, &s->max, s->n + 1, sizeof *s->items)) return false;
  memmove(&s->items[at + 1], &s->items[at], (s->n - at) * sizeof *s->items);
  s->items[at] = step;
  s->n++;
  return true;
}

typedef struct RangeText {
  char *out;
  size_t size, len;
  bool full;
} RangeText;

/* "3", "3-5"; when there is no more space, an ellipsis, once. */
static void put_range(RangeText *t, int64_t first, int64_t last)
{
  char text[2 * DIGITS_MAX + 4] = ", ";
  size_t len = t->len ? 2 : 0;
  len += digits_write(text + len, first);
  if (last > first) text[len++] = '-';
  if (last > first) len += digits_write(text + len, last);
  if (t->full) return;
  t->full = t->len + len + sizeof ", ..." > t->size;
  if (t->full) len = (size_t)(stpcpy(text, ", ...") - text);
  memcpy(t->out + t->len, text, len);
  t->len += len;
  t->out[t->len] = 0;
}

void step_set_text(const StepSet *s, char *out, size_t size)
{
  RangeText t = { .out = out, .size = size };
  *out = 0;
  for (size_t i = 0, next; i < s->n && !t.full; i = next) {
    for (next = i + 1; next < s->n && s->items[next] == s->items[next - 1] + 1;) next++;
    put_range(&t, s->items[i], s->items[next - 1]);
  }
}

static void put_missing(const StepSet *s, const Range *wanted, RangeText *t)
{
  int64_t from = wanted->first;
  for (size_t i = place_of(s, from); i < s->n && s->items[i] <= wanted->last; i++) {
    if (s->items[i] > from) put_range(t, from, s->items[i] - 1);
    if (s->items[i] == INT64_MAX) return;
    from = s->items[i] + 1;
  }
  if (from <= wanted->last) put_range(t, from, wanted->last);
}

bool step_set_missing(const StepSet *s, const Ranges *wanted, char *out, size_t size)
{
  RangeText t = { .out = out, .size = size };
  *out = 0;
  for (uint32_t i = 0; i < wanted->n; i++) put_missing(s, &wanted->items[i], &t);
  return t.len > 0;
}

/* ----------------------------------------------------------------- windows */

bool step_windows_add(const MillHost *common, StepWindows *w, int64_t first_ns, int64_t end_ns)
{
  if (!array_reserve(common, &w->items, &w->max, w->n + 1, sizeof *w->items)) return false;
  w->items[w->n++] = (Range){ first_ns, end_ns };
  return true;
}

static int by_first(const void *p, const void *q)
{
  const Range *a = p, *b = q;
  return (a->first > b->first) - (a->first < b->first);
}

void step_windows_join(StepWindows *w)
{
  size_t n = 0;
  if (w->n) qsort(w->items, w->n, sizeof *w->items, by_first);
  for (size_t i = 0; i < w->n; i++) {
    if (!n || w->items[i].first > w->items[n - 1].last)
      w->items[n++] = w->items[i];
    else if (w->items[i].last > w->items[n - 1].last)
      w->items[n - 1].last = w->items[i].last;
  }
  w->n = n;
}

/* A step without length has the events at its time. */
bool step_windows_have(const StepWindows *w, int64_t ts_ns)
{
  size_t after = FIRST_NOT(w->n, i, w->items[i].first <= ts_ns);
  if (!after) return false;
  const Range *at = &w->items[after - 1];
  return ts_ns < at->last || ts_ns == at->first;
}

/* ---------------------------------------------------------------- launches */

bool launch_set_add(const MillHost *common, LaunchSet *s, Launch launch)
{
  if (!array_reserve(common, &s->items, &s->max, s->n + 1, sizeof *s->items)) return false;
  s->items[s->n++] = launch;
  return true;
}

static int compare_ids(uint64_t id, MillSym cat, const Launch *b)
{
  if (id != b->id) return id < b->id ? -1 : 1;
  return (cat > b->cat) - (cat < b->cat);
}

static int by_id(const void *p, const void *q)
{
  const Launch *a = p;
  return compare_ids(a->id, a->cat, q);
}

void launch_set_keep(LaunchSet *s, const StepWindows *windows)
{
  size_t n = 0;
  for (size_t i = 0; i < s->n; i++)
    if (step_windows_have(windows, s->items[i].ts_ns)) s->items[n++] = s->items[i];
  s->n = n;
  if (n) qsort(s->items, n, sizeof *s->items, by_id);
}

bool launch_set_has(const LaunchSet *s, uint64_t id, MillSym cat)
{
  size_t at = FIRST_NOT(s->n, i, compare_ids(id, cat, &s->items[i]) > 0);
  return at < s->n && compare_ids(id, cat, &s->items[at]) == 0;
}

/* ---------------------------------------------------------------- arrivals */

bool arrivals_add(const MillHost *common, ArrivalSet *s, Arrival arrival)
{
  if (!array_reserve(common, &s->items, &s->max, s->n + 1, sizeof *s->items)) return false;
  s->items[s->n++] = arrival;
  return true;
}

static int compare_places(uint32_t track, int64_t ts_ns, const Arrival *b)
{
  if (track != b->track) return track < b->track ? -1 : 1;
  return (ts_ns > b->ts_ns) - (ts_ns < b->ts_ns);
}

/* Of one place, those that are kept come first. */
static int by_place(const void *p, const void *q)
{
  const Arrival *a = p, *b = q;
  int order = compare_places(a->track, a->ts_ns, b);
  return order ? order : b->kept - a->kept;
}

void arrivals_keep(ArrivalSet *s, const LaunchSet *flows)
{
  for (size_t i = 0; i < s->n; i++)
    s->items[i].kept = launch_set_has(flows, s->items[i].id, s->items[i].cat);
  if (s->n) qsort(s->items, s->n, sizeof *s->items, by_place);
}

Arrived arrivals_find(const ArrivalSet *s, uint32_t track, int64_t ts_ns)
{
  size_t at = FIRST_NOT(s->n, i, compare_places(track, ts_ns, &s->items[i]) > 0);
  if (at == s->n || compare_places(track, ts_ns, &s->items[at])) return ARRIVED_NEVER;
  return s->items[at].kept ? ARRIVED_KEPT : ARRIVED_OTHER;
}
