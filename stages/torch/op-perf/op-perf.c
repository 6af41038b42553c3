/* How fast operators compute and move, and how fast the device could: a row for each operator with the same work.  What
 * an operator does follows from its name, dims, types and concrete inputs (lib/op-work.h); its time is the union of the
 * device work below it.  Rates of calls are kept as whole numbers a second, so that any division of the work gives the
 * same bytes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/declare/rows.h"
#include "kit/devices/arch-device.h"
#include "kit/devices/op-rates.h"
#include "kit/state/instance.h"
#include "kit/state/ranked.h"
#include "kit/devices/torch-words.h"
#include "roofs.h"
#include "torch/lib/serve-steps.h"

enum { NO_WORK = 1, NO_ARCH, BINNED, ABOVE_PEAK };
enum { TABLE_PERF, TABLE_ROOFS };
enum {
  KEY_NAME,
  KEY_FAMILY,
  KEY_PASS,
  KEY_SPEC,
  KEY_PARAMS,
  KEY_DIMS,
  KEY_TYPES,
  KEY_WORK,
  N_KEYS
};

typedef struct Options {
  const char *arch;
  int64_t exact_up_to;
  MillList by;
} Options;

typedef struct Known { /* of a row of host-tree */
  OpRates *sum;        /* NULL where what it does depends on the step */
} Known;

typedef struct Perf {
  const MillStageHost *host;
  const MillHost *common;
  Arch arch;
  int device; /* that the traces name */
  MillSym model, row, subtree, model_row, model_time, track, call;
  TorchWords words;
  ServeSteps steps; /* of an inference engine */
  Hists hists;
  Keyed *sums;   /* OpRates, by the fields of a row */
  Keyed *by_row; /* Known, by the row of host-tree */
  Buffer text;
} Perf;

static int perf_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  const Options *o = options;
  Perf *p = instance_new(Perf, host, out_instance);
  if (!p) return -MILL_LIMIT;
  p->text.common = p->words.common = p->steps.common = host->common;
  p->model = tree_key(p->common, TREE_MODEL);
  p->row = tree_key(p->common, TREE_ROW);
  p->subtree = tree_key(p->common, TREE_SUBTREE);
  p->model_row = tree_key(p->common, TREE_MODEL_ROW);
  p->model_time = tree_key(p->common, TREE_MODEL_TIME);
  p->track = tree_key(p->common, TREE_TRACK);
  p->call = tree_key(p->common, TREE_CALL_START);
  hists_init(&p->hists, p->common, (uint64_t)o->exact_up_to);
  p->sums = keyed_new(p->common, sizeof(OpRates));
  p->by_row = keyed_new(p->common, sizeof(Known));
  return p->sums && p->by_row ? arch_read(p->common, o->arch, &p->arch) : -MILL_LIMIT;
}

/* ---- rows */

static bool put(Perf *p, const char *text) { return fields_put(&p->text, text, strlen(text)); }
static bool put_field(Perf *p, Field f) { return fields_put(&p->text, f.text, f.len); }

/* What tells rows apart that look the same: how much they do, and how sure it is. */
static bool put_work(Perf *p, const OpWork *w)
{
  char text[2 * DIGITS_MAX + 3];
  size_t n = w->known ? digits_write(text, (int64_t)w->flop) : 0;
  if (w->known) {
    text[n++] = ',';
    n += digits_write(text + n, (int64_t)w->bytes);
    if (w->is_upper) text[n++] = '<';
  }
  return fields_put(&p->text, text, n);
}

static bool put_key(Perf *p, const TreeRow *row, const OpCall *does)
{
  char spec[SPEC_BYTES];
  const OpFamily family = does->family;
  const OpWork *w = &does->work;
  op_rates_spec(family, w, spec);
  p->text.len = 0;
  return put_field(p, row->at[ROW_NAME]) && put(p, op_family_name(family)) &&
         put_field(p, row->at[ROW_PASS]) && put(p, spec) && put(p, w->params) &&
         put_field(p, row->at[ROW_DIMS]) && put_field(p, row->at[ROW_TYPES]) && put_work(p, w);
}

static OpRates *sum_of(Perf *p, MillSym sym, const OpServed *served, bool *out_serves)
{
  size_t len;
  OpCall does = { 0 };
  *out_serves = true;
  const char *text = p->common->symbol_text(p->common, sym, &len);
  const TreeRow row = tree_row(text, len);
  if (!op_rates_work(p->common, &row, served, &does) || !put_key(p, &row, &does)) return NULL;
  OpRates *sum = keyed_get(p->sums, p->text.text, p->text.len);
  if (sum) op_rates_set(sum, &does.work);
  *out_serves = does.serves;
  return sum;
}

