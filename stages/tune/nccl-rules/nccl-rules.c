/* Rules for NCCL's tuner plugin: the fastest algorithm and protocol for each range of sizes. */
/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "kit/declare/rows.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"
#include "tune/lib/nccl-words.h"
#include "nccl-rules.h"

static int rules_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  static const char *const names[N_NAMES] = { "collective", "algorithm", "protocol", "type" };
  static const char *const ints[N_INTS] = { "bytes",    "channels", "nodes",   "ranks",
                                            "pipe_ops", "reg_buff", "in_place" };
  static const char *const reals[N_REALS] = { "time_us", "bandwidth", "busbw" };
  (void)self, (void)level;
  Rules *x = instance_new(Rules, host, out_instance);
  if (!x) return -MILL_LIMIT;
  x->options = options;
  x->log_row = symbol_of(x->common, "coll.row");
  x->log_run = symbol_of(x->common, "coll.run");
  x->row = symbol_of(x->common, "tuner.row");
  x->type = *x->options->dtype ? symbol_of(x->common, x->options->dtype) : 0;
  for (uint32_t i = 0; i < N_NAMES; i++) x->names[i] = symbol_of(x->common, names[i]);
  for (uint32_t i = 0; i < N_INTS; i++) x->ints[i] = symbol_of(x->common, ints[i]);
  for (uint32_t i = 0; i < N_REALS; i++) x->reals[i] = symbol_of(x->common, reals[i]);
  return 0;
}

/* -------------------------------------------------------------------- rows */

static MillSym name_of(const Rules *x, const MillBatch *b, const MillEvent *e, uint32_t which)
{
  return attr_sym(x->common, b, mill_attr(b, e, x->names[which]));
}

static double real_of(const Rules *x, const MillBatch *b, const MillEvent *e, uint32_t which)
{
  return attr_real(mill_attr(b, e, x->reals[which]));
}

static int fail_tag(const Rules *x, const char *name, const char *value)
{
  char what[160];
  snprintf(what, sizeof what, "the tag %s is no whole number from -1: \"%.60s\"", name, value);
  return mill_fail(x->common, MILL_BAD_INPUT, what, "channels=8,nodes=1:log.txt");
}

/* Tags say of a log what it does not say itself. */
static int add_tags(const Rules *x, Row *row)
{
  static const char *const names[N_NAMES] = { NULL, "algorithm", "protocol", NULL };
  static const char *const ints[N_INTS] = { NULL,       "channels", "nodes", "ranks",
                                            "pipe_ops", "reg_buff", NULL };
  for (uint32_t i = 0; i < N_NAMES; i++) {
    const char *tag = names[i] ? x->common->tag(x->common, MILL_NO_LANE, names[i]) : NULL;
    if (tag) row->names[i] = symbol_of(x->common, tag);
  }
  for (uint32_t i = 0; i < N_INTS; i++) {
    const char *tag = ints[i] ? x->common->tag(x->common, MILL_NO_LANE, ints[i]) : NULL;
    int64_t v;
    if (!tag) continue;
    if (!num_int(tag, strlen(tag), &v) || v < -1 || v > INT32_MAX) return fail_tag(x, ints[i], tag);
    row->ints[i] = v;
  }
  return 0;
}

static bool is_known(const Rules *x, const Row *row)
{
  return nccl_knows(NCCL_COLLECTIVE, ar_text(x->common, row->names[COLLECTIVE])) &&
         nccl_knows(NCCL_ALGORITHM, ar_text(x->common, row->names[ALGORITHM])) &&
         nccl_knows(NCCL_PROTOCOL, ar_text(x->common, row->names[PROTOCOL]));
}

