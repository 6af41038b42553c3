/* How many lanes have each rank; see rank-use.h. */
#include "kit/chrome/rank-use.h"

#include <glib.h>

struct RankUse {
  GArray *all, *owners; /* int64_t, ascending */
};

static gint by_value(gconstpointer a, gconstpointer b)
{
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

RankUse *rank_use_new(const MillHost *common, bool (*owns)(const MillLane *lane))
{
  RankUse *u = g_new(RankUse, 1);
  uint32_t n = common->n_lanes(common);
  *u = (RankUse){ g_array_new(FALSE, FALSE, sizeof(int64_t)),
                  g_array_new(FALSE, FALSE, sizeof(int64_t)) };
  for (uint32_t i = 0; i < n; i++) {
    MillLane lane = { .size = sizeof lane };
    common->lane(common, i, &lane);
    int64_t rank = lane.rank;
    g_array_append_val(u->all, rank);
    if (owns(&lane)) g_array_append_val(u->owners, rank);
  }
  g_array_sort(u->all, by_value);
  g_array_sort(u->owners, by_value);
  return u;
}

void rank_use_free(RankUse *u)
{
  if (!u) return;
  g_array_unref(u->all);
  g_array_unref(u->owners);
  g_free(u);
}

/* How many of them are less than the value. */
static guint less_than(const GArray *sorted, int64_t value)
{
  guint low = 0, high = sorted->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(sorted, int64_t, middle) < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t count(const GArray *sorted, int64_t rank)
{
  return less_than(sorted, rank + 1) - less_than(sorted, rank);
}

uint32_t rank_use_count(const RankUse *u, int64_t rank) { return count(u->all, rank); }

uint32_t rank_use_owners(const RankUse *u, int64_t rank) { return count(u->owners, rank); }