static OpServed served_in(const ServeStep *s)
{
  return (OpServed){ .pairs = s->pairs == SERVE_UNKNOWN ? 0 : (double)s->pairs,
                     .keys = s->keys == SERVE_UNKNOWN ? 0 : (double)s->keys,
                     .pairs_are_upper = s->pairs_are_upper };
}

/* Rows of host-tree that differ in strides, or in what does not matter, are one. */
static OpRates *sum_of_row(Perf *p, MillSym sym, const ServeSpan *span)
{
  bool serves;
  Known *known = keyed_get_sym(p->by_row, sym);
  if (!known || known->sum) return known ? known->sum : NULL;
  const bool is_known = span && span->step.pairs != SERVE_UNKNOWN;
  const OpServed served = is_known ? served_in(&span->step) : (OpServed){ 0 };
  OpRates *sum = sum_of(p, sym, is_known ? &served : NULL, &serves);
  if (!serves) known->sum = sum;
  return sum;
}

/* ---- adding up */

static bool add_time(Perf *p, const MillBatch *b, uint32_t i, MillSym row, int64_t time_ns,
                     const ServeSpan *span)
{
  OpRates *sum = sum_of_row(p, row, span);
  if (!sum || !op_rates_add(sum, &p->hists, time_ns)) return false;
  if (!sum->known) p->common->note(p->common, NO_WORK, b, i, NULL, 0);
  return true;
}

static bool add_operator(Perf *p, const MillBatch *b, uint32_t i)
{
  const MillEvent *e = &b->events[i];
  int64_t time_ns;
  const MillSym row = tree_sym(p->common, b, e, p->row);
  if (!row || !mill_attr_int(b, e, p->subtree, &time_ns)) return true;
  return add_time(p, b, i, row, time_ns, serve_steps_at(&p->steps, e->track, e->ts_ns));
}

/* Within a graph launch: its step is that of the launch. */
static bool add_captured(Perf *p, const MillBatch *b, uint32_t i, MillSym row)
{
  const MillEvent *e = &b->events[i];
  int64_t time_ns, track, call_ns;
  const ServeSpan *span = NULL;
  if (!mill_attr_int(b, e, p->model_time, &time_ns)) return true;
  if (mill_attr_int(b, e, p->track, &track) && mill_attr_int(b, e, p->call, &call_ns))
    span = serve_steps_at(&p->steps, (uint32_t)track, call_ns);
  return add_time(p, b, i, row, time_ns, span);
}

static int perf_process(void *instance, MillBatch *b)
{
  Perf *p = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    bool fits = true;
    MillSym row;
    if (e->kind != MILL_SLICE || e->flags & MILL_FLAG_NO_TS) continue;
    if (tree_true(b, e, p->model))
      fits = add_operator(p, b, i);
    else if (torch_kind(&p->words, e) == TORCH_RANGE)
      fits = serve_steps_see(&p->steps, e);
    else if ((row = tree_sym(p->common, b, e, p->model_row)))
      fits = add_captured(p, b, i, row);
    if (!fits) return -MILL_LIMIT;
  }
  return 0;
}

/* ---- summaries */

static const StateField perf_fields[] = {
  STATE_SAME(Perf, device),
  STATE_HISTS(Perf, hists),
  STATE_KEYED(Perf, sums, op_rates_state),
};
static const StateType perf_state = STATE_TYPE(Perf, perf_fields);

static int perf_save_result(void *instance)
{
  Perf *p = instance;
  p->device = arch_device_join(p->device, arch_device_of_lane(p->host));
  state_save(p->host, &perf_state, p);
  return 0;
}

static int perf_merge_result(void *instance)
{
  const Perf *p = instance;
  return state_merge(p->host, &perf_state, instance) ? 0 : -MILL_LIMIT;
}

/* ---- results */

static int64_t total_of(const void *state)
{
  return moments_sum(&((const OpRates *)state)->time.moments);
}

static const char *basis_of(const OpRates *s)
{
  if (!s->known) return "none";
  if (s->is_upper) return "upper";
  return s->is_bound ? "bound" : "dims";
}

typedef struct PerfRow {
  MillText key[KEY_TYPES + 1]; /* name, family, pass, spec, params, dims, types */
  int64_t calls;
  OpWorkCells work;
  int64_t total_ns;
  OpRateCells rates;
  OpRoofCells roof;
  const char *basis;
} PerfRow;

