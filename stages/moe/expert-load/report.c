/* What expert-load reports: loads and balance by layer, over all, and by GPU. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num-digits.h"
#include "expert-load.h"

/* One layer, or all of them added up by expert. */
typedef struct View {
  char name[DIGITS_MAX + 1];
  size_t name_len;
  uint32_t n_experts;
  int64_t steps, decode_steps;
  __int128 cv;
  double *loads, *decode; /* by expert */
} View;

static double real_if(bool exists, double v) { return exists && isfinite(v) ? v : (double)NAN; }

static MillText name_of(const View *v) { return (MillText){ v->name, v->name_len }; }

/* ---- views */

static void view_of_layer(const Layer *layer, View *out)
{
  out->name_len = digits_write(out->name, layer->number);
  out->n_experts = layer->n_experts;
  out->steps = layer_steps(layer);
  out->decode_steps = layer->steps[PART_DECODE];
  out->cv = layer->cv;
  for (uint32_t e = 0; e < layer->n_experts; e++) {
    out->loads[e] = cell_load(layer_cell(layer, e, false));
    out->decode[e] = cell_load(layer_cell(layer, e, true));
  }
}

/* Whole loads first, as integers, so that they stay exact. */
static void add_up_expert(const Layers *l, uint32_t expert, View *out)
{
  Cell all = { 0, 0 }, decode = { 0, 0 };
  for (uint32_t i = 0; i < l->n; i++) {
    cell_merge(&all, layer_cell(&l->sorted[i], expert, false));
    cell_merge(&decode, layer_cell(&l->sorted[i], expert, true));
  }
  out->loads[expert] = cell_load(all);
  out->decode[expert] = cell_load(decode);
}

static void view_of_all(const Layers *l, View *out)
{
  out->name_len = 3;
  memcpy(out->name, "all", 4);
  out->n_experts = 0;
  out->steps = out->decode_steps = 0;
  out->cv = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    const Layer *layer = &l->sorted[i];
    if (layer->n_experts > out->n_experts) out->n_experts = layer->n_experts;
    out->steps += layer_steps(layer);
    out->decode_steps += layer->steps[PART_DECODE];
    out->cv += layer->cv;
  }
  for (uint32_t e = 0; e < out->n_experts; e++) add_up_expert(l, e, out);
}

/* ---- rows */

typedef struct LoadRow {
  MillText layer;
  int64_t expert;
  double load, share;
} LoadRow;

static int write_loads(const ExpertLoad *x, const View *v, double total)
{
  int status = 0;
  for (uint32_t e = 0; e < v->n_experts && status == 0; e++) {
    const LoadRow row = {
      .layer = name_of(v),
      .expert = e,
      .load = v->loads[e],
      .share = real_if(total > 0, v->loads[e] / total * 100),
    };
    status = mill_row(x->host, TABLE_LOAD, &row);
  }
  return status;
}

typedef struct BalanceRow { /* of experts, or of GPUs */
  MillText layer;
  int64_t steps, gpus;
  double entropy_bits, normalized_entropy, cv, cv_step, cv_decode, max_min, max_mean, balancedness;
  int64_t hot, dead;
} BalanceRow;

static BalanceRow balance_row(const View *v, const Balance *b)
{
  bool some = b->total > 0;
  return (BalanceRow){ .layer = name_of(v),
                       .entropy_bits = real_if(some, b->entropy_bits + 0.0),
                       .normalized_entropy = real_if(some, b->normalized_entropy),
                       .cv = real_if(some, b->cv),
                       .max_min = real_if(some, b->max_min),
                       .max_mean = real_if(some, b->max_mean),
                       .balancedness = real_if(some, b->balancedness),
                       .hot = some ? b->hot : MILL_NO_INT,
                       .dead = b->dead };
}

static int write_balance(const ExpertLoad *x, const View *v, const Balance *b)
{
  double cv_step = (double)v->cv * 0x1p-40 / (double)v->steps;
  BalanceRow row = balance_row(v, b);
  row.steps = v->steps;
  row.cv_step = real_if(v->steps > 0, cv_step);
  row.cv_decode = real_if(v->decode_steps > 0, balance_damped_cv(v->decode, v->n_experts));
  return mill_row(x->host, TABLE_BALANCE, &row);
}

