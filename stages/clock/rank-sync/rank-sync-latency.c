/* Least squares on the graph of lanes: shift(to) - shift(from) + latency = apart; see
 * rank-sync-latency.h.
 * With the grounded Laplacian A, incidence B and weights W, the shifts are u - latency * v, where
 * A u = B'W apart and A v = B'W 1; the latency then follows from what is left over. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_NS 1000.0            /* a transfer this near is never an outlier */
#define DEVIATIONS (3.0 * 1.4826) /* of the median distance of a normal distribution */

typedef struct Transfer {
  uint32_t from, to; /* parts */
  uint32_t key;
  double apart_ns; /* end at the receiver minus end at the sender, on the common clock */
} Transfer;

typedef struct Edge { /* all transfers of two lanes in one direction */
  uint32_t from, to;
  double weight, apart_ns;
} Edge;

typedef struct Graph {
  SyncRun *run;
  Transfer *transfers;
  Edge *edges;
  double *work;
  uint32_t n_transfers, n_edges;
  double *matrix, *shift, *slope; /* of n_parts; the reference's row is that of identity */
} Graph;

static int by_value(const void *a, const void *b)
{
  const double *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

static int by_lanes(const void *a, const void *b)
{
  const Transfer *p = a, *q = b;
  if (p->from != q->from) return p->from < q->from ? -1 : 1;
  if (p->to != q->to) return p->to < q->to ? -1 : 1;
  return (p->apart_ns > q->apart_ns) - (p->apart_ns < q->apart_ns);
}

static uint32_t count_marks(const SyncRun *run, bool *out_only_transfers)
{
  uint32_t n = 0;
  *out_only_transfers = true;
  for (uint32_t p = 0; p < run->n_parts; p++)
    for (uint32_t i = 0; i < run->parts[p].n_marks; i++, n++)
      if (run->parts[p].marks[i].role == SYNC_BOTH) *out_only_transfers = false;
  return n;
}

static int64_t common_time(const SyncPart *part, const SyncMark *mark)
{
  return mark->at_ns - sync_offset_at(&part->line, mark->at_ns);
}

/* Sends are noted by key first, then every receive looks its send up. */
static bool collect(Graph *g)
{
  typedef struct Send {
    int64_t at_ns;
    uint32_t part; /* plus 1; 0: none */
  } Send;
  SyncRun *run = g->run;
  size_t n_keys = run->keys.n;
  Send *sends = run->common->scratch(run->common, (n_keys + 1) * sizeof *sends);
  if (!sends) return false;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t p = 0; p < run->n_parts; p++) {
      const SyncPart *part = &run->parts[p];
      for (uint32_t i = 0; part->matched && i < part->n_marks; i++) {
        const SyncMark *mark = &part->marks[i];
        Send *send = &sends[mark->key];
        int64_t at_ns = common_time(part, mark);
        if (pass == 0 && mark->role == SYNC_SENT && !send->part) *send = (Send){ at_ns, p + 1 };
        if (pass == 1 && mark->role == SYNC_RECEIVED && send->part && send->part != p + 1)
          g->transfers[g->n_transfers++] =
              (Transfer){ send->part - 1, p, mark->key, (double)((SyncWide)at_ns - send->at_ns) };
      }
    }
  return true;
}

/* The mean of those near the median; the values are sorted. */
static Edge edge_of(Graph *g, const Transfer *first, uint32_t n)
{
  Edge edge = { first->from, first->to, 0, 0 };
  double middle =
      n % 2 ? first[n / 2].apart_ns : (first[n / 2 - 1].apart_ns + first[n / 2].apart_ns) / 2;
  for (uint32_t i = 0; i < n; i++) g->work[i] = fabs(first[i].apart_ns - middle);
  qsort(g->work, n, sizeof *g->work, by_value);
  double limit = fmax(KEEP_NS, DEVIATIONS * g->work[n / 2]);
  for (uint32_t i = 0; i < n; i++) {
    if (fabs(first[i].apart_ns - middle) > limit) continue;
    edge.weight++;
    edge.apart_ns += first[i].apart_ns;
  }
  if (edge.weight > 0) edge.apart_ns /= edge.weight;
  return edge;
}

static void join_edges(Graph *g)
{
  qsort(g->transfers, g->n_transfers, sizeof *g->transfers, by_lanes);
  for (uint32_t i = 0, n; i < g->n_transfers; i += n) {
    const Transfer *first = &g->transfers[i];
    for (n = 1; i + n < g->n_transfers && first[n].from == first->from && first[n].to == first->to;)
      n++;
    g->edges[g->n_edges++] = edge_of(g, first, n);
  }
}

static void build(Graph *g)
{
  uint32_t n = g->run->n_parts, ground = g->run->reference;
  for (uint32_t i = 0; i < g->n_edges; i++) {
    const Edge *e = &g->edges[i];
    g->matrix[(size_t)e->from * n + e->from] += e->weight;
    g->matrix[(size_t)e->to * n + e->to] += e->weight;
    g->matrix[(size_t)e->from * n + e->to] -= e->weight;
    g->matrix[(size_t)e->to * n + e->from] -= e->weight;
    g->shift[e->to] += e->weight * e->apart_ns;
    g->shift[e->from] -= e->weight * e->apart_ns;
    g->slope[e->to] += e->weight;
    g->slope[e->from] -= e->weight;
  }
  for (uint32_t i = 0; i < n; i++) {
    bool fixed = i == ground || !g->run->parts[i].matched;
    for (uint32_t k = 0; fixed && k < n; k++)
      g->matrix[(size_t)i * n + k] = g->matrix[(size_t)k * n + i] = 0;
    if (!fixed) continue;
    g->matrix[(size_t)i * n + i] = 1;
    g->shift[i] = g->slope[i] = 0;
  }
}

