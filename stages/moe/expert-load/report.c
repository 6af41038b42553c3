/* What expert-load reports: loads and balance by layer, over all, and by GPU. */
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

static MillValue real_if(bool exists, double v)
{
  return exists && isfinite(v) ? mill_real(v) : mill_none();
}

static MillValue name_of(const View *v) { return mill_text(v->name, v->name_len); }

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
    cell_merge(&all, layer_cell(l->sorted[i], expert, false));
    cell_merge(&decode, layer_cell(l->sorted[i], expert, true));
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
    const Layer *layer = l->sorted[i];
    if (layer->n_experts > out->n_experts) out->n_experts = layer->n_experts;
    out->steps += layer_steps(layer);
    out->decode_steps += layer->steps[PART_DECODE];
    out->cv += layer->cv;
  }
  for (uint32_t e = 0; e < out->n_experts; e++) add_up_expert(l, e, out);
}

/* ---- rows */

static int write_loads(const ExpertLoad *x, const View *v, double total)
{
  int status = 0;
  for (uint32_t e = 0; e < v->n_experts && status == 0; e++) {
    const MillValue cells[] = { name_of(v), mill_int(e), real_if(true, v->loads[e]),
                                real_if(total > 0, v->loads[e] / total * 100) };
    status = x->host->row(x->host, TABLE_LOAD, cells, MILL_COUNT(cells));
  }
  return status;
}

static int write_balance(const ExpertLoad *x, const View *v, const Balance *b)
{
  bool some = b->total > 0;
  double cv_step = (double)v->cv * 0x1p-40 / (double)v->steps;
  const MillValue cells[] = {
    name_of(v),
    mill_int(v->steps),
    real_if(some, b->entropy_bits + 0.0),
    real_if(some, b->normalized_entropy),
    real_if(some, b->cv),
    real_if(v->steps > 0, cv_step),
    real_if(v->decode_steps > 0, balance_damped_cv(v->decode, v->n_experts)),
    real_if(some, b->max_min),
    real_if(some, b->max_mean),
    real_if(some, b->balancedness),
    some ? mill_int(b->hot) : mill_none(),
    mill_int(b->dead),
  };
  return x->host->row(x->host, TABLE_BALANCE, cells, MILL_COUNT(cells));
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

static int write_gpu_loads(const ExpertLoad *x, const View *v, const Gpus *g, double total)
{
  int status = 0;
  for (uint32_t i = 0; i < g->n && status == 0; i++) {
    const MillValue cells[] = { name_of(v), mill_int(i), mill_int(g->experts[i]),
                                real_if(true, g->loads[i]),
                                real_if(total > 0, g->loads[i] / total * 100) };
    status = x->host->row(x->host, TABLE_GPU_LOAD, cells, MILL_COUNT(cells));
  }
  return status;
}

static int write_gpus(const ExpertLoad *x, const View *v, uint32_t n_experts, Gpus *g)
{
  Balance b;
  assign_experts(x, v, n_experts, g);
  balance_of(g->loads, g->n, &b);
  bool some = b.total > 0;
  const MillValue cells[] = {
    name_of(v),
    mill_int(g->n),
    real_if(some, b.entropy_bits + 0.0),
    real_if(some, b.normalized_entropy),
    real_if(some, b.cv),
    real_if(v->decode_steps > 0, balance_damped_cv(g->decode, g->n)),
    real_if(some, b.max_min),
    real_if(some, b.max_mean),
    real_if(some, b.balancedness),
    some ? mill_int(b.hot) : mill_none(),
    mill_int(b.dead),
  };
  int status = x->host->row(x->host, TABLE_GPU_BALANCE, cells, MILL_COUNT(cells));
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
    status =
        x->host->metric(x->host, METRIC_BALANCE, stats[i].stat, real_if(true, stats[i].value), n);
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
    status = x->host->metric(x->host, METRIC_MAX_MEAN, NULL, real_if(true, b->max_mean), n);
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
    if (l->sorted[i]->n_experts > most) most = l->sorted[i]->n_experts;
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
    view_of_layer(x->layers.sorted[i], &v);
    status = write_view(x, &v, n, &g, &b);
    add_layer(&layers, x->layers.sorted[i], &b);
  }
  if (status) return status;
  view_of_all(&x->layers, &v);
  status = write_view(x, &v, n, &g, &b);
  return status ? status : write_metrics(x, &v, &b, &layers);
}