static int report_row(Perf *p, const Ranked *r, uint32_t i, Roofs *io_roofs)
{
  const KeyedEntry *entry = r->entries[i].entry;
  OpRates *s = entry->state;
  const char *at = entry->key, *end = at + entry->len;
  char spec[SPEC_BYTES] = "";
  PerfRow row;
  for (uint32_t n = 0; n <= KEY_TYPES; n++) row.key[n] = fields_next(&at, end);
  if (row.key[KEY_SPEC].len < SPEC_BYTES)
    memcpy(spec, row.key[KEY_SPEC].text, row.key[KEY_SPEC].len);
  row.calls = (int64_t)s->time.moments.n;
  row.work = op_rates_work_cells(s);
  row.total_ns = r->entries[i].size;
  row.rates = op_rates_cells(s);
  row.roof = op_rates_roof_cells(s, &p->arch, spec);
  row.basis = basis_of(s);
  if (s->known && s->has_flop && s->bytes > 0)
    roofs_add(io_roofs, &p->arch, spec, s->flop / s->bytes);
  return mill_row(p->host, TABLE_PERF, &row);
}

/* What is faster than the device can be, counted, with the fastest. */
typedef struct Faster {
  int64_t rows;
  double over; /* its rate over what the device could do */
  Field name;
  double tflops, limit;
} Faster;

static void look_at_peak(const Perf *p, const KeyedEntry *entry, Faster *io)
{
  const OpRates *s = entry->state;
  const char *at = entry->key, *end = at + entry->len;
  char spec[SPEC_BYTES] = "";
  Field fields[KEY_SPEC + 1];
  for (int i = 0; i <= KEY_SPEC; i++) fields[i] = fields_next(&at, end);
  if (fields[KEY_SPEC].len < SPEC_BYTES) memcpy(spec, fields[KEY_SPEC].text, fields[KEY_SPEC].len);
  double over = op_rates_over_limit(s, &p->arch, spec);
  if (over <= 1) return;
  io->rows++;
  if (over <= io->over) return;
  *io = (Faster){ io->rows, over, fields[KEY_NAME], (double)s->flop_rate.moments.max / 1e12,
                  arch_limit(&p->arch, spec) };
}

static void note_faster(const Perf *p, const Ranked *r)
{
  Faster f = { 0 };
  for (uint32_t i = 0; i < r->n; i++) look_at_peak(p, r->entries[i].entry, &f);
  const MillNamed values[] = { { "rows", mill_int(f.rows) },
                               { "operator", mill_text(f.name.text, f.name.len) },
                               { "tflops", mill_real(f.tflops) },
                               { "limit", mill_real(f.limit) } };
  if (f.rows)
    p->common->note(p->common, ABOVE_PEAK, NULL, MILL_NO_EVENT, values, MILL_COUNT(values));
}

static int perf_report_run(void *instance)
{
  Perf *p = instance;
  Ranked r;
  int status = 0;
  if (!hists_settle(&p->hists) || !ranked_make(p->common, p->sums, total_of, &r))
    return -MILL_LIMIT;
  hists_note(&p->hists, BINNED);
  if (!p->arch.known) arch_of_device(p->device, &p->arch);
  if (!p->arch.known && r.n > 0) mill_note(p->common, NO_ARCH);
  note_faster(p, &r);
  Roofs roofs = { .n = 0 };
  for (uint32_t i = 0; i < r.n && status == 0; i++) status = report_row(p, &r, i, &roofs);
  return status ? status : roofs_report(&roofs, &p->arch, p->host, TABLE_ROOFS);
}

/* ---- the descriptor */

static const MillOption options[] = {
  OP_RATES_ARCH_OPTION(Options, arch),
  MILL_INT_OPTION(
      Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
      "Medians are exact up to this many values, three for each call, 8 bytes each; with more "
      "values they are within 0.1 %"),
  MILL_BY_OPTION(Options, by),
};

