/* Walking over changes; see changes.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/changes.h"

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"

bool changes_add(Changes *c, uint32_t group, int64_t ts_ns, int rank, int64_t delta)
{
  if (c->n >= UINT32_MAX) return false;
  if (!array_reserve(c->common, &c->keys, &c->capacity, c->n + 1, sizeof *c->keys) ||
      !array_reserve(c->common, &c->deltas, &c->delta_capacity, c->n + 1, sizeof *c->deltas))
    return false;
  c->keys[c->n] = (OrderKey){ group, ts_ns, rank, (uint32_t)c->n };
  c->deltas[c->n++] = delta;
  return true;
}

void changes_sort(Changes *c) { order_sort(c->keys, c->n); }

void changes_clear(Changes *c)
{
  array_free(c->common, c->keys);
  array_free(c->common, c->deltas);
  *c = (Changes){ .common = c->common };
}

/* The level holds from one change to the next. */
static void hold(ChangeStats *out, int64_t level, int64_t ns, int64_t limit)
{
  out->span_ns = add_clipped(out->span_ns, ns);
  out->area += (__int128)level * ns;
  if (level > 0) out->busy_ns = add_clipped(out->busy_ns, ns);
  if (level >= limit) out->at_limit_ns = add_clipped(out->at_limit_ns, ns);
}

int changes_walk(const Changes *c, size_t *io_at, int64_t limit, Hists *hists, ChangeStats *out,
                 ChangeSample *sample, void *user)
{
  const size_t first = *io_at;
  int64_t level = 0;
  int status = 0;
  *out = (ChangeStats){ .max = 0 };
  for (size_t i = first; i < c->n && c->keys[i].a == c->keys[first].a && status >= 0;
       *io_at = ++i) {
    bool ends =
        i + 1 == c->n || c->keys[i + 1].a != c->keys[i].a || c->keys[i + 1].b != c->keys[i].b;
    if (i > first) hold(out, level, c->keys[i].b - c->keys[i - 1].b, limit);
    level += c->deltas[c->keys[i].i];
    if (level > out->max) out->max = level;
    if (!dist_add(&out->samples, hists, level)) return -MILL_LIMIT;
    if (ends && sample) status = sample(user, c->keys[i].b, level);
  }
  return status;
}
