/* Learning the shapes of events; see shape.h. */
/* SPDX-License-Identifier: MIT */
#include "shape.h"

#include <string.h>

#define STEADY_BYTES 16    /* longer texts of members that are none of ours are rarely steady */
#define MISSES 1024u       /* events without a shape, after which there is a verdict */
#define WORTH 4u           /* events that must have come for each of them */
#define REST_EVENTS 65536u /* until the next attempt, if shapes are of no use */
#define FULL_SOON 65536u   /* events in which the tree should not fill up */

void shapes_init(Shapes *shapes) { shapes->n = 1; }

/* What a stretch after `from` may pass. */
static bool is_steady(const Stretch *from, const Passed *m)
{
  if (m->bit) return m->bit & SEEN_STEADY & ~from->loose;
  return !(from->loose & SEEN_CAT) && *m->value == '"' && m->after - m->value <= STEADY_BYTES;
}

static Stretch *find(const Shapes *shapes, const Stretch *from, const char *text, size_t len)
{
  for (uint32_t i = 0; i < from->n_next; i++) {
    Stretch *to = &shapes->all[from->next[i]];
    if (to->len == len && memcmp(to->text, text, len) == 0) return to;
  }
  return NULL;
}

/* With one more kind of steady values to be read, since they differ too much: rows first. */
static uint32_t looser(uint32_t loose)
{
  if (!(loose & SEEN_PID)) return loose | SEEN_PID | SEEN_TID;
  if (!(loose & SEEN_ARGS)) return loose | SEEN_ARGS;
  return loose & SEEN_CAT ? loose | SEEN_STEADY : loose | SEEN_CAT;
}

static Stretch *add(Shapes *shapes, Stretch *from, const char *text, size_t len)
{
  uint32_t index = shapes->n++;
  Stretch *to = &shapes->all[index];
  *to = (Stretch){ .len = (uint16_t)len, .loose = shapes->loose };
  memcpy(to->text, text, len);
  from->next[from->n_next++] = (uint16_t)index;
  return to;
}

/* Before short ones, which its text may begin with. */
static void put_first(Stretch *from)
{
  uint16_t last = from->next[from->n_next - 1];
  for (uint32_t i = from->n_next - 1u; i; i--) from->next[i] = from->next[i - 1];
  from->next[0] = last;
}

/* Where member i's value begins, or the event ends. */
static const char *value_of(const Passage *passage, uint32_t i)
{
  return i < passage->n ? passage->members[i].value : passage->end;
}

/* The member whose value ends the stretch after `from` that begins at `start`, before member i. */
static uint32_t end_of_stretch(const Stretch *from, const Passage *passage, const char *start,
                               uint32_t i)
{
  while (i < passage->n && is_steady(from, &passage->members[i]) &&
         value_of(passage, i + 1) - start <= SCAN_WIDE)
    i++;
  return i;
}

/* What is known after the stretch that ends at member i. */
static void describe(Stretch *to, const Passage *passage, uint32_t i, uint32_t read,
                     const Steady *steady)
{
  uint32_t bit = i < passage->n ? passage->members[i].bit : 0;
  to->member = i == passage->n ? NTH_NONE : bit ? (uint16_t)__builtin_ctz(bit) : NTH_OTHER;
  to->key = i < passage->n ? passage->members[i].key : 0;
  to->read = read;
  to->steady = *steady;
  for (uint32_t k = 0; k < i; k++) to->seen |= passage->members[k].bit;
}

/* Along the tree, with new stretches where the event leaves it. */
static void grow(Shapes *shapes, const Passage *passage, const Steady *steady)
{
  Stretch *at = shapes->all;
  const char *start = passage->start;
  uint32_t i = 0, read = 0;
  for (;;) {
    uint32_t last = end_of_stretch(at, passage, start, i);
    size_t len = (size_t)(value_of(passage, last) - start);
    if (len > SCAN_WIDE) return;
    Stretch *next = find(shapes, at, start, len);
    if (!next && at->n_next == MAX_NEXT) {
      at->loose = looser(at->loose);
      at->n_next = 0;
      continue;
    }
    if (!next) {
      next = add(shapes, at, start, len);
      describe(next, passage, last, read, steady);
      if (!stretch_is_short(next)) put_first(at);
    }
    if (last == passage->n) return;
    read |= passage->members[last].bit;
    start = passage->members[last].after;
    i = last + 1;
    at = next;
  }
}

static void start_again(Shapes *shapes, uint32_t loose, uint64_t n_events)
{
  shapes->loose = loose;
  shapes->began = n_events;
  shapes->all[0] = (Stretch){ .loose = shapes->loose };
  shapes->n = 1;
}

/* Whether shapes are worth their while is judged now and then: first without what is in args. */
static void judge(Shapes *shapes, uint64_t n_events)
{
  if (n_events < shapes->rest || ++shapes->misses < MISSES) return;
  bool bad = n_events - shapes->since < WORTH * MISSES;
  if (bad && shapes->loose & SEEN_ARGS)
    shapes->rest = n_events + REST_EVENTS;
  else if (bad)
    start_again(shapes, shapes->loose | SEEN_ARGS, n_events);
  shapes->since = n_events;
  shapes->misses = 0;
}

/* The tree is full: begun anew, with more values read if it filled up soon. */
static void make_room(Shapes *shapes, uint64_t n_events)
{
  bool soon = n_events - shapes->began < FULL_SOON;
  start_again(shapes, soon ? looser(shapes->loose) : 0, n_events);
}

void shapes_learn(Shapes *shapes, const Passage *passage, const Steady *steady, uint64_t n_events)
{
  judge(shapes, n_events);
  if (passage->n > SHAPE_MEMBERS || n_events < shapes->rest) return;
  if (shapes->n + passage->n >= N_STRETCHES) make_room(shapes, n_events);
  grow(shapes, passage, steady);
}