/* Why the row cannot be of a rule; 0: it can. */
static uint32_t notice_of(const Rules *x, const Row *row)
{
  if (x->type && row->names[TYPE] && row->names[TYPE] != x->type) return NOTICE_OTHER_TYPE;
  if (!row->names[ALGORITHM] || !row->names[PROTOCOL]) return NOTICE_NO_TAGS;
  if (!isfinite(row->value) || row->value <= 0) return NOTICE_NO_METRIC;
  if (!is_known(x, row)) return NOTICE_UNKNOWN;
  bool pairs = nccl_pairs(ar_text(x->common, row->names[ALGORITHM]),
                          ar_text(x->common, row->names[PROTOCOL]));
  return pairs ? 0 : NOTICE_NO_PAIR;
}

static int add_row(Rules *x, const MillBatch *b, uint32_t index)
{
  const MillEvent *e = &b->events[index];
  bool of_log = e->name == x->log_row;
  Row row = { 0 };
  for (uint32_t i = 0; i < N_INTS; i++) {
    row.ints[i] = -1;
    mill_attr_int(b, e, x->ints[i], &row.ints[i]);
  }
  if (of_log && row.ints[IN_PLACE] > 0) return 0;
  for (uint32_t i = 0; i < N_NAMES; i++) row.names[i] = name_of(x, b, e, i);
  int status = of_log ? add_tags(x, &row) : 0;
  if (status < 0) return status;
  uint32_t bandwidth = of_log ? BUSBW : BANDWIDTH_OF_ROW;
  row.value = real_of(x, b, e, x->options->metric == LATENCY ? TIME : bandwidth);
  uint32_t notice = notice_of(x, &row);
  if (notice) x->common->note(x->common, notice, b, index, NULL, 0);
  if (notice || row.ints[BYTES] < 0) return 0;
  if (x->options->metric == BANDWIDTH) row.value = -row.value;
  if (!array_reserve(x->common, &x->rows, &x->capacity, x->n + 1, sizeof *x->rows))
    return -MILL_LIMIT;
  x->rows[x->n++] = row;
  return 0;
}

/* What the rows of a run and its tags do not say. */
static void take_run(Rules *x, const MillBatch *b, const MillEvent *e)
{
  int64_t ranks = -1, nodes = -1;
  mill_attr_int(b, e, x->ints[RANKS], &ranks);
  mill_attr_int(b, e, x->ints[NODES], &nodes);
  for (; x->first_of_run < x->n; x->first_of_run++) {
    int64_t *ints = x->rows[x->first_of_run].ints;
    if (ints[RANKS] < 0) ints[RANKS] = ranks;
    if (ints[NODES] < 0) ints[NODES] = nodes;
  }
}

static int rules_process(void *instance, MillBatch *b)
{
  Rules *x = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_RECORD) continue;
    if (e->name == x->log_row || e->name == x->row) status = add_row(x, b, i);
    if (e->name == x->log_run) take_run(x, b, e);
  }
  return status;
}

/* ------------------------------------------------------------- saved state */

static const StateField row_fields[] = {
  STATE_SYM(Row, names[COLLECTIVE]), STATE_SYM(Row, names[ALGORITHM]),
  STATE_SYM(Row, names[PROTOCOL]),   STATE_SYM(Row, names[TYPE]),
  STATE_FIRSTS(Row, ints),           STATE_FIRST(Row, value),
};
static const StateType row_state = STATE_TYPE(Row, row_fields);

static const StateField rules_fields[] = { STATE_LIST(Rules, rows, n, capacity, row_state) };
static const StateType rules_state = STATE_TYPE(Rules, rules_fields);
STATE_RESULT(Rules, rules_state)

static int rules_report_run(void *instance) { return rules_report(instance); }

