/* Sums of operators; see sums.h. */
/* SPDX-License-Identifier: MIT */
#include "sums.h"

#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/numbers/moments.h"
#include "kit/state/saved.h"

void op_sum_add(OpSum *s, int64_t total_ns, int64_t subtree_ns, int64_t kernels)
{
  s->calls++;
  s->total_ns = add_clipped(s->total_ns, total_ns);
  s->subtree_ns = add_clipped(s->subtree_ns, subtree_ns);
  s->kernels += kernels;
}

void op_sum_add_part(OpSum *s, int64_t part_ns, bool is_first)
{
  s->calls += is_first;
  s->total_ns = add_clipped(s->total_ns, part_ns);
  s->kernels++;
}

void op_sum_add_category(OpSum *s, MillSym category)
{
  for (uint32_t i = 0; i < s->n_categories; i++)
    if (s->categories[i] == category) return;
  if (s->n_categories < MAX_CATEGORIES) s->categories[s->n_categories++] = category;
}

/* The number of the category that comes after `last` in the order of bytes; n_categories: none does. */
static uint32_t next_category(const MillHost *common, const OpSum *s, const char *last)
{
  size_t len;
  uint32_t next = s->n_categories;
  const char *best = NULL;
  for (uint32_t i = 0; i < s->n_categories; i++) {
    const char *text = common->symbol_text(common, s->categories[i], &len);
    if ((last && strcmp(text, last) <= 0) || (best && strcmp(text, best) >= 0)) continue;
    best = text;
    next = i;
  }
  return next;
}

MillText op_sum_categories(const MillHost *common, const OpSum *s)
{
  size_t len, at = 0, room = 1;
  for (uint32_t i = 0; i < s->n_categories; i++) {
    (void)common->symbol_text(common, s->categories[i], &len);
    room += len + 2;
  }
  char *text = common->scratch(common, room);
  if (!text) return (MillText){ NULL, 0 };
  const char *last = NULL;
  for (uint32_t i; (i = next_category(common, s, last)) < s->n_categories;) {
    if (last) {
      memcpy(text + at, ", ", 2);
      at += 2;
    }
    last = common->symbol_text(common, s->categories[i], &len);
    memcpy(text + at, last, len);
    at += len;
  }
  return (MillText){ text, at };
}

int64_t op_sum_total(const void *state) { return ((const OpSum *)state)->total_ns; }

/* As texts in the order of their bytes. */
static void save_categories(StateIo *io, const StateField *f, void *owner, void *at)
{
  size_t len;
  const OpSum *s = owner;
  const char *last = NULL;
  (void)f, (void)at;
  io->host->put_int(io->host, s->n_categories);
  for (uint32_t i; (i = next_category(io->host->common, s, last)) < s->n_categories;) {
    last = io->host->common->symbol_text(io->host->common, s->categories[i], &len);
    saved_put_sym(io->host, s->categories[i]);
  }
}

static bool load_categories(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  (void)f, (void)at, (void)is_new;
  for (uint64_t n = io->host->get_count(io->host, 3); n > 0; n--)
    op_sum_add_category(owner, saved_get_sym(io->host));
  return true;
}

static const StateOps category_ops = { save_categories, load_categories, 2 };
static const StateField op_sum_fields[] = {
  STATE_SUM(OpSum, calls),
  STATE_SUM(OpSum, total_ns),
  STATE_SUM(OpSum, subtree_ns),
  STATE_SUM(OpSum, kernels),
  STATE_BY(OpSum, categories, category_ops),
};
const StateType op_sum_state = STATE_TYPE(OpSum, op_sum_fields);

/* ---- by arguments */

bool args_sum_add(ArgsSum *s, Hists *hists, int64_t time_ns, int64_t kernels, int64_t first_ns)
{
  if (s->time.moments.n == 0 || first_ns < s->first_ns) s->first_ns = first_ns;
  s->kernels += kernels;
  return dist_add(&s->time, hists, time_ns);
}

int64_t args_sum_total(const void *state)
{
  return moments_sum(&((const ArgsSum *)state)->time.moments);
}

static const StateField args_sum_fields[] = {
  STATE_SUM(ArgsSum, kernels),
  STATE_LEAST(ArgsSum, first_ns),
  STATE_DIST(ArgsSum, time),
};
const StateType args_sum_state = STATE_TYPE(ArgsSum, args_sum_fields);
