/* Which device work operators launch, in which order, and how often the same. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/numbers/interval.h"
#include "kit/devices/torch-words.h"
#include "kit/state/instance.h"
#include "kit/trace/tree-attrs.h"
#include "sequences.h"

enum { TABLE_SEQUENCES };
enum { NOTICE_NOTHING = 1 };

typedef struct Options {
  const char *named;
  int64_t top;
} Options;

typedef struct Stage {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  TorchWords words;
  MillSym call_start, op_start, track, sequence;
  Sequences sequences;
  size_t next_op, next_piece; /* in the second pass */
} Stage;

static int sequences_stage_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                                const void *options, void **out_instance)
{
  (void)self, (void)level;
  Stage *s = instance_new(Stage, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->words.common = host->common;
  s->options = *(const Options *)options;
  s->call_start = tree_key(s->common, TREE_CALL_START);
  s->op_start = tree_key(s->common, TREE_OP_START);
  s->track = tree_key(s->common, TREE_TRACK);
  s->sequence = tree_key(s->common, "sequence");
  return sequences_open(&s->sequences, s->common) ? 0 : -MILL_LIMIT;
}

/* ---- what counts: the same in both passes */

static bool is_slice(const MillEvent *e)
{
  return e->kind == MILL_SLICE && e->dur_ns >= 0 && !(e->flags & MILL_FLAG_NO_TS);
}

static bool is_wanted(const Stage *s, TorchKind kind, MillSym name)
{
  size_t len, wanted = strlen(s->options.named);
  if (kind != TORCH_OPERATOR) return false;
  const char *text = s->common->symbol_text(s->common, name, &len);
  return memmem(text, len, s->options.named, wanted) != NULL;
}

/* Where it was launched: in its call, else in its operator. */
static bool read_launch(const Stage *s, const MillBatch *b, const MillEvent *e, Piece *out)
{
  int64_t track;
  if (!mill_attr_int(b, e, s->track, &track)) return false;
  out->track = (uint32_t)track;
  return mill_attr_int(b, e, s->call_start, &out->launch_ns) ||
         mill_attr_int(b, e, s->op_start, &out->launch_ns);
}

static bool observe_event(Stage *s, const MillBatch *b, const MillEvent *e)
{
  TorchKind kind = torch_kind(&s->words, e);
  Piece piece = { .start_ns = e->ts_ns, .dur_ns = e->dur_ns, .name = e->name };
  if (torch_is_device(kind))
    return !read_launch(s, b, e, &piece) || sequences_add_piece(&s->sequences, &piece);
  if (!is_wanted(s, kind, e->name)) return true;
  return sequences_add_op(&s->sequences, &(Op){ .start_ns = e->ts_ns,
                                                .end_ns = interval_end(e->ts_ns, e->dur_ns),
                                                .track = e->track,
                                                .name = e->name });
}

static int sequences_observe(void *instance, const MillBatch *b)
{
  Stage *s = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (is_slice(&b->events[i]) && !observe_event(s, b, &b->events[i])) return -MILL_LIMIT;
  return 0;
}

static int sequences_decide(void *instance)
{
  Stage *s = instance;
  if (!sequences_find(&s->sequences, (uint32_t)s->options.top)) return -MILL_LIMIT;
  if (keyed_count(s->sequences.found) == 0) mill_note(s->common, NOTICE_NOTHING);
  return 0;
}

/* ---- marks */

static int mark(const Stage *s, MillBatch *b, uint32_t index, const Op *op)
{
  uint32_t place = op->sequence ? ((const Sequence *)op->sequence->state)->place : 0;
  return place ? s->host->set(s->host, b, index, s->sequence, mill_int(place)) : 0;
}

static int process_event(Stage *s, MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  const Sequences *q = &s->sequences;
  TorchKind kind = torch_kind(&s->words, e);
  Piece unused;
  if (torch_is_device(kind)) {
    if (!read_launch(s, b, e, &unused)) return 0;
    uint32_t op = q->pieces[s->next_piece++].op;
    return op == NO_OP ? 0 : mark(s, b, i, &q->ops[op]);
  }
  return is_wanted(s, kind, e->name) ? mark(s, b, i, &q->ops[s->next_op++]) : 0;
}

static int sequences_process(void *instance, MillBatch *b)
{
  Stage *s = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status >= 0; i++)
    if (is_slice(&b->events[i])) status = process_event(s, b, i);
  return status < 0 ? status : 0;
}

