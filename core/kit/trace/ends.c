/* The ends of open slices; see ends.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/ends.h"

static void sift_down(Ends *e)
{
  int64_t at_ns = e->at_ns[0];
  uint32_t i = 0;
  for (uint32_t child; (child = 2 * i + 1) < e->n; i = child) {
    if (child + 1 < e->n && e->at_ns[child + 1] < e->at_ns[child]) child++;
    if (e->at_ns[child] >= at_ns) break;
    e->at_ns[i] = e->at_ns[child];
  }
  e->at_ns[i] = at_ns;
}

void ends_forget(Ends *e, int64_t ts_ns)
{
  while (e->n && e->at_ns[0] <= ts_ns) {
    e->at_ns[0] = e->at_ns[--e->n];
    if (e->n) sift_down(e);
  }
}

bool ends_push(const MillHost *common, Ends *e, int64_t end_ns)
{
  if (e->n && e->at_ns[0] == end_ns) return true; /* one of each will do */
  if (!array_reserve(common, &e->at_ns, &e->capacity, (size_t)e->n + 1, sizeof *e->at_ns))
    return false;
  uint32_t i = e->n++;
  for (; i > 0 && e->at_ns[(i - 1) / 2] > end_ns; i = (i - 1) / 2)
    e->at_ns[i] = e->at_ns[(i - 1) / 2];
  e->at_ns[i] = end_ns;
  return true;
}

/* Of the ends under the i-th one, which are no earlier. */
static bool latest_under(const Ends *e, uint32_t i, int64_t end_ns, int64_t limit_ns,
                         int64_t *io_latest_ns)
{
  if (i >= e->n || e->at_ns[i] >= end_ns) return true;
  if (e->at_ns[i] > limit_ns) return false;
  if (e->at_ns[i] > *io_latest_ns) *io_latest_ns = e->at_ns[i];
  return latest_under(e, 2 * i + 1, end_ns, limit_ns, io_latest_ns) &&
         latest_under(e, 2 * i + 2, end_ns, limit_ns, io_latest_ns);
}

bool ends_latest_before(const Ends *e, int64_t end_ns, int64_t limit_ns, int64_t *io_latest_ns)
{
  return latest_under(e, 0, end_ns, limit_ns, io_latest_ns);
}
