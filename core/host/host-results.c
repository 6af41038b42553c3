/* The host table, part three: rows and metrics. */
#include "sched/run.h"

/* A per-run row from a lane, or the other way round, would be lost or counted twice. */
static bool right_level(const Instance *i, uint32_t per)
{
  return per == MILL_PER_LANE ? i->lane != NULL : i->lane == NULL || i->lane == i->run->merged;
}

static int refuse(const MillHost *h, const char *why)
{
  MillFailure f = { .size = sizeof f,
                    .status = MILL_STAGE_FAILED,
                    .what = "reported something it did not declare",
                    .why = why,
                    .file = __FILE__,
                    .line = __LINE__ };
  return h->fail(h, &f);
}

static int host_row(const MillHost *h, uint32_t table, const MillValue *cells, uint32_t n_cells)
{
  Instance *i = instance_of(h);
  MillValue settled[64];
  if (table >= i->stage->n_tables || n_cells > G_N_ELEMENTS(settled))
    return refuse(h, "no such table");
  if (!right_level(i, i->stage->tables[table].per))
    return refuse(h, "the table's `per` is not this instance's level");
  for (uint32_t c = 0; c < n_cells; c++) {
    settled[c] = cells[c];
    if (cells[c].type != MILL_SYM) continue;
    size_t len;
    const char *text = symbols_text(i->run->symbols, cells[c].u.sym, &len);
    settled[c] = mill_text(text, len);
  }
  const char *wrong = reported_add_row(i->reported, table, settled, n_cells);
  return wrong ? refuse(h, wrong) : 0;
}

static int add_metric(const MillHost *h, uint32_t metric, const char *stat, MillValue v, uint64_t n,
                      const char *reason)
{
  Instance *i = instance_of(h);
  if (metric < i->stage->n_metrics && !right_level(i, i->stage->metrics[metric].per))
    return refuse(h, "the metric's `per` is not this instance's level");
  const char *wrong = reported_add_metric(i->reported, metric, stat, v, n, reason);
  return wrong ? refuse(h, wrong) : 0;
}

static int host_metric(const MillHost *h, uint32_t metric, const char *stat, MillValue v,
                       uint64_t n)
{
  return add_metric(h, metric, stat, v, n, NULL);
}

static int host_no_metric(const MillHost *h, uint32_t metric, const char *stat, const char *reason)
{
  return add_metric(h, metric, stat, mill_none(), 0, reason);
}

void host_init_results(MillHost *h)
{
  h->row = host_row;
  h->metric = host_metric;
  h->no_metric = host_no_metric;
}
