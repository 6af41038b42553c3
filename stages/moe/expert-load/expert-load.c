/* Expert loads of MoE layers, added up over steps, layers and runs, and how even they are.  Whole
 * loads are added as integers; the scores of single steps as multiples of 2^-40. */
/* SPDX-License-Identifier: MIT */
#include "expert-load.h"

#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/text/fail.h"
#include "kit/text/symbol.h"

#include <math.h>
#include <string.h>

#define SMALL_LOAD (1u << 25) /* 4096 squares of smaller loads fit into 64 bits */
#define PART_MAX 4096u

/* ---- opening */

static int bad_placement(const MillHost *common, const char *why)
{
  return fail_option(common, "the option placement is not valid", why,
                     "contiguous:8, round-robin:8, or map:0,0,1,1 with the GPU of each expert in "
                     "order");
}

static int open_placement(ExpertLoad *x)
{
  const char *text = x->options.placement, *why = NULL;
  if (!*text) return 0;
  uint16_t *space = mill_new(x->common, PLACEMENT_MAX_EXPERTS * sizeof *space);
  if (!space) return -MILL_LIMIT;
  int failed = placement_parse(text, strlen(text), space, &x->placement, &why);
  if (x->placement.gpu_of != space) array_free(x->common, space);
  return failed ? bad_placement(x->common, why) : 0;
}

static bool card_denies_moe(const MillHost *common)
{
  const char *moe = common->tag(common, MILL_NO_LANE, "moe");
  return common->tag(common, MILL_NO_LANE, "card") && (!moe || strcmp(moe, "true") != 0);
}

static int expert_load_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self;
  const MillHost *common = host->common;
  ExpertLoad *x = instance_new(ExpertLoad, host, out_instance);
  if (!x) return -MILL_LIMIT;
  x->options = *(const Options *)options;
  x->layers = (Layers){ .common = common, .cut = LAYERS_ALL };
  x->not_moe = level == MILL_LANE && card_denies_moe(common);
  x->record = symbol_of(common, "gate.step");
  x->layer = symbol_of(common, "layer");
  x->tokens = symbol_of(common, "tokens");
  x->load = symbol_of(common, "load");
  return open_placement(x);
}

/* ---- one row */

/* Loads of a record: they are together. */
typedef struct Loads {
  const MillAttr *first;
  uint32_t n;
} Loads;

static Loads loads_of(const ExpertLoad *x, const MillBatch *b, const MillEvent *e)
{
  const MillAttr *a = &b->attrs[e->attrs], *end = a + e->n_attrs;
  while (a < end && a->key != x->load) a++;
  while (a < end && end[-1].key != x->load) end--;
  return (Loads){ a, (uint32_t)(end - a) };
}

static inline double load_of(const MillAttr *a)
{
  return (a->type & MILL_ATTR_TYPE) == MILL_REAL ? a->u.r : (double)a->u.i;
}

typedef struct Sums {
  double mean, spread; /* see Row */
} Sums;

/* Sums of small whole loads, exactly; false: they are not. */
static bool sums_of_whole(const Loads *loads, Sums *out)
{
  uint64_t sum = 0, squares = 0;
  if (loads->n > PART_MAX) return false;
  for (uint32_t i = 0; i < loads->n; i++) {
    double load = load_of(&loads->first[i]);
    if (!(load >= 0 && load < SMALL_LOAD)) return false;
    int64_t whole = (int64_t)load;
    if ((double)whole != load) return false;
    sum += (uint64_t)whole;
    squares += (uint64_t)(whole * whole);
  }
  unsigned __int128 spread = (unsigned __int128)loads->n * squares - (unsigned __int128)sum * sum;
  out->mean = (double)sum / loads->n;
  out->spread = (spread >> 63 ? (double)spread : (double)(int64_t)spread) / loads->n;
  return true;
}

static void sums_of_any(const Loads *loads, Sums *out)
{
  double sum = 0;
  for (uint32_t i = 0; i < loads->n; i++) sum += load_of(&loads->first[i]);
  *out = (Sums){ sum / loads->n, 0 };
  for (uint32_t i = 0; i < loads->n; i++) {
    double distance = load_of(&loads->first[i]) - out->mean;
    out->spread += distance * distance;
  }
}

