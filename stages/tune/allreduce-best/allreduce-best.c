/* The fastest strategy of all-reduce at each shape, and the lookup table that is made of them. */
/* SPDX-License-Identifier: MIT */
#include "allreduce-best.h"

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"

#include <string.h>

static int read_fallback(Best *x)
{
  const char *name = x->options->fallback;
  x->fallback = symbol_of(x->common, name);
  if (ar_known_number(&x->known, x->fallback, &x->fallback_number)) return 0;
  x->fallback_number = ar_number_of(name, strlen(name));
  if (x->fallback_number != INT64_MIN) return 0;
  return mill_fail(x->common, MILL_STAGE_FAILED, "the option default names an unknown strategy",
                   "give its number with known=NAME=NUMBER");
}

static int read_fusions(Best *x)
{
  const MillList *list = &x->options->fusions;
  if (list->n == 0)
    return mill_fail(x->common, MILL_STAGE_FAILED, "the option fusions is empty",
                     "a table needs a value on each axis");
  x->fusions = mill_new(x->common, list->n * sizeof *x->fusions);
  if (!x->fusions) return -MILL_LIMIT;
  for (uint32_t i = 0; i < list->n; i++) {
    x->fusions[i] = symbol_of(x->common, list->items[i]);
    for (uint32_t k = 0; k < i; k++)
      if (x->fusions[k] == x->fusions[i])
        return mill_fail(x->common, MILL_STAGE_FAILED, "the option fusions has a name twice",
                         "each is a value of an axis");
  }
  return 0;
}

static int read_options(Best *x)
{
  const Options *o = x->options;
  const MillHost *common = x->common;
  int status = ar_known_read(common, &o->known, &x->known);
  if (status == 0) status = read_fallback(x);
  if (status == 0) status = ar_axis_read(common, "tp", &o->tp, &x->tp);
  if (status == 0) status = read_fusions(x);
  if (status == 0) status = ar_axis_read(common, "hidden", &o->hidden, &x->hidden);
  if (status == 0) status = ar_axis_read(common, "tokens", &o->tokens, &x->tokens);
  x->beyond_noise = !strcmp(o->min_gain, "auto");
  if (status == 0 && !x->beyond_noise)
    status = ar_percent_read(common, "min-gain", o->min_gain, &x->min_gain);
  return status == 0 ? ar_shape_read(common, o->shape, &x->shape) : status;
}

static int best_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  static const char *const from[N_FROM] = { "measured", "default", "unknown", "kept" };
  (void)self;
  Best *x = instance_new(Best, host, out_instance);
  if (!x) return -MILL_LIMIT;
  x->options = options;
  for (uint32_t i = 0; i < N_FROM; i++) x->from[i] = symbol_of(x->common, from[i]);
  int status = read_options(x);
  if (status == 0) status = ar_open(&x->in, host, level, &x->options->of);
  if (status == 0) ar_keep_spread(&x->in);
  return status;
}

AR_CALLS(Best)

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  AR_SM_OPTION(Options, of),
  MILL_STRING_OPTION(Options, fallback, "default", "NCCL",
                     "Strategy of cells without a measurement"),
  MILL_LIST_OPTION(Options, known, "known", "NCCL,ONESHOT,TWOSHOT",
                   "Strategies that the table may hold; NAME=NUMBER for a new one. If another "
                   "strategy is fastest, the cell keeps the default"),
  MILL_BOOL_OPTION(Options, known_only, "known-only", "false",
                   "Leave other strategies out, so that the runner-up is taken"),
  MILL_BOOL_OPTION(Options, require_all, "require-all", "false",
                   "Fail if a number of GPUs has no file"),
  AR_OP_OPTION(Options, of),
  AR_DTYPE_OPTION(Options, of),
  MILL_LIST_OPTION(Options, tp, "tp", "2,4,8", "Numbers of GPUs of the table"),
  MILL_LIST_OPTION(
      Options, fusions, "fusions",
      "NONE,RESIDUAL_RMS_NORM,RESIDUAL_RMS_NORM_QUANT_FP8,RESIDUAL_RMS_NORM_QUANT_NVFP4",
      "Fusions of the table"),
  MILL_LIST_OPTION(Options, hidden, "hidden", "128,256,512,1024,2048,4096,8192",
                   "Hidden sizes of the table"),
  MILL_LIST_OPTION(Options, tokens, "tokens",
                   "1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384",
                   "Numbers of tokens of the table"),
  AR_REPEAT_OPTION(Options, of),
  MILL_STRING_OPTION(Options, min_gain, "min-gain", "0%",
                     "Keep the default if it takes at most this much longer than the best; auto: "
                     "if the difference is within the noise of repeats"),
  MILL_STRING_OPTION(Options, shape, "shape", "",
                     "TP,FUSION,HIDDEN,TOKENS: the shape to look up for the metrics "
                     "allreduce_choice and allreduce_lookup"),
};

static const MillNotice notices[] = {
  AR_NOTICES,
  MILL_WARNING(NOTICE_NO_FILE, "there are no measurements with {tp} GPUs",
               "the cells of the table are {strategy}", "measure it, or leave it out of tp",
               "A lookup table has cells for 2, 4 and 8 GPUs. Cells without a file hold the "
               "default. With require-all this is an error."),
  MILL_INFO(NOTICE_NO_ROWS, "there are no rows of {fusion} on {tp} GPUs",
            "the cells of the table are {strategy}", NULL,
            "The benchmark leaves out fusions that the GPUs do not support, such as NVFP4 before "
            "sm 100, or it ran with a list of other fusions."),
  MILL_INFO(NOTICE_UNKNOWN, "the fastest strategy of {count} shape[|s] has no number",
            "[its cell is|their cells are] the default",
            "add it with known=NAME=NUMBER, or take the runner-up with known-only",
            "A table holds numbers of strategies, and TensorRT-LLM knows only some of them. By "
            "default the stage does not take the runner-up, because the published generator does "
            "not take it either."),
  MILL_ERROR(NOTICE_INCOMPLETE, "a number of GPUs of the table has no measurements",
             "measure it, or leave it out of the option tp",
             "The option require-all asks for measurements with each number of GPUs."),
  MILL_WARNING(
      NOTICE_NO_REPEATS, "{count} cell[|s] [has|have] a strategy without repeats that differ",
      "the default stays there", "give the files of several runs of the benchmark",
      "With min-gain=auto, a strategy replaces the default if its gain is beyond noise. Noise is "
      "the difference between repeats of one strategy at one shape, so the default and the fastest "
      "need at least two rows each. Five or more rows decide better."),
};

static const MillRead reads[] = { AR_READS };
static const char *const needs[] = { "input.allreduce", NULL };
static const char *const provides[] = { "table.allreduce-table", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = best_open,
  .process = take_rows,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = best_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "allreduce-best",
  .family = "tune",
  .version = "1.0.0",
  .tag = "ARBEST",
  .title = "The fastest all-reduce strategy by shape, as a lookup table",
  .help = "Finds the fastest strategy for each number of GPUs, fusion, hidden size and number of "
          "tokens, with its margin, and makes the table in which TensorRT-LLM looks up strategies.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads),
  .tables = MILL_ROWS(best_tables),
  .metrics = MILL_ROWS(best_metrics),
  .figures = MILL_ROWS(best_figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
