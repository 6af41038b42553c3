/* Rows and metric values that an instance reported. */
#include "model/rows.h"

#include <math.h>

static void metric_clear(gpointer data)
{
  MetricValue *m = data;
  g_free(m->stat);
  g_free(m->reason);
}

Reported *reported_new(const Descriptor *stage)
{
  Reported *r = g_new0(Reported, 1);
  r->descriptor = stage;
  r->tables = g_new0(RowSet, stage->n_tables + 1);
  for (uint32_t i = 0; i < stage->n_tables; i++) {
    r->tables[i].n_columns = stage->tables[i].columns.n;
    r->tables[i].cells = g_array_new(FALSE, FALSE, sizeof(MillValue));
  }
  r->metrics = g_array_new(FALSE, TRUE, sizeof(MetricValue));
  g_array_set_clear_func(r->metrics, metric_clear);
  r->texts = g_string_chunk_new(4096);
  return r;
}

void reported_free(Reported *r)
{
  if (!r) return;
  for (uint32_t i = 0; i < r->descriptor->n_tables; i++) g_array_unref(r->tables[i].cells);
  g_free(r->tables);
  g_array_unref(r->metrics);
  g_string_chunk_free(r->texts);
  g_free(r);
}

static const char *check_cell(const MillColumn *column, const MillValue *v)
{
  if (v->type == MILL_NONE || v->type == column->type) return NULL;
  if (v->type == MILL_SYM && column->type == MILL_TEXT) return NULL;
  if (v->type == MILL_INT && column->type == MILL_REAL) return NULL;
  return "a cell's type is not its column's";
}

static MillValue kept_value(Reported *r, MillValue v)
{
  if (v.type == MILL_REAL && !isfinite(v.u.r)) v = mill_none();
  r->n_clipped += v.type == MILL_INT && (v.u.i == INT64_MAX || v.u.i == INT64_MIN);
  if (v.type == MILL_TEXT || v.type == MILL_JSON) {
    v.u.text = g_string_chunk_insert_len(r->texts, v.u.text, v.len);
  }
  return v;
}

const char *reported_add_row(Reported *r, uint32_t table, const MillValue *cells, uint32_t n_cells)
{
  if (table >= r->descriptor->n_tables) return "no such table";
  const MillTable *t = &r->descriptor->tables[table];
  if (n_cells != t->columns.n) return "the number of cells is not that of the columns";
  for (uint32_t i = 0; i < n_cells; i++) {
    const char *wrong = check_cell(&t->columns.at[i], &cells[i]);
    if (wrong) return wrong;
  }
  for (uint32_t i = 0; i < n_cells; i++) {
    MillValue v = kept_value(r, cells[i]);
    if (v.type == MILL_INT && t->columns.at[i].type == MILL_REAL) v = mill_real((double)v.u.i);
    g_array_append_val(r->tables[table].cells, v);
  }
  return NULL;
}

/* The statistic must be one that the descriptor names; "p*" names any percentile. */
static bool stat_known(const MillMetric *m, const char *stat)
{
  if (!stat || !*stat) return true;
  g_auto(GStrv) known = g_strsplit(m->stats ? m->stats : "", ",", -1);
  bool percentile = stat[0] == 'p' && g_ascii_isdigit(stat[1]);
  return g_strv_contains((const char *const *)known, stat) ||
         (percentile && g_strv_contains((const char *const *)known, "p*"));
}

/* An integer will do for a real number. */
static bool is_of_kind(const MillMetric *m, const MillValue *v)
{
  bool whole = v->type == MILL_INT && m->kind == MILL_REAL;
  return v->type == MILL_NONE || v->type == m->kind || whole;
}

const char *reported_add_metric(Reported *r, uint32_t metric, const char *stat, MillValue value,
                                uint64_t n, const char *reason)
{
  if (metric >= r->descriptor->n_metrics) return "no such metric";
  const MillMetric *m = &r->descriptor->metrics[metric];
  if (!stat_known(m, stat)) return "the metric declares no such statistic";
  if (!is_of_kind(m, &value)) return "the metric's value is not of its kind";
  MetricValue v = { metric, g_strdup(stat ? stat : ""), kept_value(r, value), n, g_strdup(reason) };
  if (v.value.type == MILL_NONE && !v.reason) v.reason = g_strdup("there is no value");
  g_array_append_val(r->metrics, v);
  return NULL;
}