static void add_loads(Expert *experts, int part, const Loads *loads, bool whole)
{
  for (uint32_t i = 0; i < loads->n; i++) {
    double load = load_of(&loads->first[i]);
    Cell *cell = &experts[i].parts[part];
    if (whole && cell->whole < INT64_MAX - SMALL_LOAD)
      cell->whole += (int64_t)load;
    else
      cell_add(cell, load);
  }
}

/* Mean and spread of the row with further loads (Chan, Golub and LeVeque 1979). */
static void join_sums(Row *row, const Sums *more, uint32_t n)
{
  if (row->n == 0) { /* as nearly always */
    row->n = n;
    row->mean = more->mean;
    row->spread = more->spread;
    return;
  }
  double all = (double)row->n + n, distance = more->mean - row->mean;
  row->spread += more->spread + distance * distance * row->n / all * n;
  row->mean += distance * n / all;
  row->n += n;
}

static void end_row(ExpertLoad *x)
{
  Row *row = &x->row;
  row->is_open = false;
  if (!row->layer || row->n == 0) return;
  double cv = balance_step_cv(row->mean, row->spread / row->n);
  row->layer->steps[row->part]++;
  if (isfinite(cv)) row->layer->cv += (int64_t)(cv * 0x1p40 + 0.5); /* cv <= sqrt(n) < 2^9 */
}

static int part_of(ExpertLoad *x, const MillBatch *b, uint32_t index)
{
  int64_t tokens;
  if (mill_attr_int(b, &b->events[index], x->tokens, &tokens))
    return tokens > x->options.warmup_tokens ? PART_WARMUP : PART_DECODE;
  x->common->note(x->common, NOTICE_NO_TOKENS, b, index, NULL, 0);
  return PART_DECODE;
}

/* Whether the event goes on with the row at hand. */
static bool goes_on(const ExpertLoad *x, const MillEvent *e)
{
  return x->row.is_open && e->id_kind == MILL_ID_INT && e->id == x->row.id;
}

static void begin_row(ExpertLoad *x, const MillBatch *b, uint32_t index)
{
  const MillEvent *e = &b->events[index];
  if (x->row.is_open) end_row(x);
  x->row = (Row){ .is_open = true, .id = e->id, .part = part_of(x, b, index) };
}

static int add_record(ExpertLoad *x, const MillBatch *b, uint32_t index)
{
  const MillEvent *e = &b->events[index];
  Loads loads = loads_of(x, b, e);
  int64_t number = 0;
  bool failed, first = !goes_on(x, e);
  Sums sums;
  if (loads.n == 0) return 0;
  if (first) begin_row(x, b, index);
  Row *row = &x->row;
  mill_attr_int(b, e, x->layer, &number);
  row->layer = layers_reach(&x->layers, number, row->n + loads.n, &failed);
  if (!row->layer) return failed ? -MILL_LIMIT : 0;
  bool whole = sums_of_whole(&loads, &sums);
  if (!whole) sums_of_any(&loads, &sums);
  add_loads(row->layer->experts + row->n, row->part, &loads, whole);
  join_sums(row, &sums, loads.n);
  if (e->id_kind != MILL_ID_INT) end_row(x);
  return 0;
}

static int expert_load_process(void *instance, MillBatch *b)
{
  ExpertLoad *x = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    if (b->events[i].kind != MILL_RECORD || b->events[i].name != x->record) continue;
    int status = add_record(x, b, i);
    if (status < 0) return status;
  }
  return 0;
}