/* Cholesky in place; false when a lane hangs on nothing. */
static bool factor(double *a, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k <= i; k++) {
      double sum = a[(size_t)i * n + k];
      for (uint32_t j = 0; j < k; j++) sum -= a[(size_t)i * n + j] * a[(size_t)k * n + j];
      if (i == k && sum < 1e-9) return false;
      a[(size_t)i * n + k] = i == k ? sqrt(sum) : sum / a[(size_t)k * n + k];
    }
  return true;
}

static void solve(const double *a, uint32_t n, double *x)
{
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < i; k++) x[i] -= a[(size_t)i * n + k] * x[k];
    x[i] /= a[(size_t)i * n + i];
  }
  for (uint32_t i = n; i-- > 0;) {
    for (uint32_t k = i + 1; k < n; k++) x[i] -= a[(size_t)k * n + i] * x[k];
    x[i] /= a[(size_t)i * n + i];
  }
}

/* False when no loop separates the latency from the offsets. */
static bool find_latency(const Graph *g, double *out)
{
  double above = 0, below = 0, weight = 0;
  for (uint32_t i = 0; i < g->n_edges; i++) {
    const Edge *e = &g->edges[i];
    double bent = 1 - (g->slope[e->to] - g->slope[e->from]);
    above += e->weight * bent * (e->apart_ns - (g->shift[e->to] - g->shift[e->from]));
    below += e->weight * bent * bent;
    weight += e->weight;
  }
  if (below <= 1e-6 * weight) return false;
  *out = above / below;
  return true;
}

/* How far the transfers of a lane are from what its line and the latency say. */
static void measure(Graph *g, uint32_t p, double latency_ns)
{
  SyncLine *line = &g->run->parts[p].line;
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->n_transfers; i++) {
    const Transfer *t = &g->transfers[i];
    if (t->from != p && t->to != p) continue;
    g->work[n++] = fabs(t->apart_ns - (g->shift[t->to] - g->shift[t->from]) - latency_ns);
  }
  if (n == 0) return;
  qsort(g->work, n, sizeof *g->work, by_value);
  double limit = fmax(KEEP_NS, DEVIATIONS * g->work[n / 2]), sum = 0;
  uint32_t kept = 0;
  while (kept < n && g->work[kept] <= limit) {
    sum += g->work[kept] * g->work[kept];
    kept++;
  }
  line->pairs = kept;
  line->rejected = n - kept;
  line->residual_rms_ns = sqrt(sum / kept);
  line->residual_max_ns = g->work[kept - 1];
}

static void apply(Graph *g, double latency_ns)
{
  for (uint32_t p = 0; p < g->run->n_parts; p++) g->shift[p] -= latency_ns * g->slope[p];
  for (uint32_t p = 0; p < g->run->n_parts; p++) {
    SyncPart *part = &g->run->parts[p];
    if (!part->matched || p == g->run->reference) continue;
    measure(g, p, latency_ns);
    part->line.offset_ns += (int64_t)floor(g->shift[p] + 0.5);
    part->line.latency_ns = (int64_t)floor(latency_ns + 0.5);
    part->line.one_sided = false;
  }
}

static bool graph_open(Graph *g, SyncRun *run, uint32_t n_marks)
{
  const MillHost *common = run->common;
  size_t n = run->n_parts, most = n_marks + (size_t)1, most_edges = n * n < most ? n * n : most;
  *g = (Graph){ .run = run };
  g->transfers = common->scratch(common, most * sizeof *g->transfers);
  g->edges = common->scratch(common, most_edges * sizeof *g->edges);
  g->work = common->scratch(common, most * sizeof *g->work);
  g->matrix = common->scratch(common, n * n * sizeof *g->matrix);
  g->shift = common->scratch(common, n * sizeof *g->shift);
  g->slope = common->scratch(common, n * sizeof *g->slope);
  return g->transfers && g->edges && g->work && g->matrix && g->shift && g->slope && collect(g);
}

bool sync_run_balance(SyncRun *run)
{
  Graph g;
  bool only_transfers;
  double latency_ns;
  uint32_t n_marks = count_marks(run, &only_transfers);
  bool wanted = run->reference < run->n_parts && run->n_parts <= SYNC_LATENCY_LANES_MAX;
  if (!wanted || !only_transfers) return true;
  if (!graph_open(&g, run, n_marks)) return false;
  if (g.n_transfers == 0) return true;
  join_edges(&g);
  build(&g);
  if (!factor(g.matrix, run->n_parts)) return true;
  solve(g.matrix, run->n_parts, g.shift);
  solve(g.matrix, run->n_parts, g.slope);
  if (find_latency(&g, &latency_ns)) apply(&g, latency_ns);
  return true;
}
