/* Records of all-reduce times and lookup tables, by lane; see allreduce.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "tune/lib/allreduce-names.h"
#include "kit/state/grow.h"
#include "kit/text/fail.h"
#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"

enum { MAX_LIST = 200 };

/* ----------------------------------------------------------------- opening */

static int64_t own_sm(const MillHost *common)
{
  const char *tag = common->tag(common, MILL_NO_LANE, "sm");
  int64_t sm;
  return tag && num_int(tag, strlen(tag), &sm) && sm >= 0 ? sm : AR_NO_SM;
}

static ArPoints no_points(const ArInputs *in)
{
  return (ArPoints){ .common = in->common,
                     .keeps_times = in->options.repeat == AR_MEDIAN,
                     .keeps_spread = in->keeps_spread };
}

static ArLane *add_lane(ArInputs *in)
{
  if (!array_reserve(in->common, &in->lanes, &in->capacity, in->n + 1, sizeof *in->lanes))
    return NULL;
  ArLane *lane = &in->lanes[in->n++];
  *lane = (ArLane){ .sm = AR_NO_SM, .points = no_points(in), .table = { .common = in->common } };
  return lane;
}

int ar_open(ArInputs *in, const MillStageHost *host, uint32_t level, const ArOptions *options)
{
  static const char *const names[AR_N_KEYS] = { "tp",     "fusion", "strategy", "tokens",
                                                "hidden", "bytes",  "op",       "time_us",
                                                "number", "source", "margin",   "dtype" };
  const MillHost *common = host->common;
  *in = (ArInputs){ .host = host, .common = common, .options = *options };
  in->row = symbol_of(common, "allreduce.row");
  in->cell = symbol_of(common, "allreduce.cell");
  in->op = symbol_of(common, options->op);
  in->type = *options->dtype ? symbol_of(common, options->dtype) : 0;
  in->auto_strategy = symbol_of(common, "AUTO");
  for (uint32_t i = 0; i < AR_N_KEYS; i++) in->keys[i] = symbol_of(common, names[i]);
  if (level != MILL_LANE) return 0;
  return add_lane(in) ? 0 : -MILL_LIMIT;
}

void ar_keep_spread(ArInputs *in)
{
  in->keeps_spread = true;
  for (size_t i = 0; i < in->n; i++) in->lanes[i].points.keeps_spread = true;
}

/* ----------------------------------------------------------------- records */

/* What of a record's attributes is there: by key. */
typedef struct Values {
  const MillBatch *b;
  const MillAttr *at[AR_N_KEYS];
} Values;

/* Sources write them in this order, and leave some out. */
static void read_values(const ArInputs *in, const MillBatch *b, const MillEvent *e, Values *out)
{
  *out = (Values){ .b = b };
  uint32_t key = 0;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    uint32_t begin = key;
    while (key < AR_N_KEYS && in->keys[key] != a->key) key++;
    if (key == AR_N_KEYS) {
      for (key = 0; key < begin && in->keys[key] != a->key;) key++;
      if (key == begin) continue;
    }
    out->at[key] = a;
  }
}

static int64_t int_of(const Values *v, uint32_t key, int64_t otherwise)
{
  const MillAttr *a = v->at[key];
  return a && (a->type & MILL_ATTR_TYPE) == MILL_INT ? a->u.i : otherwise;
}

/* NaN: it is not there, or none to work with. */
static double real_of(const Values *v, uint32_t key)
{
  const MillAttr *a = v->at[key];
  uint32_t type = a ? a->type & MILL_ATTR_TYPE : MILL_NONE;
  if (type == MILL_INT) return (double)a->u.i;
  return type == MILL_REAL && isfinite(a->u.r) ? a->u.r : (double)NAN;
}

static MillSym sym_of(const ArInputs *in, const Values *v, uint32_t key)
{
  return attr_sym(in->common, v->b, v->at[key]);
}

