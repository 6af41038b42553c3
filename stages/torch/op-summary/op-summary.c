/* Device time by operator: by name, category, arguments and module, for each rank and over all.  The time of an operator
 * is the union of the device work that it launched itself, without communication, as torch/host-tree found it.  Sums
 * are integers, so that any division of the work gives the same bytes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/clip.h"
#include "summary.h"
#include "tables.h"

typedef struct Options {
  const char *category_file;
  int64_t exact_up_to;
  MillList by;
} Options;

static void read_keys(Summary *s)
{
  s->direct = tree_key(s->common, TREE_DIRECT);
  s->subtree = tree_key(s->common, TREE_SUBTREE);
  s->kernels = tree_key(s->common, TREE_KERNELS);
  s->row = tree_key(s->common, TREE_ROW);
  s->category = tree_key(s->common, TREE_CATEGORY);
  s->module = tree_key(s->common, TREE_MODULE);
  s->split = tree_key(s->common, TREE_SPLIT);
  s->part = tree_key(s->common, TREE_PART);
  s->part_first = tree_key(s->common, TREE_PART_FIRST);
  s->op = tree_key(s->common, TREE_OP);
  s->call = tree_key(s->common, TREE_CALL);
}

static int summary_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                        const void *options, void **out_instance)
{
  (void)self, (void)level;
  Summary *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->common = s->words.common = s->text.common = host->common;
  read_keys(s);
  hists_init(&s->hists, s->common, (uint64_t)((const Options *)options)->exact_up_to);
  s->ops = keyed_new(s->common, sizeof(OpSum));
  s->categories = keyed_new(s->common, sizeof(OpSum));
  s->modules = keyed_new(s->common, sizeof(OpSum));
  s->args = keyed_new(s->common, sizeof(ArgsSum));
  s->arg_kernels = keyed_new(s->common, sizeof(int64_t));
  *out_instance = s;
  if (!s->ops || !s->categories || !s->modules || !s->args || !s->arg_kernels) return -MILL_LIMIT;
  return category_file_read(s->common, ((const Options *)options)->category_file, &s->file);
}

static void summary_close(void *instance) { category_file_close(&((Summary *)instance)->file); }

/* ---- adding up */

static bool add_to(Keyed *k, MillSym key, MillSym category, const int64_t *numbers)
{
  OpSum *sum = keyed_get_sym(k, key);
  if (!sum) return false;
  op_sum_add(sum, numbers[0], numbers[1], numbers[2]);
  if (category) op_sum_add_category(sum, category);
  return true;
}

/* The row with the category that the file says, made once. */
static bool row_of(Summary *s, const MillBatch *b, const MillEvent *e, MillSym *out)
{
  size_t len;
  MillSym sym = *out = tree_sym(s->common, b, e, s->row);
  if (s->file.n == 0 || symmap_get(&s->rows, sym, out)) return true;
  const char *text = s->common->symbol_text(s->common, sym, &len);
  TreeRow row = tree_row(text, len);
  MillSym name = s->common->intern(s->common, row.at[ROW_NAME].text, row.at[ROW_NAME].len);
  MillSym category = category_file_find(&s->file, name);
  if (category) {
    Field *f = &row.at[ROW_CATEGORY];
    f->text = s->common->symbol_text(s->common, category, &f->len);
    s->text.len = 0;
    for (int i = 0; i < ROW_FIELDS; i++)
      if (!fields_put(&s->text, row.at[i].text, row.at[i].len)) return false;
    *out = s->common->intern(s->common, s->text.text, s->text.len);
  }
  symmap_put(s->common, &s->rows, sym, *out);
  return true;
}

/* An operator, or a call without one, that launched device work itself. */
static bool add_launcher(Summary *s, const MillBatch *b, const MillEvent *e, MillSym name,
                         int64_t direct_ns)
{
  int64_t numbers[3] = { direct_ns, 0, 0 };
  (void)mill_attr_int(b, e, s->subtree, &numbers[1]);
  (void)mill_attr_int(b, e, s->kernels, &numbers[2]);
  MillSym row, category = category_file_find(&s->file, name);
  MillSym module = tree_sym(s->common, b, e, s->module);
  bool split = !category && tree_true(b, e, s->split);
  if (!category && !split) category = tree_sym(s->common, b, e, s->category);
  ArgsSum *args = row_of(s, b, e, &row) ? keyed_get_sym(s->args, row) : NULL;
  if (!args || !args_sum_add(args, &s->hists, direct_ns, numbers[2], e->ts_ns)) return false;
  return add_to(s->ops, name, category, numbers) &&
         (split || add_to(s->categories, category, 0, numbers)) &&
         (!module || add_to(s->modules, module, 0, numbers));
}

