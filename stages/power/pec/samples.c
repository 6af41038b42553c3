/* A heap of readings; see samples.h. */
/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include "base/heap.h"
#include "kit/state/grow.h"

static bool is_before(const Sample *a, const Sample *b)
{
  return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}

HEAP(heap, Sample, is_before)

bool samples_put(const MillHost *common, Samples *s, const Sample *sample)
{
  if (!array_reserve(common, &s->items, &s->capacity, s->n + 1, sizeof *s->items)) return false;
  s->items[s->n] = *sample;
  s->items[s->n].number = s->n_seen++;
  heap_rise(s->items, s->n++);
  return true;
}

Sample samples_take(Samples *s)
{
  Sample first = s->items[0];
  s->items[0] = s->items[--s->n];
  heap_sink(s->items, s->n, 0);
  s->last_ns = first.at_ns;
  s->has_last = true;
  return first;
}