/* ---- declarations */

#define LAYER_COLUMN                                               \
  {                                                                \
    "layer", NULL, MILL_TEXT, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, \
        "Layer, or all: loads summed over layers"                  \
  }
#define MEASURES(things, thing)                                                        \
  { "max_min", "ratio", MILL_REAL, MILL_COLUMN_LOWER,                                  \
    "Largest load divided by the smallest that is not zero" },                         \
      { "max_mean", "ratio", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,         \
        "Largest load divided by the mean" },                                          \
      { "balancedness", "ratio", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER,    \
        "Mean load divided by the largest" },                                          \
      MILL_BRIEF("hot_" thing, NULL, MILL_INT, "The " thing " with the largest load"), \
  {                                                                                    \
    "dead", "count", MILL_INT, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,                  \
        "How many " things " have no load"                                             \
  }
#define ENTROPIES                                                                         \
  { "entropy", "bits", MILL_REAL, MILL_COLUMN_HIGHER, "-sum p log2 p of the shares p" },  \
      { "normalized_entropy", "ratio", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_HIGHER, \
        "Entropy divided by the largest possible; 0 for one" },                           \
  {                                                                                       \
    "cv", "ratio", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,                      \
        "Standard deviation (population) divided by the mean"                             \
  }
#define CV_DECODE                                           \
  {                                                         \
    "cv_decode", "ratio", MILL_REAL, MILL_COLUMN_LOWER,     \
        "As cv, of steps with at most warmup-tokens tokens" \
  }

static const MillColumn load_columns[] = {
  LAYER_COLUMN,
  MILL_KEY("expert", NULL, MILL_INT, "Index of the expert"),
  MILL_COLUMN("load", "count", MILL_REAL, "Tokens that were routed to it"),
  MILL_COLUMN("share", "percent", MILL_REAL, "Of the load of the layer"),
};
static const MillColumn balance_columns[] = {
  LAYER_COLUMN,
  MILL_BRIEF("steps", "count", MILL_INT, "Forward steps with loads; of all: summed over layers"),
  ENTROPIES,
  { "cv_step", "ratio", MILL_REAL, MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
    "Mean over the steps of the cv of each" },
  CV_DECODE,
  MEASURES("experts", "expert"),
};
static const MillColumn gpu_load_columns[] = {
  LAYER_COLUMN,
  MILL_KEY("gpu", NULL, MILL_INT, "Index of the GPU"),
  MILL_COLUMN("experts", "count", MILL_INT, "Experts that live on it"),
  MILL_COLUMN("load", "count", MILL_REAL, "Tokens that were routed to them"),
  MILL_COLUMN("share", "percent", MILL_REAL, "Of the load of the layer"),
};
static const MillColumn gpu_balance_columns[] = {
  LAYER_COLUMN,
  MILL_BRIEF("gpus", "count", MILL_INT, "GPUs of the placement"),
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
                      .help = "How evenly experts are loaded, by layer and over all layers",
                      .columns = MILL_ROWS(balance_columns) },
  [TABLE_GPU_LOAD] = { .per = MILL_PER_RUN,
                       .name = "expert-load-gpu",
                       .help = "Load of each GPU under the given placement",
                       .columns = MILL_ROWS(gpu_load_columns) },
  [TABLE_GPU_BALANCE] = { .per = MILL_PER_RUN,
                          .brief_rows = 8,
                          .name = "expert-balance-gpu",
                          .help = "How evenly GPUs are loaded under the given placement",
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