static int expert_load_flush(void *instance, MillBatch *b)
{
  ExpertLoad *x = instance;
  (void)b;
  if (x->row.is_open) end_row(x);
  if (x->layers.n == 0) x->common->note(x->common, NOTICE_NOTHING, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

/* ---- saved state */

static const StateField expert_load_fields[] = {
  STATE_MOST(ExpertLoad, not_moe),
  STATE_PART(ExpertLoad, layers, layers_state),
};
static const StateType expert_load_state = STATE_TYPE(ExpertLoad, expert_load_fields);
STATE_RESULT(ExpertLoad, expert_load_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_BY_OPTION(Options, by),
  MILL_OPTION(Options, placement, const char *, MILL_OPT_STRING, MILL_OPTION_OR_FILE, "placement",
              "", NULL, NULL,
              "Placement of experts on GPUs, for loads by GPU: contiguous:N, round-robin:N, "
              "map:0,0,1,1 with the GPU of each expert, or a file that holds such a list"),
  MILL_INT_OPTION(Options, warmup_tokens, "warmup-tokens", "1000", "0:", "count",
                  "Steps with more tokens are warm-up or prefill: cv_decode leaves them out"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no expert loads", "expert-load leaves it out", NULL,
            "Only records gate.step with a list of loads count; the gate-log source gives them."),
  MILL_WARNING(NOTICE_CUT, "layers from {layer} on are beyond the limit", "they are left out",
               "analyse each model by itself, or use the option by",
               "The stage keeps at most 100,000 combinations of layer and expert, far more than a "
               "model has. Possible reasons for more: different models in one analysis, wrong "
               "layers in file names, or rows of two files that were mixed."),
  MILL_INFO(NOTICE_NO_TOKENS, "{count} step[|s] of {lane} [has|have] no token count",
            "cv_decode counts [it as a decode step|them as decode steps]", NULL,
            "cv_decode leaves out steps with more tokens than warmup-tokens. If the log has no "
            "token count for a step, the step is kept."),
  MILL_WARNING(
      NOTICE_NOT_PLACED, "{count} expert[|s] [has|have] no GPU in the placement",
      "[its|their] load is missing in the tables by GPU",
      "give a placement with one GPU for each expert",
      "The list of the option placement is shorter than the number of experts in the logs."),
};

static const MillRead reads[] = {
  RECORD_INT("layer"),
  RECORD_INT("tokens"),
  RECORD_REAL("load"),
};

static const MillMetric metrics[N_METRICS] = {
  [METRIC_BALANCE] = { .per = MILL_PER_RUN,
                       .better = MILL_HIGHER,
                       .kind = MILL_REAL,
                       .name = "expert_balance",
                       .unit = "ratio",
                       .stats = "mean,min,pooled",
                       .help =
                           "Mean load of an expert, divided by the largest, of each layer: mean "
                           "and min over layers; pooled: of loads summed over layers" },
  [METRIC_WORST] = { .per = MILL_PER_RUN,
                     .better = MILL_NEITHER,
                     .kind = MILL_INT,
                     .name = "expert_worst_layer",
                     .help = "The layer with the lowest expert_balance, the first of several" },
  [METRIC_MAX_MEAN] = { .per = MILL_PER_RUN,
                        .better = MILL_LOWER,
                        .kind = MILL_REAL,
                        .name = "expert_max_mean",
                        .unit = "ratio",
                        .help = "Largest load of an expert, divided by the mean; loads summed over "
                                "layers and runs" },
  [METRIC_ASSIGNMENT] = { .per = MILL_PER_RUN,
                          .better = MILL_NEITHER,
                          .kind = MILL_JSON,
                          .inputs = MILL_INPUTS_ONE,
                          .name = "token_to_expert_assignment",
                          .help = "Loads by expert, summed over layers and runs, their shares, and "
                                  "measures of balance" },
};

static const char *const needs[] = { "input.gate-log", NULL };
static const char *const provides[] = { "table.expert-load", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = expert_load_open,
  .process = expert_load_process,
  .flush = expert_load_flush,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = expert_load_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "expert-load",
  .family = "moe",
  .version = "1.0.0",
  .tag = "MOE",
  .title = "Load and balance of MoE experts",
  .help =
      "Sums the tokens of each expert, by layer and over all layers, and measures the balance: "
      "entropy, coefficient of variation, largest divided by mean, dead experts. With a placement "
      "also by GPU.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads),
  .tables = MILL_ROWS(expert_load_tables),
  .metrics = MILL_ROWS(metrics),
  .figures = MILL_ROWS(expert_load_figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
