/* How much of the computing work both sides have, and whether nearly all of it changed by one factor; see why.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "why.h"

/* As a slower clock does: most of the work, within this of one another, and more than half of the change. */
static const double nearly_all = 0.8, alike = 0.02, most_of_change = 0.5;
enum { FEW_OPS = 2 }; /* fewer than that are no "all" */

typedef struct Ratio {
  double ratio, base_ns, change_ns;
} Ratio;

static int compare_ratios(const void *a, const void *b)
{
  const Ratio *x = a, *y = b;
  return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* The ratio that as much time is above as below. */
static double middle_of(const Ratio *ratios, size_t n, double all_ns)
{
  double below_ns = 0;
  for (size_t i = 0; i < n; i++)
    if ((below_ns += ratios[i].base_ns) >= all_ns / 2) return ratios[i].ratio;
  return (double)NAN;
}

static double factor_of(Ratio *ratios, size_t n, double step_change_ns)
{
  double all_ns = 0, near_ns = 0, change_ns = 0;
  size_t n_near = 0;
  qsort(ratios, n, sizeof *ratios, compare_ratios);
  for (size_t i = 0; i < n; i++) all_ns += ratios[i].base_ns;
  const double middle = middle_of(ratios, n, all_ns);
  for (size_t i = 0; i < n; i++) {
    if (fabs(ratios[i].ratio / middle - 1) > alike) continue;
    near_ns += ratios[i].base_ns;
    change_ns += ratios[i].change_ns;
    n_near++;
  }
  const bool explains =
      change_ns * step_change_ns > 0 && fabs(change_ns) > most_of_change * fabs(step_change_ns);
  const bool holds = n_near >= FEW_OPS && near_ns >= nearly_all * all_ns && explains;
  return holds && fabs(middle - 1) > alike ? middle : (double)NAN;
}

bool match_work(const Why *w, const Tree *t, Match *out)
{
  Ratio *ratios = mill_new(w->common, (t->n_nodes + 1) * sizeof *ratios);
  double all_ns[N_SIDES] = { 0 }, matched_ns[N_SIDES] = { 0 };
  size_t n = 0;
  if (!ratios) return false;
  for (size_t i = 0; i < t->n_nodes; i++) {
    const Node *node = &t->nodes[i];
    if (node->level != LEVEL_OP || !node_computes(node)) continue;
    const bool both = node->calls[BASE] > 0 && node->calls[NEW] > 0;
    for (int side = 0; side < N_SIDES; side++) {
      all_ns[side] += node->times[side];
      if (both) matched_ns[side] += node->times[side];
    }
    if (both && node->times[BASE] > 0)
      ratios[n++] = (Ratio){ node->times[NEW] / node->times[BASE], node->times[BASE],
                             node->times[NEW] - node->times[BASE] };
  }
  for (int side = 0; side < N_SIDES; side++)
    out->percent[side] = all_ns[side] > 0 ? 100 * matched_ns[side] / all_ns[side] : (double)NAN;
  out->factor = t->n_nodes && n
                    ? factor_of(ratios, n, t->nodes[0].times[NEW] - t->nodes[0].times[BASE])
                    : (double)NAN;
  return true;
}