/* ---- by GPU */

typedef struct Gpus {
  uint32_t n;
  double *loads, *decode;
  int64_t *experts;
} Gpus;

static void assign_experts(const ExpertLoad *x, const View *v, uint32_t n_experts, Gpus *out)
{
  memset(out->loads, 0, out->n * sizeof *out->loads);
  memset(out->decode, 0, out->n * sizeof *out->decode);
  memset(out->experts, 0, out->n * sizeof *out->experts);
  for (uint32_t e = 0; e < v->n_experts; e++) {
    uint32_t gpu = placement_gpu(&x->placement, e, n_experts);
    if (gpu == PLACEMENT_NOWHERE) continue;
    out->loads[gpu] += v->loads[e];
    out->decode[gpu] += v->decode[e];
    out->experts[gpu]++;
  }
}

typedef struct GpuLoadRow {
  MillText layer;
  int64_t gpu, experts;
  double load, share;
} GpuLoadRow;

static int write_gpu_loads(const ExpertLoad *x, const View *v, const Gpus *g, double total)
{
  int status = 0;
  for (uint32_t i = 0; i < g->n && status == 0; i++) {
    const GpuLoadRow row = {
      .layer = name_of(v),
      .gpu = i,
      .experts = g->experts[i],
      .load = g->loads[i],
      .share = real_if(total > 0, g->loads[i] / total * 100),
    };
    status = mill_row(x->host, TABLE_GPU_LOAD, &row);
  }
  return status;
}

static int write_gpus(const ExpertLoad *x, const View *v, uint32_t n_experts, Gpus *g)
{
  Balance b;
  assign_experts(x, v, n_experts, g);
  balance_of(g->loads, g->n, &b);
  BalanceRow row = balance_row(v, &b);
  row.gpus = g->n;
  row.cv_decode = real_if(v->decode_steps > 0, balance_damped_cv(g->decode, g->n));
  int status = mill_row(x->host, TABLE_GPU_BALANCE, &row);
  return status ? status : write_gpu_loads(x, v, g, b.total);
}

static void note_unassigned(const ExpertLoad *x, uint32_t n_experts)
{
  for (uint32_t e = 0; e < n_experts; e++)
    if (placement_gpu(&x->placement, e, n_experts) == PLACEMENT_NOWHERE)
      x->common->note(x->common, NOTICE_NOT_PLACED, NULL, MILL_NO_EVENT, NULL, 0);
}

static bool gpus_make(const ExpertLoad *x, Gpus *out)
{
  const MillHost *common = x->common;
  uint32_t n = x->placement.n_gpus;
  *out = (Gpus){ .n = n };
  if (n == 0) return true;
  out->loads = common->scratch(common, n * sizeof *out->loads);
  out->decode = common->scratch(common, n * sizeof *out->decode);
  out->experts = common->scratch(common, n * sizeof *out->experts);
  return out->loads && out->decode && out->experts;
}

/* ---- metrics */

static int no_metrics(const ExpertLoad *x, uint32_t from, const char *reason)
{
  int status = 0;
  for (uint32_t m = from; m < N_METRICS && status == 0; m++)
    status = x->host->no_metric(x->host, m, NULL, reason);
  return status;
}

static int write_assignment(const ExpertLoad *x, const View *all, const Balance *b)
{
  if (x->not_moe)
    return no_metrics(
        x, METRIC_ASSIGNMENT,
        "it needs a model with experts, and the workload card does not say moe: true");
  g_autoptr(GString) object = expert_load_object(all->loads, b, all->steps);
  MillValue value = mill_text(object->str, object->len);
  value.type = MILL_JSON;
  return x->host->metric(x->host, METRIC_ASSIGNMENT, NULL, value, (uint64_t)all->steps);
}

/* Over the layers that have any load. */
typedef struct LayerBalance {
  uint64_t n;
  double sum, least;
  int64_t worst; /* number of the layer */
} LayerBalance;

static void add_layer(LayerBalance *to, const Layer *layer, const Balance *b)
{
  if (!(b->total > 0)) return;
  if (to->n == 0 || b->balancedness < to->least) {
    to->least = b->balancedness;
    to->worst = layer->number;
  }
  to->n++;
  to->sum += b->balancedness;
}

