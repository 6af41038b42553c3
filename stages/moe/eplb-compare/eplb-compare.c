/* Compares two kernel tables, without and with expert parallel load balancing: MoE, communication
 * and attention kernels by their names, and what changed.  Rows that belong together are merged
 * (see kernel-sums.c).  Memory: sums, the top kernels, and at most 4,096 names of MoE and as many
 * of NCCL kernels per table. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "eplb-report.h"

#include "kit/declare/rows.h"
#include "kit/state/instance.h"
#include "kit/text/fail.h"
#include "kit/text/symbol.h"

enum { NOTICE_NAMES = 1, NOTICE_ODD_ROW = 2, NOTICE_SIDES = 3, NOTICE_ALONE = 4 };
enum { SENDRECV_OFF, SENDRECV_ON };

typedef struct Options {
  int64_t sendrecv, top;
} Options;

enum { TOTAL, COUNT, MIN, MAX, AVG, MED, STD, PCT, N_FIELDS }; /* whole numbers first */
static const char *const field_names[N_FIELDS] = { "total_ns", "count",  "min_ns", "max_ns",
                                                   "avg_ns",   "med_ns", "std_ns", "pct" };

typedef struct EplbCompare {
  const MillStageHost *host;
  const MillHost *common;
  Options options;
  MillSym record, kernel, device;
  MillSym fields[N_FIELDS];
  KernelSide sides[N_SIDES];
  KernelTable *own; /* of a lane */
} EplbCompare;

static int wrong_sides(const EplbCompare *c, const char *what)
{
  return fail_input(c->common, NOTICE_SIDES, what, NULL,
                    "name the run without and the run with EPLB: off=A.csv on=B.csv");
}

/* The only input, of which nobody says which side it is. */
static bool is_alone(const EplbCompare *c)
{
  MillLane lane = { .size = sizeof lane };
  if (c->common->n_lanes(c->common) != 1) return false;
  c->common->lane(c->common, 0, &lane);
  return !*lane.label;
}

static int open_table(EplbCompare *c)
{
  MillLane lane = { .size = sizeof lane };
  c->common->lane(c->common, MILL_NO_LANE, &lane);
  if (is_alone(c)) {
    c->own = kernel_side_add(&c->sides[SIDE_OFF], (uint32_t)c->options.top);
    return c->own ? 0 : -MILL_LIMIT;
  }
  for (uint32_t which = 0; which < N_SIDES; which++) {
    if (strcmp(lane.label, which == SIDE_OFF ? "off" : "on") != 0) continue;
    c->own = kernel_side_add(&c->sides[which], (uint32_t)c->options.top);
    return c->own ? 0 : -MILL_LIMIT;
  }
  if (!*lane.label) return wrong_sides(c, "a kernel table has no label");
  return wrong_sides(c, "a kernel table is labelled neither off nor on");
}

static int eplb_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  const MillHost *common = host->common;
  EplbCompare *c = instance_new(EplbCompare, host, out_instance);
  if (!c) return -MILL_LIMIT;
  c->options = *(const Options *)options;
  c->record = symbol_of(common, "kernel.row");
  c->kernel = symbol_of(common, "kernel");
  c->device = symbol_of(common, "device");
  for (uint32_t i = 0; i < N_FIELDS; i++) c->fields[i] = symbol_of(common, field_names[i]);
  for (uint32_t i = 0; i < N_SIDES; i++) c->sides[i].common = common;
  return level == MILL_LANE ? open_table(c) : 0;
}

/* ---- rows */

typedef struct Fields {
  union { /* by field; only of those that the row has */
    int64_t whole;
    double real;
  } value[N_FIELDS];
  bool has[N_FIELDS];
  const char *name;
  size_t name_len;
  bool of_device;
} Fields;

static bool is_whole(uint32_t field) { return field <= MAX; }