/* Its part of what launched it, which is of several categories. */
static bool add_part(Summary *s, const MillBatch *b, const MillEvent *e)
{
  int64_t part_ns;
  if (!mill_attr_int(b, e, s->part, &part_ns)) return true;
  MillSym launcher = tree_sym(s->common, b, e, s->op);
  if (!launcher) launcher = tree_sym(s->common, b, e, s->call);
  if (category_file_find(&s->file, launcher)) return true;
  MillSym category = tree_sym(s->common, b, e, s->category);
  OpSum *op = keyed_get_sym(s->ops, launcher), *sum = keyed_get_sym(s->categories, category);
  if (!op || !sum) return false;
  op_sum_add_category(op, category);
  op_sum_add_part(sum, part_ns, tree_true(b, e, s->part_first));
  return true;
}

static bool add_kernel(Summary *s, const MillBatch *b, const MillEvent *e)
{
  size_t len;
  TorchKind kind = torch_kind(&s->words, e);
  MillSym row;
  if (!add_part(s, b, e)) return false;
  if (!row_of(s, b, e, &row)) return false;
  if (!row || torch_work(&s->words, kind, e->name) == WORK_COMMUNICATION) return true;
  s->text.len = 0;
  const char *text = s->common->symbol_text(s->common, row, &len);
  if (!fields_put(&s->text, text, len)) return false;
  text = s->common->symbol_text(s->common, e->name, &len);
  if (!fields_put(&s->text, text, len)) return false;
  int64_t *total_ns = keyed_get(s->arg_kernels, s->text.text, s->text.len);
  if (total_ns && e->dur_ns > 0) *total_ns = add_clipped(*total_ns, e->dur_ns);
  return total_ns != NULL;
}

static int summary_process(void *instance, MillBatch *b)
{
  Summary *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int64_t direct_ns;
    if (e->kind != MILL_SLICE) continue;
    const bool is_device = torch_is_device(torch_kind(&s->words, e));
    const bool launches = mill_attr_int(b, e, s->direct, &direct_ns);
    const MillSym name = is_device ? tree_sym(s->common, b, e, s->op) : e->name;
    if (launches && !add_launcher(s, b, e, name, direct_ns)) return -MILL_LIMIT;
    if (is_device && !add_kernel(s, b, e)) return -MILL_LIMIT;
  }
  return 0;
}

static int summary_flush(void *instance, MillBatch *b)
{
  const Summary *s = instance;
  (void)b;
  if (keyed_count(s->ops) == 0) mill_note(s->common, NOTICE_NOTHING);
  return 0;
}

/* ---- summaries */

static const StateField summary_fields[] = {
  STATE_HISTS(Summary, hists),
  STATE_KEYED(Summary, ops, op_sum_state),
  STATE_KEYED(Summary, categories, op_sum_state),
  STATE_KEYED(Summary, modules, op_sum_state),
  STATE_KEYED(Summary, args, args_sum_state),
  STATE_KEYED(Summary, arg_kernels, state_of_sum),
};
static const StateType summary_state = STATE_TYPE(Summary, summary_fields);
STATE_RESULT(Summary, summary_state)

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_OPTION(Options, category_file, const char *, MILL_OPT_STRING, MILL_OPTION_OR_FILE,
              "category-file", "", NULL, NULL,
              "JSON file of categories by name: [{\"name\": PATTERN, \"category\": TEXT}]"),
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "calls",
                  "Medians are exact up to this many calls, 8 bytes each; with more calls they are "
                  "within 0.1 %"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "no operator of {lane} launched device work", "ops leaves it out",
            "record host and device: ProfilerActivity.CPU and ProfilerActivity.CUDA",
            "The time of an operator is the time of the device work that its calls launched. The "
            "trace lacks operators and calls, or device work, or the links between them."),
  HIST_NOTICE(BINNED),
};

static const MillRead reads[] = {
  TREE_READ(TREE_DIRECT), TREE_READ(TREE_SUBTREE),  TREE_READ(TREE_KERNELS),
  TREE_READ(TREE_ROW),    TREE_READ(TREE_CATEGORY), TREE_READ(TREE_MODULE),
  TREE_READ(TREE_SPLIT),  TREE_READ(TREE_PART),     TREE_READ(TREE_PART_FIRST),
  TREE_READ(TREE_OP),     TREE_READ(TREE_CALL),
};

static const char *const needs[] = { "events", "operators", "torch.tree", NULL };
static const char *const provides[] = { "table.ops", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = summary_open,
  .process = summary_process,
  .flush = summary_flush,
  .report = summary_report,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = summary_report_run,
  .close = summary_close,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "op-summary",
  .family = "torch",
  .version = "1.0.0",
  .tag = "OPSUM",
  .title = "Device time by operator, category, arguments and module",
  .help = "Sums the device work that operators of the host launched, by name, category, arguments "
          "and module, for each rank and over all ranks.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, metrics, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