static void take_type(ArLane *lane, MillSym type)
{
  if (!lane->type)
    lane->type = type;
  else if (type && type != lane->type)
    lane->other_type = type;
}

static int add_row(ArInputs *in, const Values *v)
{
  double time_us = real_of(v, AR_KEY_TIME);
  ArRow row = { .tp = int_of(v, AR_KEY_TP, 0),
                .hidden = int_of(v, AR_KEY_HIDDEN, 0),
                .tokens = int_of(v, AR_KEY_TOKENS, 0),
                .bytes = int_of(v, AR_KEY_BYTES, 0),
                .fusion = sym_of(in, v, AR_KEY_FUSION),
                .strategy = sym_of(in, v, AR_KEY_STRATEGY),
                .time_us = time_us > 0 ? time_us : 0 };
  MillSym op = sym_of(in, v, AR_KEY_OP), type = sym_of(in, v, AR_KEY_TYPE);
  if (row.tp < 1 || row.hidden < 1 || row.tokens < 1) return 0;
  if (v->at[AR_KEY_OP] ? op != in->op : strcmp(in->options.op, "allreduce") != 0) {
    mill_note(in->common, AR_OTHER_OP);
    return 0;
  }
  if (in->type && type && type != in->type) {
    mill_note(in->common, AR_OTHER_TYPE);
    return 0;
  }
  if (row.time_us > 0) take_type(&in->lanes[0], type);
  return ar_points_add(&in->lanes[0].points, &row) ? 0 : -MILL_LIMIT;
}

/* Tables in C++ have numbers alone. */
static MillSym name_of_number(const ArInputs *in, int64_t number)
{
  char text[32];
  const char *name = ar_name_of(number);
  snprintf(text, sizeof text, "#%lld", (long long)number);
  return number == INT64_MIN ? 0 : symbol_of(in->common, name ? name : text);
}

static int add_cell(ArInputs *in, const Values *v)
{
  ArCell cell = { .tp = int_of(v, AR_KEY_TP, 0),
                  .hidden = int_of(v, AR_KEY_HIDDEN, 0),
                  .tokens = int_of(v, AR_KEY_TOKENS, 0),
                  .number = int_of(v, AR_KEY_NUMBER, INT64_MIN),
                  .fusion = sym_of(in, v, AR_KEY_FUSION),
                  .strategy = sym_of(in, v, AR_KEY_STRATEGY),
                  .source = sym_of(in, v, AR_KEY_SOURCE),
                  .time = real_of(v, AR_KEY_TIME),
                  .margin = real_of(v, AR_KEY_MARGIN) };
  if (cell.tp < 1 || cell.hidden < 1 || cell.tokens < 1) return 0;
  if (!cell.strategy) cell.strategy = name_of_number(in, cell.number);
  return ar_table_add(&in->lanes[0].table, &cell) ? 0 : -MILL_LIMIT;
}

int ar_process(ArInputs *in, const MillBatch *b)
{
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    bool is_row = e->name == in->row, is_cell = e->name == in->cell;
    if (e->kind != MILL_RECORD || (!is_row && !is_cell)) continue;
    Values v;
    read_values(in, b, e, &v);
    status = is_row ? add_row(in, &v) : add_cell(in, &v);
  }
  return status;
}

/* ------------------------------------------------------------- saved state */

static const StateField lane_fields[] = {
  STATE_FIRST(ArLane, sm),
  STATE_SYM(ArLane, label),
  STATE_SYM(ArLane, type),
  STATE_SYM(ArLane, other_type),
  STATE_PART(ArLane, points, ar_points_state),
  STATE_PART(ArLane, table, ar_table_state),
};
static const StateType lane_state = STATE_TYPE(ArLane, lane_fields);

int ar_save(ArInputs *in)
{
  ArLane *lane = &in->lanes[0];
  MillLane own = { .size = sizeof own };
  in->common->lane(in->common, MILL_NO_LANE, &own);
  lane->sm = own_sm(in->common); /* sources find it while they read */
  lane->label = symbol_of(in->common, own.label);
  state_save(in->host, &lane_state, lane);
  return 0;
}

