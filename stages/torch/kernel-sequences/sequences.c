/* Sequences of device work by operator; see sequences.h. */
/* SPDX-License-Identifier: MIT */
#include "sequences.h"

#include <stdio.h>
#include <stdlib.h>

#include "kit/numbers/clip.h"
#include "torch/lib/order.h"

enum { MOST_NAMES = 64 }; /* of a sequence; of a longer one the rest is counted */

bool sequences_open(Sequences *s, const MillHost *common)
{
  s->common = s->names.common = s->key.common = common;
  s->found = keyed_new(common, sizeof(Sequence));
  return s->found != NULL;
}

bool sequences_add_op(Sequences *s, const Op *op)
{
  if (s->n_ops == NO_OP ||
      !array_reserve(s->common, &s->ops, &s->ops_capacity, s->n_ops + 1, sizeof *s->ops))
    return false;
  s->ops[s->n_ops++] = *op;
  return true;
}

bool sequences_add_piece(Sequences *s, const Piece *piece)
{
  if (s->n_pieces == NO_OP || !array_reserve(s->common, &s->pieces, &s->pieces_capacity,
                                             s->n_pieces + 1, sizeof *s->pieces))
    return false;
  s->pieces[s->n_pieces++] = *piece;
  return true;
}

/* ---- which operator launched what */

/* By track and start, of equal start the longest first: ~x falls as x rises, for any x. */
static OrderKey *order_of_ops(const Sequences *s)
{
  OrderKey *keys = mill_new(s->common, (s->n_ops + 1) * sizeof *keys);
  for (size_t i = 0; keys && i < s->n_ops; i++)
    keys[i] = (OrderKey){ s->ops[i].track, s->ops[i].start_ns, ~s->ops[i].end_ns, (uint32_t)i };
  if (keys) order_sort(keys, s->n_ops);
  return keys;
}

static OrderKey *order_of_launches(const Sequences *s)
{
  OrderKey *keys = mill_new(s->common, (s->n_pieces + 1) * sizeof *keys);
  for (size_t i = 0; keys && i < s->n_pieces; i++)
    keys[i] = (OrderKey){ s->pieces[i].track, s->pieces[i].launch_ns, 0, (uint32_t)i };
  if (keys) order_sort(keys, s->n_pieces);
  return keys;
}

/* Of operators within each other the outermost counts. */
static size_t keep_outermost(Sequences *s, OrderKey *io_keys)
{
  size_t n = 0;
  for (size_t i = 0; i < s->n_ops; i++) {
    const OrderKey *outer = n ? &io_keys[n - 1] : NULL;
    Op *op = &s->ops[io_keys[i].i];
    op->is_inner = outer && outer->a == io_keys[i].a && op->start_ns < s->ops[outer->i].end_ns;
    if (!op->is_inner) io_keys[n++] = io_keys[i];
  }
  return n;
}

static void give_pieces(Sequences *s, const OrderKey *ops, size_t n_ops, const OrderKey *launches)
{
  size_t at = 0;
  for (size_t i = 0; i < s->n_pieces; i++) {
    Piece *piece = &s->pieces[launches[i].i];
    while (at < n_ops &&
           (ops[at].a < piece->track ||
            (ops[at].a == piece->track && s->ops[ops[at].i].end_ns < piece->launch_ns)))
      at++;
    bool within = at < n_ops && ops[at].a == piece->track && ops[at].b <= piece->launch_ns;
    piece->op = within ? ops[at].i : NO_OP;
  }
}

static bool find_operators(Sequences *s)
{
  OrderKey *ops = order_of_ops(s), *launches = order_of_launches(s);
  bool fits = ops && launches;
  if (fits) give_pieces(s, ops, keep_outermost(s, ops), launches);
  array_free(s->common, ops);
  array_free(s->common, launches);
  return fits;
}

/* ---- sequences */

static bool add_name(Sequences *s, MillSym name, size_t number)
{
  size_t len;
  const char *text = s->common->symbol_text(s->common, name, &len);
  if (number >= MOST_NAMES) return true;
  return (number == 0 || buffer_add(&s->names, ", ", 2)) && buffer_add(&s->names, text, len);
}

static bool add_rest(Sequences *s, size_t n)
{
  char rest[32];
  if (n <= MOST_NAMES) return true;
  int len = snprintf(rest, sizeof rest, ", ... (%zu)", n);
  return buffer_add(&s->names, rest, (size_t)len);
}

/* The pieces of one operator, by start. */
static bool add_sequence(Sequences *s, const OrderKey *keys, size_t n)
{
  Op *op = &s->ops[keys->a];
  size_t len;
  const char *name = s->common->symbol_text(s->common, op->name, &len);
  bool fits = true;
  s->names.len = s->key.len = 0;
  for (size_t i = 0; i < n && fits; i++) fits = add_name(s, s->pieces[keys[i].i].name, i);
  if (!fits || !add_rest(s, n) || !fields_put(&s->key, name, len) ||
      !fields_put(&s->key, s->names.text, s->names.len))
    return false;
  op->sequence = keyed_entry(s->found, s->key.text, s->key.len);
  if (!op->sequence) return false;
  Sequence *sequence = op->sequence->state;
  sequence->calls++;
  sequence->host_ns = add_clipped(sequence->host_ns, op->end_ns - op->start_ns);
  for (size_t i = 0; i < n; i++)
    sequence->device_ns = add_clipped(sequence->device_ns, s->pieces[keys[i].i].dur_ns);
  return true;
}

static bool find_sequences(Sequences *s)
{
  size_t n = 0;
  OrderKey *keys = mill_new(s->common, (s->n_pieces + 1) * sizeof *keys);
  if (!keys) return false;
  for (size_t i = 0; i < s->n_pieces; i++)
    if (s->pieces[i].op != NO_OP)
      keys[n++] = (OrderKey){ s->pieces[i].op, s->pieces[i].start_ns, 0, (uint32_t)i };
  order_sort(keys, n);
  bool fits = true;
  for (size_t i = 0, end; i < n && fits; i = end) {
    for (end = i + 1; end < n && keys[end].a == keys[i].a;) end++;
    fits = add_sequence(s, &keys[i], end - i);
  }
  array_free(s->common, keys);
  return fits;
}

/* ---- places */

static int compare(const void *a, const void *b)
{
  const KeyedEntry *x = *(const KeyedEntry *const *)a, *y = *(const KeyedEntry *const *)b;
  const Sequence *s = x->state, *t = y->state;
  if (s->calls != t->calls) return s->calls < t->calls ? 1 : -1;
  if (s->device_ns != t->device_ns) return s->device_ns < t->device_ns ? 1 : -1;
  return x->len != y->len ? (x->len < y->len ? -1 : 1) : memcmp(x->key, y->key, x->len);
}

static bool give_places(Sequences *s, uint32_t top)
{
  uint32_t n = keyed_count(s->found);
  const KeyedEntry *const *entries = keyed_sorted(s->found);
  const KeyedEntry **sorted = mill_new(s->common, (n + 1) * sizeof *sorted);
  if (!entries || !sorted) return false;
  for (uint32_t i = 0; i < n; i++) sorted[i] = entries[i];
  if (n) qsort(sorted, n, sizeof *sorted, compare);
  for (uint32_t i = 0; i < n && i < top; i++) ((Sequence *)sorted[i]->state)->place = i + 1;
  array_free(s->common, sorted);
  return true;
}

bool sequences_find(Sequences *s, uint32_t top)
{
  return find_operators(s) && find_sequences(s) && give_places(s, top);
}