static int write_expert_balance(const ExpertLoad *x, const View *all, const Balance *b,
                                const LayerBalance *layers)
{
  const struct {
    const char *stat;
    double value;
  } stats[] = { { "mean", layers->sum / (double)layers->n },
                { "min", layers->least },
                { "pooled", b->balancedness } };
  uint64_t n = (uint64_t)all->steps;
  int status = 0;
  for (uint32_t i = 0; i < MILL_COUNT(stats) && status == 0; i++)
    status = x->host->metric(x->host, METRIC_BALANCE, stats[i].stat, mill_real(stats[i].value), n);
  if (status) return status;
  return x->host->metric(x->host, METRIC_WORST, NULL, mill_int(layers->worst), n);
}

static int write_metrics(const ExpertLoad *x, const View *all, const Balance *b,
                         const LayerBalance *layers)
{
  uint64_t n = (uint64_t)all->steps;
  if (!(b->total > 0))
    return no_metrics(x, METRIC_BALANCE, "the gate logs hold no load above zero");
  if (!isfinite(b->total))
    return no_metrics(x, METRIC_BALANCE, "the loads add up to more than a double holds");
  int status = write_expert_balance(x, all, b, layers);
  if (status == 0)
    status = x->host->metric(x->host, METRIC_MAX_MEAN, NULL, mill_real(b->max_mean), n);
  return status ? status : write_assignment(x, all, b);
}

/* ---- all of it */

static void note_cut(const ExpertLoad *x)
{
  const MillNamed from = { "layer", mill_int(x->layers.cut) };
  if (x->layers.cut != LAYERS_ALL)
    x->common->note(x->common, NOTICE_CUT, NULL, MILL_NO_EVENT, &from, 1);
}

static uint32_t most_experts(const Layers *l)
{
  uint32_t most = 0;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->sorted[i].n_experts > most) most = l->sorted[i].n_experts;
  return most;
}

static int write_view(const ExpertLoad *x, const View *v, uint32_t n_experts, Gpus *g, Balance *out)
{
  balance_of(v->loads, v->n_experts, out);
  int status = write_balance(x, v, out);
  if (status == 0) status = write_loads(x, v, out->total);
  return status || g->n == 0 ? status : write_gpus(x, v, n_experts, g);
}

int expert_load_report_run(void *instance)
{
  const ExpertLoad *x = instance;
  const MillHost *common = x->common;
  note_cut(x);
  uint32_t n = most_experts(&x->layers);
  if (n == 0) return no_metrics(x, METRIC_BALANCE, "there is no gate log with a row of loads");
  View v = { .loads = common->scratch(common, n * sizeof(double)),
             .decode = common->scratch(common, n * sizeof(double)) };
  Gpus g;
  Balance b;
  if (!v.loads || !v.decode || !gpus_make(x, &g)) return -MILL_LIMIT;
  int status = 0;
  LayerBalance layers = { 0 };
  if (g.n > 0) note_unassigned(x, n);
  for (uint32_t i = 0; i < x->layers.n && status == 0; i++) {
    view_of_layer(&x->layers.sorted[i], &v);
    status = write_view(x, &v, n, &g, &b);
    add_layer(&layers, &x->layers.sorted[i], &b);
  }
  if (status) return status;
  view_of_all(&x->layers, &v);
  status = write_view(x, &v, n, &g, &b);
  return status ? status : write_metrics(x, &v, &b, &layers);
}

/* ---- declarations */

#define LAYER_COLUMN(S) \
  MILL_KEY_BRIEF(S, layer, "layer", NULL, "Layer, or all: loads summed over layers")
