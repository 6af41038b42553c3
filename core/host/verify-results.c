/* --verify of what comes out: facts that a stage provides, and what it reports; see verify.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/hash-seed.h"
#include "host/verify.h"
#include "plan/facts.h"

/* ------------------------------------------------------------------- facts */

/* The merged stream breaks ties by lane, which an event does not name. */
static int compare(const Instance *i, const MillEvent *a, const MillEvent *b)
{
  return i->lane && i->lane->merged ? event_compare_time(a, b) : event_compare(a, b);
}

/* The first event that comes too late, over all batches of an instance, or NULL. */
static const MillEvent *find_disorder(const Instance *i, const MillEvent *events, uint32_t n,
                                      VerifySide *side)
{
  for (uint32_t k = 0; k < n; k++) {
    const MillEvent *e = &events[k];
    if (side->any && compare(i, &side->last, e) > 0) return e;
    side->last = *e;
    side->any = true;
  }
  return NULL;
}

void verify_order_in(Instance *i, const MillEvent *events, uint32_t n)
{
  if (!i->verify_in.disorder)
    i->verify_in.disorder = find_disorder(i, events, n, &i->verify_in) != NULL;
}

static uint64_t notices_so_far(const Instance *i)
{
  uint64_t sum = 0;
  for (uint32_t k = 0; k < i->descriptor->n_notices; k++) sum += i->notices.counts[k].count;
  return sum;
}

/* slices: no begin or end may be left after the stage that promises so, but for those that do not
 * fit together, which it reports by notices: one for each, or for a pair. */
static void check_slices(Instance *i, const Batch *b)
{
  uint64_t n_notices = notices_so_far(i);
  if (!fact_in_list(i->descriptor->provides, "slices")) return;
  for (uint32_t k = 0; k < b->pub.n_events; k++) {
    const MillEvent *e = &b->pub.events[k];
    if (e->flags & MILL_FLAG_DROPPED || (e->kind != MILL_BEGIN && e->kind != MILL_END)) continue;
    if (++i->verify_out.halves > 2 * n_notices)
      verify_broken(i, "false-fact", "provides the fact slices but let a begin or end through", e);
  }
}

static bool claims(const Instance *i, const char *fact)
{
  return g_ptr_array_find_with_equal_func(i->lane->facts, fact, g_str_equal, NULL);
}

/* Of a source.  What else facts say, such as what an attribute means, the program does not know. */
void verify_claims(Instance *i, const MillBatch *b)
{
  bool slices = claims(i, "slices");
  for (uint32_t k = 0; slices && k < b->n_events; k++)
    if (b->events[k].kind == MILL_BEGIN || b->events[k].kind == MILL_END)
      verify_broken(i, "false-fact", "claims the fact slices but gave a begin or an end",
                    &b->events[k]);
  if (!claims(i, "order.lane") && !claims(i, "order.run")) return;
  const MillEvent *late = find_disorder(i, b->events, b->n_events, &i->verify_out);
  if (late)
    verify_broken(i, "false-fact", "claims the fact order.lane but gave events out of order", late);
}

/* The merged stream has both orders: what the stage itself speaks of, else that of the stream. */
static const char *order_promised(const Instance *i)
{
  const Descriptor *d = i->descriptor;
  bool of_lane = fact_in_list(d->provides, "order.lane") || fact_in_list(d->spoils, "order.lane");
  return i->lane && i->lane->merged && !of_lane ? "order.run" : "order.lane";
}

/* Once the input was out of order, nothing was promised about the output, unless by `provides`. */
static void check_order(Instance *i, const Batch *b)
{
  const char *fact = order_promised(i);
  bool promised = fact_in_list(i->descriptor->provides, fact);
  bool spoils = fact_in_list(i->descriptor->spoils, fact);
  if (!promised && (i->verify_in.disorder || spoils)) return;
  const MillEvent *unordered = find_disorder(i, b->pub.events, b->pub.n_events, &i->verify_out);
  if (!unordered) return;
  g_autofree char *what =
      promised ? g_strdup_printf("provides the fact %s but gave events out of order", fact)
               : g_strdup_printf("gave events out of order but does not spoil the fact %s", fact);
  if (promised)
    verify_broken(i, "false-fact", what, unordered);
  else
    verify_broken(i, "false-order", what, unordered);
}

Error *verify_compacted(Instance *i, const Batch *b)
{
  check_slices(i, b);
  check_order(i, b);
  return g_steal_pointer(&i->error);
}

/* ----------------------------------------------------------------- results */

static void put_cell(GString *key, const MillValue *v)
{
  g_string_append_printf(key, "%u:", v->type);
  if (v->type == MILL_TEXT)
    g_string_append_len(key, v->u.text, v->len);
  else if (v->type != MILL_NONE)
    g_string_append_printf(key, "%" G_GINT64_FORMAT, v->u.i);
  g_string_append_c(key, '\0');
}

/* The key columns of a row as one text, or NULL when the table has none. */
static GBytes *key_of(const MillTable *t, const MillValue *cells)
{
  GString *key = g_string_new(NULL);
  bool any = false;
  for (uint32_t c = 0; c < t->columns.n; c++) {
    if (!(t->columns.at[c].flags & MILL_COLUMN_KEY)) continue;
    put_cell(key, &cells[c]);
    any = true;
  }
  if (any) return g_string_free_to_bytes(key);
  g_string_free(key, TRUE);
  return NULL;
}

static void check_keys(Instance *i, const MillTable *t, const RowSet *rows)
{
  g_autoptr(GHashTable) seen =
      g_hash_table_new_full(hash_gbytes, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  for (uint64_t r = 0; r < rows->n_rows; r++) {
    GBytes *key = key_of(t, row_set_at(rows, r));
    if (!key) return;
    if (g_hash_table_add(seen, key)) continue;
    g_autofree char *what =
        g_strdup_printf("reported two rows with the same keys in the table \"%s\"", t->name);
    verify_broken(i, "duplicate-row", what, NULL);
    return;
  }
}

static void check_metrics(Instance *i)
{
  const GArray *all = i->reported->metrics;
  for (guint a = 0; a < all->len; a++)
    for (guint b = 0; b < a; b++) {
      const MetricValue *x = &g_array_index(all, MetricValue, a);
      const MetricValue *y = &g_array_index(all, MetricValue, b);
      if (x->metric != y->metric || strcmp(x->stat, y->stat)) continue;
      verify_broken(i, "duplicate-metric", "reported a metric twice", NULL);
    }
}

Error *verify_reported(Instance *i)
{
  for (uint32_t t = 0; t < i->descriptor->n_tables; t++)
    check_keys(i, &i->descriptor->tables[t], &i->reported->tables[t]);
  check_metrics(i);
  return g_steal_pointer(&i->error);
}