/* ---------------------------------------------------------- the descriptor */

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, metric, "metric", "latency", "latency|bandwidth",
                     "Meaning of best: the smallest time, or the largest bandwidth"),
  MILL_STRING_OPTION(Options, dtype, "dtype", "",
                     "Use only rows of this type of elements, such as float; empty: all rows, "
                     "which must have the same type at each size"),
  MILL_BOOL_OPTION(Options, open_end, "open-end", "false",
                   "The last range of each collective has no end"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_NO_TAGS, "{count} row[|s] of {lane} [has|have] no algorithm or protocol",
               "[it is|they are] left out",
               "give both as tags: algorithm=ring,protocol=ll,channels=8:log.txt",
               "A log does not say which algorithm NCCL used. Measure each algorithm by itself, "
               "with NCCL_ALGO and NCCL_PROTO, and tag its log."),
  MILL_WARNING(NOTICE_NO_METRIC, "{count} row[|s] of {lane} [has|have] no number to compare",
               "[it is|they are] left out", NULL,
               "The chosen metric, latency or bandwidth, is empty, not a number or not above 0."),
  MILL_WARNING(
      NOTICE_UNKNOWN, "{count} row[|s] of {lane} [has|have] a word that the plugin does not know",
      "[it is|they are] left out",
      "for a log without the name of its collective, give it: collective=allreduce:log.txt",
      "The plugin reads an unknown collective as allreduce, an unknown algorithm as ring and an "
      "unknown protocol as simple, so the rule would have another meaning."),
  MILL_WARNING(NOTICE_NOTHING, "no row can become a rule", "the table is empty", NULL,
               "No row has an algorithm, a protocol and a time."),
  MILL_WARNING(NOTICE_NO_PAIR,
               "{count} row[|s] of {lane} [has|have] a protocol that the algorithm does not have",
               "[it is|they are] left out", "only ring and tree have protocols other than simple",
               "NCCL ignores a rule with such a pair, so another pair was measured."),
  MILL_WARNING(NOTICE_SOLE, "{count} size[|s] [was|were] measured with only one candidate",
               "[it wins|they win] without another candidate",
               "measure the other algorithms there, too",
               "With one candidate, a rule says that it was measured, not that it is the fastest."),
  MILL_INFO(NOTICE_OTHER_TYPE, "{count} row[|s] of {lane} [is|are] of another dtype",
            "[it is|they are] left out", "the option dtype chooses the rows",
            "Times of two types of elements are not comparable, and a rule has no type: the option "
            "dtype chooses one."),
};

static const MillRead reads[] = {
  RECORD_TEXT("collective"), RECORD_TEXT("algorithm"), RECORD_TEXT("protocol"),
  RECORD_TEXT("type"),       RECORD_INT("bytes"),      RECORD_INT("channels"),
  RECORD_INT("nodes"),       RECORD_INT("ranks"),      RECORD_INT("pipe_ops"),
  RECORD_INT("reg_buff"),    RECORD_INT("in_place"),   RECORD_REAL("time_us"),
  RECORD_REAL("bandwidth"),  RECORD_REAL("busbw"),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(RuleRow, collective, "collective", NULL, "allreduce, allgather, ..."),
  MILL_KEY_BRIEF(RuleRow, nodes, "nodes", NULL, "Number of nodes; -1: any"),
  MILL_KEY_BRIEF(RuleRow, ranks, "ranks", NULL, "Number of ranks; -1: any"),
  MILL_KEY(RuleRow, pipe_ops, "pipe_ops", NULL, "Number of pipelined operations; -1: any"),
  MILL_KEY(RuleRow, reg_buff, "reg_buff", NULL, "Whether buffers are registered; -1: any"),
  MILL_KEY_BRIEF(RuleRow, min_bytes, "min_bytes", NULL, "Size of the smallest message"),
  MILL_BRIEF(RuleRow, max_bytes, "max_bytes", NULL, "Size of the largest message"),
  MILL_BRIEF(RuleRow, algorithm, "algorithm", NULL, "ring, tree, ..."),
  MILL_BRIEF(RuleRow, protocol, "protocol", NULL, "ll, ll128, simple"),
  MILL_BRIEF(RuleRow, channels, "channels", NULL, "Number of channels; -1: as NCCL chooses"),
  MILL_COLUMN(RuleRow, position, "position", NULL, 0,
              "Order of the rules; the first one that matches wins, so rules for any number of "
              "nodes or ranks are last"),
};