int ar_merge(ArInputs *in)
{
  ArLane *lane = add_lane(in);
  return lane && state_load(in->host, &lane_state, lane) ? 0 : -MILL_LIMIT;
}

/* ----------------------------------------------------------------- picking */

typedef enum { OF_TIMES, OF_TABLES } Of;

static bool has(const ArLane *lane, Of of)
{
  return of == OF_TIMES ? lane->points.n_rows > 0 : lane->table.n > 0;
}

static bool has_any(const ArInputs *in, Of of)
{
  for (size_t i = 0; i < in->n; i++)
    if (has(&in->lanes[i], of)) return true;
  return false;
}

bool ar_has_points(const ArInputs *in) { return has_any(in, OF_TIMES); }
bool ar_has_tables(const ArInputs *in) { return has_any(in, OF_TABLES); }

bool ar_is_labelled(const ArInputs *in, const ArLane *lane, const char *label)
{
  return !label || !strcmp(ar_text(in->common, lane->label), label);
}

/* The kinds of GPUs among the lanes, ascending. */
static bool kinds_of(const ArInputs *in, const char *label, Of of, ArAxis *out)
{
  for (size_t i = 0; i < in->n; i++) {
    const ArLane *lane = &in->lanes[i];
    if (!has(lane, of) || !ar_is_labelled(in, lane, label) || lane->sm == AR_NO_SM) continue;
    if (!ar_axis_add(in->common, out, lane->sm)) return false;
  }
  return true;
}

static void list_kinds(const ArAxis *kinds, char *out, size_t size)
{
  size_t len = (size_t)snprintf(out, size, "there is ");
  for (size_t i = 0; i < kinds->n && len + 24 < size; i++)
    len += (size_t)snprintf(out + len, size - len, "%ssm %lld", i ? ", " : "",
                            (long long)kinds->at[i]);
}

static int fail(const ArInputs *in, uint32_t number, const char *what, const char *why)
{
  return fail_input(in->common, number, what, why,
                    number == AR_SEVERAL_SM ? "choose one with the option sm-version"
                                            : AR_BENCHMARK);
}

static int fail_nothing(const ArInputs *in, const char *label, Of of, const ArAxis *kinds)
{
  char what[MAX_LIST], why[MAX_LIST], sm[40] = "";
  if (in->options.sm_version)
    snprintf(sm, sizeof sm, " of sm %lld", (long long)in->options.sm_version);
  bool typed = of == OF_TIMES && in->type;
  snprintf(what, sizeof what, "no input has %s%s%s%.40s%s%s",
           of == OF_TIMES ? "measured times" : "a lookup table", sm, typed ? " of dtype " : "",
           typed ? in->options.dtype : "", label ? " and the label " : "", label ? label : "");
  list_kinds(kinds, why, sizeof why);
  return fail(in, AR_NOTHING, what, kinds->n ? why : NULL);
}

static int choose_kind(const ArInputs *in, const char *label, Of of, const ArAxis *kinds,
                       int64_t *out_sm)
{
  char why[MAX_LIST];
  int64_t asked = in->options.sm_version;
  bool found = false;
  list_kinds(kinds, why, sizeof why);
  if (!asked && kinds->n > 1)
    return fail(in, AR_SEVERAL_SM, "the inputs are of several kinds of GPUs", why);
  *out_sm = asked ? asked : kinds->n ? kinds->at[0] : AR_NO_SM;
  for (size_t i = 0; i < in->n && !found; i++) {
    const ArLane *lane = &in->lanes[i];
    found = has(lane, of) && ar_is_labelled(in, lane, label) &&
            (lane->sm == *out_sm || lane->sm == AR_NO_SM);
  }
  return found ? 0 : fail_nothing(in, label, of, kinds);
}