/* ---- results */

typedef struct KernelSequencesRow {
  MillText op, kernels;
  int64_t calls, device_ns, host_ns;
} KernelSequencesRow;

static int sequences_report(void *instance)
{
  Stage *s = instance;
  int status = 0;
  const KeyedEntry *const *entries = keyed_sorted(s->sequences.found);
  if (!entries) return -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(s->sequences.found) && status == 0; i++) {
    const char *at = entries[i]->key, *end = at + entries[i]->len;
    Field op = fields_next(&at, end), names = fields_next(&at, end);
    const Sequence *q = entries[i]->state;
    const KernelSequencesRow row = {
      .op = op,
      .kernels = names,
      .calls = q->calls,
      .device_ns = q->device_ns,
      .host_ns = q->host_ns,
    };
    status = mill_row(s->host, TABLE_SEQUENCES, &row);
  }
  return status;
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_STRING_OPTION(Options, named, "operator", "",
                     "Operators whose name contains this; empty: the outermost operators"),
  MILL_INT_OPTION(Options, top, "top", "5", "0:1000000", "sequences",
                  "Number of the most frequent sequences to mark in the trace"),
};

static const MillNotice notices[] = {
  MILL_INFO(NOTICE_NOTHING, "{lane} has no operator of that name that launched device work",
            "it has no sequence", "give a part of an operator's name as operator, or none",
            "An operator counts if its name contains the option operator, no other such operator "
            "is around it, and it launched device work. A trace needs both operators "
            "(ProfilerActivity.CPU) and device work (ProfilerActivity.CUDA)."),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(KernelSequencesRow, op, "op", NULL, "Name of the operator"),
  MILL_KEY_BRIEF(KernelSequencesRow, kernels, "kernels", NULL,
                 "Names of the device work that it launched, by start; the first 64"),
  MILL_BRIEF(KernelSequencesRow, calls, "calls", "count",
             "Number of times that it launched exactly these"),
  MILL_BRIEF(KernelSequencesRow, device_ns, "device", "ns",
             "Sum of the durations of the device work"),
  MILL_BRIEF(KernelSequencesRow, host_ns, "host", "ns", "Sum of the durations of the operator"),
};
static const MillTable tables[] = {
  [TABLE_SEQUENCES] = { .per = MILL_PER_LANE,
                        .brief_rows = 10,
                        .name = "kernel-sequences",
                        .help = "Sequences of device work that operators launch",
                        .order = "-calls,-device,op,kernels",
                        .columns = MILL_ROWS(columns) },
};

static const MillRead reads[] = { TREE_READ(TREE_CALL_START), TREE_READ(TREE_OP_START),
                                  TREE_READ(TREE_TRACK) };

static const char *const needs[] = { "events", "operators", "torch.tree", NULL };
static const char *const provides[] = { "attr.sequence", "table.kernel-sequences", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = sequences_stage_open,
  .observe = sequences_observe,
  .decide = sequences_decide,
  .process = sequences_process,
  .report = sequences_report,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "kernel-sequences",
  .family = "torch",
  .version = "1.0.0",
  .tag = "KSEQ",
  .title = "Sequences of device work by operator",
  .help =
      "For each outermost operator with the given name, lists the device work that it launched, in "
      "order of start, and counts equal sequences. Marks the most frequent sequences with the "
      "attribute sequence.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