static inline void read_number(Fields *f, uint32_t field, const MillAttr *a)
{
  uint32_t type = a->type & MILL_ATTR_TYPE;
  if (type != MILL_INT && type != MILL_REAL) return;
  f->has[field] = type == MILL_INT ? a->u.i >= 0 : a->u.r >= 0;
  if (!is_whole(field))
    f->value[field].real = type == MILL_INT ? (double)a->u.i : a->u.r;
  else if (type == MILL_INT)
    f->value[field].whole = a->u.i;
  else
    f->value[field].whole = a->u.r < 9.2e18 ? (int64_t)a->u.r : INT64_MAX;
}

static void read_name(const EplbCompare *c, const MillBatch *b, const MillAttr *a, Fields *f)
{
  bool symbol = (a->type & MILL_ATTR_TYPE) == MILL_SYM;
  f->name = symbol ? c->common->symbol_text(c->common, a->u.sym, &f->name_len)
                   : mill_attr_text(b, a, &f->name_len);
}

/* Rows name their fields in one order, mostly: the one after the last is tried first. */
static inline uint32_t find_field(const EplbCompare *c, MillSym key, uint32_t next)
{
  if (next < N_FIELDS && c->fields[next] == key) return next;
  uint32_t field = 0;
  while (field < N_FIELDS && c->fields[field] != key) field++;
  return field;
}

static void read_fields(const EplbCompare *c, const MillBatch *b, const MillEvent *e, Fields *f)
{
  uint32_t next = 0;
  f->name = NULL;
  f->of_device = false;
  memset(f->has, 0, sizeof f->has);
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key == c->kernel) {
      read_name(c, b, a, f);
      continue;
    }
    uint32_t field = find_field(c, a->key, next);
    if (field < N_FIELDS)
      read_number(f, field, a);
    else if (a->key == c->device)
      f->of_device |= (a->type & MILL_ATTR_TYPE) != MILL_NONE;
    next = field + 1;
  }
}

/* False: without name, time or count it is not a row of a kernel table. */
static bool row_of(const Fields *f, KernelRow *row)
{
  if (!f->name || !f->has[TOTAL] || !f->has[COUNT]) return false;
  *row = (KernelRow){
    .name = f->name,
    .name_len = strnlen(f->name, f->name_len),
    .total_ns = f->value[TOTAL].whole,
    .count = f->value[COUNT].whole,
    .min_ns = f->has[MIN] ? f->value[MIN].whole : -1,
    .max_ns = f->has[MAX] ? f->value[MAX].whole : -1,
    .avg_ns = f->has[AVG] ? f->value[AVG].real : 0,
    .med_ns = f->has[MED] ? f->value[MED].real : 0,
    .std_ns = f->has[STD] ? f->value[STD].real : 0,
    .pct = f->has[PCT] ? f->value[PCT].real : 0,
    .has_med = f->has[MED],
    .has_std = f->has[STD],
    .has_pct = f->has[PCT],
  };
  if (!f->has[AVG] && row->count > 0) row->avg_ns = (double)row->total_ns / (double)row->count;
  return true;
}

static int eplb_process(void *instance, MillBatch *b)
{
  EplbCompare *c = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    Fields fields;
    KernelRow row;
    bool full;
    if (e->kind != MILL_RECORD || e->name != c->record) continue;
    read_fields(c, b, e, &fields);
    if (fields.of_device) continue;
    if (!row_of(&fields, &row)) {
      c->common->note(c->common, NOTICE_ODD_ROW, b, i, NULL, 0);
      continue;
    }
    if (!kernel_table_add(c->own, &row, c->options.sendrecv == SENDRECV_ON, &full))
      return -MILL_LIMIT;
    if (full) c->common->note(c->common, NOTICE_NAMES, b, i, NULL, 0);
  }
  return 0;
}

/* ---- saved state */

static const StateField eplb_fields[] = { STATE_PART(EplbCompare, sides, kernel_side_state) };
static const StateType eplb_state = STATE_TYPE(EplbCompare, eplb_fields);
STATE_RESULT(EplbCompare, eplb_state)

/* ---- results */