static const MillNotice notices[] = {
  MILL_INFO(
      NO_WORK, "{count} operator[|s] of {lane} [has|have] no usable dims or types",
      "[its|their] time counts, but [its|their] work is unknown",
      "record shapes: torch.profiler.profile(record_shapes=True)",
      "Work is computed from the lists Input Dims, Input type and Concrete Inputs of an operator. "
      "These lists are missing, truncated or malformed."),
  MILL_INFO(
      NO_ARCH, "the kind of device is unknown, or there are several kinds",
      "op-perf has no roofline", "--set op-perf.arch=MI300X, or a file",
      "The roofline is the time that the device would need at its peak rate or bandwidth.  "
      "PyTorch's profiler lists its devices in deviceProperties. If all have the same name and its "
      "peaks are bundled, they are used."),
  MILL_WARNING(
      ABOVE_PEAK,
      "{rows} row[|s] of op-perf [is|are] faster than the device can compute: {operator} at "
      "{tflops} TFLOP/s, above the limit of {limit}",
      "[its|their] above_peak is true",
      "check that arch names the device, and that dims are recorded",
      "Possible reasons: some kernels of the operator are lost or not linked to it; it does less "
      "work than its dims suggest, as with sparsity or masks; arch names another device. The limit "
      "comes from the data sheet; the roofline uses rates that kernels reached."),
  HIST_NOTICE(BINNED),
};

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(PerfRow, key[KEY_NAME], "name", NULL, "Name of the operator"),
  MILL_KEY(PerfRow, key[KEY_FAMILY], "family", NULL, "How its work is computed"),
  MILL_KEY(PerfRow, key[KEY_PASS], "pass", NULL, "forward or backward"),
  MILL_KEY(PerfRow, key[KEY_SPEC], "spec", NULL, "Units and number type of the computation"),
  MILL_KEY_BRIEF(PerfRow, key[KEY_PARAMS], "params", NULL,
                 "Values from which its work is computed"),
  MILL_KEY(PerfRow, key[KEY_DIMS], "dims", NULL, "Input Dims"),
  MILL_KEY(PerfRow, key[KEY_TYPES], "types", NULL, "Input type"),
  MILL_BRIEF(PerfRow, calls, "calls", "count", "Calls with device work"),
  MILL_KEY(PerfRow, work.flop, "flop", "count", "Operations of one call"),
  MILL_KEY(PerfRow, work.bytes, "bytes", "bytes", "Bytes that one call must move"),
  MILL_COLUMN(PerfRow, work.flop_per_byte, "flop_per_byte", "count", 0, "Operations per byte"),
  MILL_BRIEF(PerfRow, total_ns, "total", "ns", "Device time of all calls"),
  OP_RATES_COLUMNS(PerfRow, rates),
  OP_RATES_ROOF_COLUMNS(PerfRow, roof),
  MILL_COLUMN(PerfRow, basis, "basis", NULL, 0,
              "dims; bound: flop is a lower bound; upper: an upper bound; none: unknown"),
};
static const MillColumn roof_columns[] = { ROOFS_COLUMNS };

static const MillTable tables[] = {
  [TABLE_PERF] = { .per = MILL_PER_RUN,
                   .brief_rows = 10,
                   .name = "op-perf",
                   .help = "Rates of operators, and the limits of the device",
                   .order = "-total,name",
                   .columns = MILL_ROWS(columns) },
  [TABLE_ROOFS] = { .per = MILL_PER_RUN,
                    .name = "roofs",
                    .help = "Limit of the device at each intensity",
                    .columns = MILL_ROWS(roof_columns) },
};

static const MillFigure figures[] = {
  { .kind = MILL_FIGURE_SCATTER,
    .name = "roofline",
    .title = "Operators by intensity and rate",
    .table = "op-perf",
    .x = "flop_per_byte",
    .y = "tflops",
    .series = "family",
    .annotation = "name",
    .over = "roofs",
    .x_scale = "log",
    .y_scale = "log",
    .x_label = "FLOP per byte",
    .y_label = "TFLOP/s" },
  { .kind = MILL_FIGURE_LINE,
    .name = "roofs",
    .title = "Limit of the device",
    .table = "roofs",
    .x = "flop_per_byte",
    .y = "tflops",
    .series = "roof",
    .reduce = "max",
    .x_scale = "log",
    .y_scale = "log",
    .x_label = "FLOP per byte",
    .y_label = "TFLOP/s" },
};

static const MillRead reads[] = {
  TREE_READ(TREE_MODEL),      TREE_READ(TREE_ROW),        TREE_READ(TREE_SUBTREE),
  TREE_READ(TREE_MODEL_ROW),  TREE_READ(TREE_MODEL_TIME), TREE_READ(TREE_TRACK),
  TREE_READ(TREE_CALL_START),
};

static const char *const needs[] = { "events", "operators", "order.lane", "torch.tree", NULL };
static const char *const provides[] = { "table.op-perf", NULL };

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = perf_open,
  .process = perf_process,
  .save_result = perf_save_result,
  .merge_result = perf_merge_result,
  .report_run = perf_report_run,
};

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(Options),
  .name = "op-perf",
  .family = "torch",
  .version = "1.0.0",
  .tag = "OPERF",
  .title = "Rates of operators, and the roofline of the device",
  .help = "Computes work and bytes of matrix products, convolutions, attention, experts, "
          "normalisations, elementwise operators and reductions from their dims and types, and of "
          "attention of an inference engine from the annotation of its step. Divided by their "
          "device time, these give rates.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, notices, reads, tables, figures),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
