/* Steps and their device times; see steps.h. */
/* SPDX-License-Identifier: MIT */
#include "steps.h"

#include "kit/state/grow.h"
#include "kit/numbers/interval.h"
#include "kit/state/search.h"

bool steps_add(Steps *s, int64_t number, int64_t start_ns, int64_t end_ns)
{
  if (!array_reserve(s->common, &s->items, &s->capacity, s->n + 1, sizeof *s->items)) return false;
  s->items[s->n++] = (Step){ .number = number, .start_ns = start_ns, .end_ns = end_ns };
  return true;
}

/* The items by start, or by number and start. */
static bool sort_steps(Steps *s, bool by_number)
{
  OrderKey *keys = mill_new(s->common, (s->n + 1) * sizeof *keys);
  Step *sorted = mill_new(s->common, (s->n + 1) * sizeof *sorted);
  if (!keys || !sorted) return false;
  for (size_t i = 0; i < s->n; i++)
    keys[i] =
        (OrderKey){ by_number ? s->items[i].number : 0, s->items[i].start_ns, 0, (uint32_t)i };
  order_sort(keys, s->n);
  for (size_t i = 0; i < s->n; i++) sorted[i] = s->items[keys[i].i];
  array_free(s->common, keys);
  array_free(s->common, s->items);
  s->items = sorted;
  s->capacity = s->n + 1;
  return true;
}

bool steps_close(Steps *s)
{
  s->until_ns = mill_new(s->common, (s->n + 1) * sizeof *s->until_ns);
  if (!s->until_ns || !sort_steps(s, false)) return false;
  for (size_t i = 0; i < s->n; i++) {
    s->until_ns[i] = s->items[i].end_ns;
    if (i > 0 && s->until_ns[i - 1] > s->until_ns[i]) s->until_ns[i] = s->until_ns[i - 1];
  }
  return true;
}

int64_t steps_at(const Steps *s, int64_t ts_ns)
{
  size_t after = FIRST_NOT(s->n, i, s->items[i].start_ns <= ts_ns);
  for (; after > 0 && s->until_ns[after - 1] > ts_ns; after--)
    if (s->items[after - 1].end_ns > ts_ns) return s->items[after - 1].number;
  return -1;
}

void steps_assign(const Steps *s, const HostTree *tree, Works *works)
{
  for (size_t i = 0; i < works->n; i++) {
    Work *work = &works->items[i];
    bool called = work->call != TREE_NONE;
    work->step = steps_at(s, called ? tree->nodes[work->call].start_ns : work->start_ns);
  }
}

/* ---- device times */

/* Slices of one number, as of several threads, are one step from the first start to the last end. */
static void join_numbers(Steps *s)
{
  size_t n = 0;
  bool apart = false;
  for (size_t i = 0; i < s->n; i++) {
    const Step *slice = &s->items[i];
    if (n == 0 || s->items[n - 1].number != slice->number) {
      apart = false;
      s->items[n++] = *slice;
      continue;
    }
    Step *step = &s->items[n - 1];
    s->n_apart += !apart && slice->start_ns > step->end_ns;
    apart = apart || slice->start_ns > step->end_ns;
    if (slice->end_ns > step->end_ns) step->end_ns = slice->end_ns;
  }
  s->n = n;
}

/* Numbers follow one another where steps do; a gap in them is steps that are not in the trace. */
static void measure_periods(Steps *s)
{
  for (size_t i = 0; i + 1 < s->n; i++) {
    Step *step = &s->items[i];
    const Step *next = step + 1;
    step->has_period = step->number < INT64_MAX && next->number == step->number + 1 &&
                       next->start_ns >= step->start_ns;
    if (step->has_period) step->period_ns = interval_span(step->start_ns, next->start_ns);
  }
}

typedef struct Sets {
  IntervalSet all, computation, communication, exposed;
} Sets;

static bool add_work(Sets *sets, const Work *w)
{
  bool fits = interval_add(&sets->all, w->start_ns, w->end_ns);
  if (w->does == WORK_COMPUTATION)
    fits = fits && interval_add(&sets->computation, w->start_ns, w->end_ns);
  if (w->does == WORK_COMMUNICATION)
    fits = fits && interval_add(&sets->communication, w->start_ns, w->end_ns);
  return fits;
}

static bool measure(Step *step, Sets *sets)
{
  interval_normalise(&sets->all);
  interval_normalise(&sets->computation);
  interval_normalise(&sets->communication);
  bool fits = interval_subtract(&sets->communication, &sets->computation, &sets->exposed);
  step->has_work = sets->all.n > 0;
  if (step->has_work) {
    step->device_start_ns = sets->all.items[0].start_ns;
    step->device_end_ns = sets->all.items[sets->all.n - 1].end_ns;
  }
  step->busy_ns = interval_length(&sets->all);
  step->idle_ns = interval_gaps(&sets->all, 0).total_ns;
  step->computation_ns = interval_length(&sets->computation);
  step->communication_ns = interval_length(&sets->communication);
  step->exposed_ns = interval_length(&sets->exposed);
  interval_clear(&sets->all);
  interval_clear(&sets->computation);
  interval_clear(&sets->communication);
  interval_clear(&sets->exposed);
  return fits;
}

bool steps_measure(Steps *s, const Works *works)
{
  const IntervalSet empty = { .common = s->common };
  Sets sets = { empty, empty, empty, empty };
  OrderKey *keys = mill_new(s->common, (works->n + 1) * sizeof *keys);
  if (!keys || !sort_steps(s, true)) return false;
  join_numbers(s);
  measure_periods(s);
  for (size_t i = 0; i < works->n; i++)
    keys[i] = (OrderKey){ works->items[i].step, works->items[i].start_ns, 0, (uint32_t)i };
  order_sort(keys, works->n);
  bool fits = true;
  for (size_t i = 0; i < s->n && fits; i++) {
    size_t k = order_find(keys, works->n, s->items[i].number, INT64_MIN);
    for (; k < works->n && keys[k].a == s->items[i].number && fits; k++)
      fits = add_work(&sets, &works->items[keys[k].i]);
    fits = fits && measure(&s->items[i], &sets);
  }
  array_free(s->common, keys);
  return fits;
}