static int report_alone(EplbCompare *c)
{
  c->common->note(c->common, NOTICE_ALONE, NULL, MILL_NO_EVENT, NULL, 0);
  kernel_side_sum(&c->sides[SIDE_OFF]);
  return eplb_report_alone(c->host, &c->sides[SIDE_OFF], (uint32_t)c->options.top);
}

static int eplb_report_run(void *instance)
{
  EplbCompare *c = instance;
  if (is_alone(c)) return report_alone(c);
  if (c->sides[SIDE_OFF].n_tables == 0) return wrong_sides(c, "no kernel table is labelled off");
  if (c->sides[SIDE_ON].n_tables == 0) return wrong_sides(c, "no kernel table is labelled on");
  for (uint32_t i = 0; i < N_SIDES; i++) kernel_side_sum(&c->sides[i]);
  return eplb_report(c->host, c->sides, (uint32_t)c->options.top);
}

/* ---- the descriptor */

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, sendrecv, "sendrecv", "off", "off|on",
                     "Count NCCL's send and receive kernels as all-to-all; NCCL builds all-to-all "
                     "from them"),
  MILL_INT_OPTION(Options, top, "top", "5", "5:100", "count",
                  "Kernels of each side in the table eplb-top"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTICE_NAMES, "eplb_comparison does not name {count} MoE or NCCL kernel[|s] of {lane}",
      "its numbers include [it|them]; only its lists of names are shorter", NULL,
      "The object lists the names of all MoE and of all NCCL kernels. For each kernel table, it "
      "keeps at most 4,096 names and 1 MiB of text of each kind; real tables have a few dozen."),
  MILL_LEFT_OUT(
      NOTICE_ODD_ROW, "{count} row[|s] of {lane} [has|have] no kernel name, total time or count",
      "[it is|they are] left out of all results", NULL,
      "A row of a kernel table needs the name of the kernel, the number of calls and their total "
      "time. Negative times and counts are not valid."),
  MILL_ERROR(NOTICE_SIDES, "kernel tables are not labelled off and on",
             "name the run without and the run with EPLB: off=A.csv on=B.csv",
             "A comparison has two sides: the run without expert load balancing and the run with "
             "it. A table does not show its side, so give a label before its path. Several tables "
             "may have the same label; they are added up."),
  MILL_INFO(NOTICE_ALONE, "there is only one kernel table, so nothing is compared",
            "only its classes and longest kernels are listed",
            "to see the effect of EPLB, name the run without and the run with it: off=A.csv "
            "on=B.csv",
            "If a kernel table is the only input and has no label, the stage describes it: the "
            "time of each class of kernels, and the kernels with the largest times."),
};

static const MillRead reads[] = {
  RECORD_TEXT("kernel"), RECORD_INT("total_ns"), RECORD_INT("count"),  RECORD_REAL("avg_ns"),
  RECORD_REAL("med_ns"), RECORD_INT("min_ns"),   RECORD_INT("max_ns"), RECORD_REAL("std_ns"),
  RECORD_REAL("pct"),    RECORD_INT("device"),
};

static const char *const needs[] = { "input.kernel-summary", NULL };
static const char *const provides[] = { "table.eplb-compare", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = eplb_open,
  .process = eplb_process,
  .save_result = save_result,
  .merge_result = merge_result,
  .report_run = eplb_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES,
  .options_size = sizeof(Options),
  .name = "eplb-compare",
  .family = "moe",
  .version = "1.0.0",
  .tag = "EPLB",
  .title = "Kernel times without and with expert load balancing",
  .help = "Reads kernel tables labelled off and on, sums MoE, communication and attention kernels "
          "by their names, and reports what became better or worse: time and balance of the fused "
          "MoE kernels, and time of NCCL, all-to-all and all-reduce.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads),
  .tables = MILL_ROWS(eplb_tables),
  .metrics = MILL_ROWS(eplb_metrics),
  .figures = MILL_ROWS(eplb_figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