/* Whose lanes take part: *out_sm, and those that do not say. */
static int choose(const ArInputs *in, const char *label, Of of, int64_t *out_sm)
{
  ArAxis kinds = { 0 };
  bool fits = kinds_of(in, label, of, &kinds);
  int status = fits ? choose_kind(in, label, of, &kinds, out_sm) : -MILL_LIMIT;
  array_free(in->common, kinds.at);
  return status;
}

static bool takes_part(const ArInputs *in, const ArLane *lane, const char *label, int64_t sm)
{
  return ar_is_labelled(in, lane, label) && (lane->sm == sm || lane->sm == AR_NO_SM);
}

static int check_strategies(const ArInputs *in, const ArPoints *points)
{
  ArAxis found = { 0 };
  int status = 0;
  for (size_t i = 0; i < points->n && found.n <= AR_MOST_STRATEGIES; i++)
    if (!ar_axis_add(in->common, &found, points->at[i].strategy)) return -MILL_LIMIT;
  if (found.n > AR_MOST_STRATEGIES)
    status = mill_fail(in->common, MILL_BAD_INPUT, "there are more than 64 strategies",
                       "the column strategy holds something else");
  array_free(in->common, found.at);
  return status;
}

/* Times of two types of elements do not compare.  *io_type: of the lanes before. */
static int check_types(const ArInputs *in, const ArLane *lane, MillSym *io_type)
{
  const char *other = ar_text(in->common, lane->other_type);
  const char *own = ar_text(in->common, lane->type), *type = ar_text(in->common, *io_type);
  char what[MAX_LIST];
  if (!*type) *io_type = lane->type;
  if (!*other && (!*type || !*own || !strcmp(type, own))) return 0;
  snprintf(what, sizeof what, "times of %.60s and of %.60s are mixed", *other ? own : type,
           *other ? other : own);
  return mill_fail(in->common, MILL_BAD_INPUT, what, "choose one with the option dtype");
}

int ar_pick_points(ArInputs *in, const char *label, ArPoints *out, int64_t *out_sm)
{
  MillSym type = 0;
  int status = choose(in, label, OF_TIMES, out_sm);
  if (status < 0) return status;
  *out = no_points(in);
  for (size_t i = 0; i < in->n; i++) {
    const ArLane *lane = &in->lanes[i];
    if (!takes_part(in, lane, label, *out_sm) || !has(lane, OF_TIMES)) continue;
    status = check_types(in, lane, &type);
    if (status < 0) return status;
    if (!ar_points_join(out, &lane->points)) return -MILL_LIMIT;
  }
  size_t measured = 0;
  while (measured < out->n && out->at[measured].n == 0) measured++;
  if (measured == out->n)
    return fail(in, AR_NOTHING, "no row has a time", label ? "of those with the label" : NULL);
  return check_strategies(in, out);
}

static int fail_disputed(const ArInputs *in, const ArCell *cell)
{
  char what[MAX_LIST];
  snprintf(what, sizeof what, "tables differ in the cell %lld,%.60s,%lld,%lld", (long long)cell->tp,
           ar_text(in->common, cell->fusion), (long long)cell->hidden, (long long)cell->tokens);
  return mill_fail(in->common, MILL_BAD_INPUT, what, "give one table of these GPUs");
}

int ar_pick_table(ArInputs *in, const char *label, ArTable *out, int64_t *out_sm)
{
  int status = choose(in, label, OF_TABLES, out_sm);
  if (status < 0) return status;
  *out = (ArTable){ .common = in->common };
  for (size_t i = 0; i < in->n; i++) {
    const ArLane *lane = &in->lanes[i];
    if (!takes_part(in, lane, label, *out_sm) || !has(lane, OF_TABLES)) continue;
    if (!ar_table_join(out, &lane->table)) return -MILL_LIMIT;
  }
  const ArCell *disputed = ar_table_sort(out);
  return disputed ? fail_disputed(in, disputed) : 0;
}