static const MillColumn candidate_columns[] = {
  MILL_KEY(CandidateRow, collective, "collective", NULL, "allreduce, allgather, ..."),
  MILL_KEY(CandidateRow, nodes, "nodes", NULL, "Number of nodes; -1: any"),
  MILL_KEY(CandidateRow, ranks, "ranks", NULL, "Number of ranks; -1: any"),
  MILL_KEY(CandidateRow, pipe_ops, "pipe_ops", NULL, "Number of pipelined operations; -1: any"),
  MILL_KEY(CandidateRow, reg_buff, "reg_buff", NULL, "Whether buffers are registered; -1: any"),
  MILL_KEY(CandidateRow, bytes, "bytes", "bytes", "Size of the message"),
  MILL_KEY(CandidateRow, candidate, "candidate", NULL,
           "Algorithm, protocol and, if known, channels"),
  MILL_COLUMN(CandidateRow, time_us, "time", "us", 0,
              "Shortest time of its rows, if latency is compared"),
  MILL_COLUMN(CandidateRow, bandwidth, "bandwidth", "GB/s", 0,
              "Largest bandwidth of its rows, if bandwidth is compared"),
  MILL_COLUMN(CandidateRow, chosen, "chosen", NULL, 0, "Whether it is the best at this size"),
  MILL_COLUMN(CandidateRow, until_bytes, "until", "bytes", 0,
              "For the chosen one: the last size at which it is the best"),
  MILL_COLUMN(CandidateRow, panel, "panel", NULL, 0,
              "Panel of the figure: collective, nodes and ranks"),
};

static const MillTable tables[] = {
  [TABLE_RULES] = { .per = MILL_PER_RUN,
                    .brief_rows = 24,
                    .name = "nccl-rules",
                    .help = "Rules for NCCL's tuner plugin",
                    .order = "position",
                    .columns = MILL_ROWS(columns) },
  [TABLE_CANDIDATES] = { .per = MILL_PER_RUN,
                         .name = "nccl-candidates",
                         .help = "Measurements at each size, and the best candidate",
                         .columns = MILL_ROWS(candidate_columns) },
};

#define ENVELOPE(name_, title_, y_)                                                    \
  { .kind = MILL_FIGURE_LINE,                                                          \
    .name = name_,                                                                     \
    .title = title_,                                                                   \
    .table = "nccl-candidates",                                                        \
    .x = "bytes",                                                                      \
    .y = y_,                                                                           \
    .series = "candidate",                                                             \
    .facet = "panel",                                                                  \
    .x_scale = "log2",                                                                 \
    .y_scale = "log",                                                                  \
    .over = name_ "-ranges" },                                                         \
  {                                                                                    \
    .kind = MILL_FIGURE_RULE, .name = name_ "-ranges", .title = "Ranges of the rules", \
    .table = "nccl-candidates", .x = "until", .series = "candidate", .facet = "panel", \
    .annotation = "candidate", .x_scale = "log2",                                      \
  }
static const MillFigure figures[] = {
  ENVELOPE("nccl-times", "Times of the Candidates, and Where the Fastest Changes", "time"),
  ENVELOPE("nccl-bandwidths", "Bandwidths of the Candidates, and Where the Best Changes",
           "bandwidth"),
};

static const char *const needs[] = { "input.tuner", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = rules_open,
  .process = rules_process,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = rules_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "nccl-rules",
  .family = "tune",
  .version = "1.0.0",
  .tag = "NRULES",
  .title = "Rules for NCCL's tuner plugin",
  .help = "Makes rules for NCCL's tuner plugin from measurements by algorithm and protocol: the "
          "fastest for each collective and range of sizes.",
  .needs = needs,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