#define MEASURES(things, thing)                                                                \
  MILL_COLUMN(BalanceRow, max_min, "max_min", "ratio", MILL_COLUMN_LOWER,                      \
              "Largest load divided by the smallest that is not zero"),                        \
      MILL_COLUMN(BalanceRow, max_mean, "max_mean", "ratio",                                   \
                  MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Largest load divided by the mean"),  \
      MILL_COLUMN(BalanceRow, balancedness, "balancedness", "ratio",                           \
                  MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, "Mean load divided by the largest"), \
      MILL_BRIEF(BalanceRow, hot, "hot_" thing, NULL, "The " thing " with the largest load"),  \
      MILL_COLUMN(BalanceRow, dead, "dead", "count", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,    \
                  "How many " things " have no load")
#define ENTROPIES                                                                       \
  MILL_COLUMN(BalanceRow, entropy_bits, "entropy", "bits", MILL_COLUMN_HIGHER,          \
              "-sum p log2 p of the shares p"),                                         \
      MILL_COLUMN(BalanceRow, normalized_entropy, "normalized_entropy", "ratio",        \
                  MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,                               \
                  "Entropy divided by the largest possible; 0 for one"),                \
      MILL_COLUMN(BalanceRow, cv, "cv", "ratio", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, \
                  "Standard deviation (population) divided by the mean")
#define CV_DECODE                                                             \
  MILL_COLUMN(BalanceRow, cv_decode, "cv_decode", "ratio", MILL_COLUMN_LOWER, \
              "As cv, of steps with at most warmup-tokens tokens")

static const MillColumn load_columns[] = {
  LAYER_COLUMN(LoadRow),
  MILL_KEY(LoadRow, expert, "expert", NULL, "Index of the expert"),
  MILL_COLUMN(LoadRow, load, "load", "count", 0, "Tokens that were routed to it"),
  MILL_COLUMN(LoadRow, share, "share", "percent", 0, "Share of the load of the layer"),
};
static const MillColumn balance_columns[] = {
  LAYER_COLUMN(BalanceRow),
  MILL_BRIEF(BalanceRow, steps, "steps", "count",
             "Forward steps with loads; of all: summed over layers"),
  ENTROPIES,
  MILL_COLUMN(BalanceRow, cv_step, "cv_step", "ratio", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Mean over the steps of the cv of each"),
  CV_DECODE,
  MEASURES("experts", "expert"),
};
static const MillColumn gpu_load_columns[] = {
  LAYER_COLUMN(GpuLoadRow),
  MILL_KEY(GpuLoadRow, gpu, "gpu", NULL, "Index of the GPU"),
  MILL_COLUMN(GpuLoadRow, experts, "experts", "count", 0, "Experts on this GPU"),
  MILL_COLUMN(GpuLoadRow, load, "load", "count", 0, "Tokens that were routed to them"),
  MILL_COLUMN(GpuLoadRow, share, "share", "percent", 0, "Share of the load of the layer"),
};
static const MillColumn gpu_balance_columns[] = {
  LAYER_COLUMN(BalanceRow),
  MILL_BRIEF(BalanceRow, gpus, "gpus", "count", "GPUs of the placement"),
  ENTROPIES,
  CV_DECODE,
  MEASURES("GPUs", "gpu"),
};

const MillTable expert_load_tables[N_TABLES] = {
  [TABLE_LOAD] = { .per = MILL_PER_RUN,
                   .name = "expert-load",
                   .help = "Load of each expert, by layer and over all layers",
                   .columns = MILL_ROWS(load_columns) },
  [TABLE_BALANCE] = { .per = MILL_PER_RUN,
                      .brief_rows = 40,
                      .name = "expert-balance",
                      .help = "Balance of experts, by layer and over all layers",
                      .columns = MILL_ROWS(balance_columns) },
  [TABLE_GPU_LOAD] = { .per = MILL_PER_RUN,
                       .name = "expert-load-gpu",
                       .help = "Load of each GPU with the given placement",
                       .columns = MILL_ROWS(gpu_load_columns) },
  [TABLE_GPU_BALANCE] = { .per = MILL_PER_RUN,
                          .brief_rows = 8,
                          .name = "expert-balance-gpu",
                          .help = "Balance of GPUs with the given placement",
                          .columns = MILL_ROWS(gpu_balance_columns) },
};

const MillFigure expert_load_figures[N_FIGURES] = {
  { .kind = MILL_FIGURE_HEATMAP,
    .name = "expert-load",
    .title = "Share of the load by layer and expert",
    .table = "expert-load",
    .x = "expert",
    .y = "layer",
    .value = "share",
    .where = "layer!=all",
    .flags = MILL_FIGURE_DOWN },
  { .kind = MILL_FIGURE_BAR,
    .name = "expert-balance",
    .title = "Balance of the experts by layer",
    .table = "expert-balance",
    .x = "layer",
    .y = "balancedness" },
};
