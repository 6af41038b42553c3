/* Which events an instance sees, and in which order. */
#include "harness-internal.h"
#include "plan/facts.h"

static int64_t sort_ts(const HarnessLine *line)
{
  return line->flags & MILL_FLAG_NO_TS ? INT64_MIN : line->ts_ns;
}

/* Time, longer first, lane, place in the input: the order of the program. */
static gint compare_items(gconstpointer a, gconstpointer b)
{
  const HarnessItem *x = a, *y = b;
  int64_t tx = sort_ts(x->line), ty = sort_ts(y->line);
  if (tx != ty) return tx < ty ? -1 : 1;
  if (x->line->dur_ns != y->line->dur_ns) return x->line->dur_ns > y->line->dur_ns ? -1 : 1;
  if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
  return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void add_lane(const HarnessLane *lane, uint32_t max_events, GArray *items)
{
  for (guint i = 0; i < lane->lines->len && i < max_events; i++) {
    HarnessItem item = { lane->lines->pdata[i], lane->lane.index, i };
    g_array_append_val(items, item);
  }
}

HarnessStream *harness_stream_new(const HarnessCase *c, uint32_t max_events, Instance *instance)
{
  HarnessStream *s = g_new0(HarnessStream, 1);
  bool merged = instance->lane == instance->run->merged;
  s->instance = instance;
  s->items = g_array_new(FALSE, FALSE, sizeof(HarnessItem));
  for (guint i = 0; i < c->lanes->len; i++)
    if (merged || i == instance->lane->index) add_lane(c->lanes->pdata[i], max_events, s->items);
  if (merged || fact_in_list(c->stage->needs, "order.lane")) g_array_sort(s->items, compare_items);
  return s;
}

void harness_stream_free(HarnessStream *s)
{
  g_array_unref(s->items);
  g_free(s);
}
