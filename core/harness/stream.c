/* Which events an instance sees, and in which order. */
#include "harness-drive.h"

typedef struct Item {
  HarnessLine *line;
  uint32_t lane;
  uint64_t seq;
} Item;

static bool has_fact(const char *const *facts, const char *fact)
{
  return facts && g_strv_contains((const gchar *const *)facts, fact);
}

/* Time, longer first, lane, place in the input: the order of the program. */
static gint compare_items(gconstpointer a, gconstpointer b)
{
  const Item *x = a, *y = b;
  int64_t tx = x->line->flags & MILL_FLAG_NO_TS ? INT64_MIN : x->line->ts_ns;
  int64_t ty = y->line->flags & MILL_FLAG_NO_TS ? INT64_MIN : y->line->ts_ns;
  if (tx != ty) return tx < ty ? -1 : 1;
  if (x->line->dur_ns != y->line->dur_ns) return x->line->dur_ns > y->line->dur_ns ? -1 : 1;
  if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
  return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void add_lane(const HarnessCase *c, uint32_t index, uint32_t max_events, GArray *items)
{
  const HarnessLane *lane = c->lanes->pdata[index];
  for (guint i = 0; i < lane->lines->len && i < max_events; i++) {
    Item item = { lane->lines->pdata[i], index, i };
    g_array_append_val(items, item);
  }
}

HarnessStream *harness_stream_new(const HarnessCase *c, const HarnessManner *manner,
                                  Symbols *symbols, uint32_t lane)
{
  HarnessStream *s = g_new0(HarnessStream, 1);
  g_autoptr(GArray) items = g_array_new(FALSE, FALSE, sizeof(Item));
  bool sorted = lane == MILL_NO_LANE || has_fact(c->stage->needs, "order.lane");
  for (guint i = 0; i < c->lanes->len; i++)
    if (lane == MILL_NO_LANE || i == lane) add_lane(c, i, manner->max_events, items);
  if (sorted) g_array_sort(items, compare_items);
  s->stage = c->stage;
  s->symbols = symbols;
  s->tracks = tracks_new();
  s->lane = lane;
  s->lines = g_ptr_array_new();
  s->lanes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  s->seqs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  for (guint i = 0; i < items->len; i++) {
    Item *item = &g_array_index(items, Item, i);
    g_ptr_array_add(s->lines, item->line);
    g_array_append_val(s->lanes, item->lane);
    g_array_append_val(s->seqs, item->seq);
  }
  return s;
}

void harness_stream_free(HarnessStream *s)
{
  if (!s) return;
  tracks_free(s->tracks);
  g_ptr_array_unref(s->lines);
  g_array_unref(s->lanes);
  g_array_unref(s->seqs);
  g_free(s);
}
