/* The host table of stages: changing events, summaries, results. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text-put.h"
#include "host/instance.h"
#include "host/kept.h"
#include "host/memory.h"
#include "host/placed.h"
#include "host/row-cells.h"
#include "host/tables.h"
#include "host/verify.h"
#include "plan/facts.h"

enum { READING = PHASE_MERGE | PHASE_LOAD, SUMMARY_LARGE = 64 << 10 };

/* ------------------------------------------------------------------ events */

/* NULL: it is not allowed here, or --verify found that the batch is not as the program left it. */
static Batch *batch_in(Instance *i, uint32_t phases, const MillBatch *b, const char *call)
{
  bool fine = phase_allows(i, phases, call) && (!i->env->verify || verify_batch(i, b));
  return fine ? (Batch *)batch_of_const(b) : NULL;
}

static MillEvent *host_event(const MillStageHost *h, MillBatch *b, uint32_t index)
{
  Batch *batch = batch_in(instance_of_stage(h), PHASE_PROCESS, b, "event");
  return batch ? batch_event(batch, index) : NULL;
}

/* What a stage lets go at once, as in `flush`, may be more than one batch can hold. */
static bool has_room(Instance *i, const Batch *b, uint64_t bytes)
{
  if (batch_has_room(b, bytes)) return true;
  mill_fail(&i->common, MILL_LIMIT, "it puts more than 4 GiB of texts and events into one batch",
            "cut the input with --from and --to");
  return false;
}

/* An id that a stage of the whole gives is one of all lanes: it stays as it is when ranks are merged again. */
static bool is_of_all(const Instance *i) { return i->descriptor->scope == MILL_SCOPE_WHOLE; }

static int host_set(const MillStageHost *h, MillBatch *b, uint32_t index, MillSym key,
                    MillValue value)
{
  Instance *i = instance_of_stage(h);
  Batch *batch = batch_in(i, PHASE_PROCESS, b, "set");
  if (!batch) return -MILL_STAGE_FAILED;
  MillEvent *e = batch_event(batch, index);
  if (!e) return instance_refuse(i, "set an attribute of an event that does not exist", NULL, NULL);
  bool text = value.type == MILL_TEXT || value.type == MILL_JSON;
  if (text && !has_room(i, batch, value.len)) return -MILL_LIMIT;
  if (batch_wants_charge(batch) && !batch_charge(batch, i->env->budget)) return memory_refuse(i);
  if (i->env->verify) verify_set(i, key, &value, e);
  bool always_fine = value.type == MILL_INT || value.type == MILL_SYM; /* as most are */
  if (!always_fine && !instance_takes(i, &value)) return -MILL_STAGE_FAILED;
  if (is_of_all(i)) value.type |= MILL_ATTR_ALL;
  if (i->env->verify) verify_open(i, e);
  bool fits = batch_set_attr(batch, e, key, value);
  if (i->env->verify) verify_hide(i, e);
  if (i->env->verify) verify_moved(i);
  return fits ? 0
              : instance_refuse(i, "set more attributes than an event can have", NULL, NULL);
}

/* False: nothing can be emitted there, and the instance has failed. */
static bool can_emit(Instance *i, const Batch *b, uint32_t after)
{
  if (after == MILL_IN_PLACE && !i->waiting && placed_allowed(i)) i->waiting = placed_new();
  if (after == MILL_IN_PLACE && !i->waiting)
    instance_refuse(i, "emitted an event in its place, but asks for no order of events",
                    "events have a place only where a stage needs order.lane or order.run", NULL);
  else if (!batch_can_emit_after(b, after))
    instance_refuse(i, "emitted after an event that does not exist", NULL, NULL);
  else
    return true;
  return false;
}

static void widen_id(const Instance *i, MillEvent *e)
{
  if (is_of_all(i) && e->id_kind == MILL_ID_INT) e->id_kind = MILL_ID_PAIR;
}

static uint32_t host_emit(const MillStageHost *h, MillBatch *b, uint32_t after, const MillEvent *e)
{
  Instance *i = instance_of_stage(h);
  Batch *batch = batch_in(i, PHASE_PROCESS, b, "emit");
  if (!batch) return MILL_FAILED;
  if (!can_emit(i, batch, after)) return MILL_FAILED;
  if (batch_wants_charge(batch) && !batch_charge(batch, i->env->budget)) {
    memory_refuse(i);
    return MILL_FAILED;
  }
  uint32_t index = batch_emit(batch, after, e);
  MillEvent *fresh = batch_event(batch, index);
  widen_id(i, fresh);
  if (after == MILL_AT_END || (after == MILL_AT_START && !b->n_events)) {
    fresh->seq = i->lane->next_seq++;
    fresh->sub = 0;
  }
  return index;
}

static uint64_t host_keep(const MillStageHost *h, const MillBatch *b, uint32_t index)
{
  Instance *i = instance_of_stage(h);
  Batch *batch = batch_in(i, PHASE_PROCESS | PHASE_OBSERVE, b, "keep");
  if (!batch) return 0;
  const MillEvent *e = batch_event(batch, index);
  if (!e) {
    instance_refuse(i, "kept an event that does not exist", NULL, NULL);
    return 0;
  }
  if (budget_exceeded(i->env->budget)) {
    memory_refuse_for(i, "the events that this stage keeps exceed the memory limit");
    return 0;
  }
  if (i->env->verify) verify_look(i, e);
  uint64_t kept = kept_add(i, b, e);
  if (i->env->verify) verify_hide(i, e);
  return kept;
}

static void host_drop_kept(const MillStageHost *h, uint64_t handle)
{
  Instance *i = instance_of_stage(h);
  if (phase_allows(i, PHASE_PROCESS | PHASE_OBSERVE | PHASE_CLOSE, "drop_kept"))
    kept_drop(i, handle);
}

static uint32_t host_emit_kept(const MillStageHost *h, MillBatch *b, uint32_t after,
                               uint64_t handle)
{
  Instance *i = instance_of_stage(h);
  uint32_t index;
  Batch *batch = batch_in(i, PHASE_PROCESS, b, "emit_kept");
  if (!batch) return MILL_FAILED;
  if (!can_emit(i, batch, after)) return MILL_FAILED;
  if (!has_room(i, batch, kept_bytes(i, handle))) return MILL_FAILED;
  if (batch_wants_charge(batch) && !batch_charge(batch, i->env->budget)) {
    memory_refuse(i);
    return MILL_FAILED;
  }
  if (i->env->verify) verify_open(i, NULL);
  bool emitted = kept_emit(i, batch, after, handle, &index);
  if (i->env->verify) verify_moved(i);
  if (emitted) return index;
  instance_refuse(i, "emitted a kept event that it does not keep", NULL, NULL);
  return MILL_FAILED;
}

static uint32_t host_track(const MillStageHost *h, MillValue process, MillValue thread)
{
  Instance *i = instance_of_stage(h);
  if (!phase_allows(i, PHASE_ON_LANE, "track")) return MILL_FAILED;
  return instance_track(i, i->lane->index, process, thread);
}

static uint32_t host_track_beside(const MillStageHost *h, uint32_t row, MillValue process,
                                  MillValue thread)
{
  Instance *i = instance_of_stage(h);
  if (!phase_allows(i, PHASE_ON_LANE, "track_beside")) return MILL_FAILED;
  uint32_t lane = tracks_get(i->tracks, row)->lane;
  if (lane != MILL_NO_LANE) return instance_track(i, lane, process, thread);
  instance_refuse(i, "asked for a track beside one that does not exist", NULL, NULL);
  return MILL_FAILED;
}

static int host_move_base(const MillStageHost *h, int64_t base_ns)
{
  Instance *i = instance_of_stage(h);
  if (!phase_allows(i, PHASE_DECIDE | PHASE_LOAD, "move_base")) return -MILL_STAGE_FAILED;
  if (!(i->descriptor->flags & MILL_MOVES_BASE))
    return instance_refuse(i, "moved the base without MILL_MOVES_BASE", NULL, NULL);
  if (!i->env->move_base(i->env->run, i->lane, base_ns))
    return mill_fail(h->common, MILL_STAGE_FAILED,
                     "the base of the first lane cannot be moved: other lanes were written by it",
                     "write one file per rank: -o 'NAME-{rank}.json'");
  return 0;
}

/* --------------------------------------------------------------- summaries */

/* Whether something more may be put; false: it has failed. */
static bool may_put(Instance *i, const char *call, size_t bytes)
{
  if (!phase_allows(i, PHASE_SAVE, call)) return false;
  if (bytes < SUMMARY_LARGE ? !budget_is_full(i->env->budget)
                            : budget_fits(i->env->budget, 2 * bytes))
    return true;
  memory_refuse(i);
  return false;
}

static void host_put_int(const MillStageHost *h, int64_t v)
{
  Instance *i = instance_of_stage(h);
  if (may_put(i, "put_int", 0)) summary_put_int(i->summary, v);
}

static void host_put_real(const MillStageHost *h, double v)
{
  Instance *i = instance_of_stage(h);
  if (may_put(i, "put_real", 0)) summary_put_real(i->summary, v);
}

static void host_put_text(const MillStageHost *h, const char *text, size_t len)
{
  Instance *i = instance_of_stage(h);
  if (may_put(i, "put_text", len)) summary_put_text(i->summary, text, len);
}

static int64_t host_get_int(const MillStageHost *h)
{
  Instance *i = instance_of_stage(h);
  return phase_allows(i, READING, "get_int") ? summary_get_int(i->summary) : 0;
}

static double host_get_real(const MillStageHost *h)
{
  Instance *i = instance_of_stage(h);
  return phase_allows(i, READING, "get_real") ? summary_get_real(i->summary) : 0;
}

static const char *host_get_text(const MillStageHost *h, size_t *out_len)
{
  Instance *i = instance_of_stage(h);
  if (phase_allows(i, READING, "get_text")) return summary_get_text(i->summary, out_len);
  if (out_len) *out_len = 0;
  return "";
}

static bool host_get_more(const MillStageHost *h)
{
  Instance *i = instance_of_stage(h);
  return phase_allows(i, READING, "get_more") && summary_more(i->summary);
}

static uint64_t host_get_count(const MillStageHost *h, size_t min_bytes)
{
  Instance *i = instance_of_stage(h);
  return phase_allows(i, READING, "get_count") ? summary_get_count(i->summary, min_bytes) : 0;
}

static uint64_t *host_shared_count(const MillStageHost *h)
{
  Instance *i = instance_of_stage(h);
  return phase_allows(i, READING, "shared_count") ? i->shared_count : NULL;
}

/* ----------------------------------------------------------------- results */

/* A per-run row from a lane, or the other way round, would be lost or counted twice. */
static bool right_level(const Instance *i, uint32_t per)
{
  return i->level == MILL_MERGED || per == (i->level == MILL_LANE ? MILL_PER_LANE : MILL_PER_RUN);
}

static int refuse(Instance *i, const char *why)
{
  return instance_refuse(i, "reported something it did not declare", why, NULL);
}

/* A name may come from a source that did not look at it: what is not UTF-8 becomes U+FFFD, as in a trace. */
static MillValue symbol_cell(Instance *i, MillSym sym)
{
  size_t len;
  const char *text = symbols_text(i->env->symbols, sym, &len), *bad;
  if (text_is_ascii(text, len) || g_utf8_validate_len(text, len, &bad) || !*bad)
    return mill_text(text, len);
  g_autofree char *mended = g_utf8_make_valid(text, (gssize)len);
  text = memory_scratch_text(i, mended);
  return text ? mill_text(text, strlen(text)) : mill_none();
}

enum { FEW_CELLS = 32 };

static int keep_cells(Instance *i, uint32_t table, MillValue *io_cells, uint32_t n)
{
  for (uint32_t c = 0; c < n; c++) {
    if (i->env->verify) verify_value(i, &io_cells[c], NULL);
    if (!instance_takes(i, &io_cells[c])) return -MILL_STAGE_FAILED;
    if (io_cells[c].type == MILL_SYM) io_cells[c] = symbol_cell(i, io_cells[c].u.sym);
  }
  if (budget_is_full(i->env->budget)) return memory_refuse(i);
  const char *wrong = reported_add_row(i->reported, table, io_cells, n);
  return wrong ? refuse(i, wrong) : 0;
}

/* NULL and *out_status: it is not to be filled now. */
static const MillTable *table_to_fill(Instance *i, uint32_t table, const char *call,
                                      int *out_status)
{
  *out_status = -MILL_STAGE_FAILED;
  if (!phase_allows(i, PHASE_REPORT, call)) return NULL;
  if (table >= i->descriptor->n_tables) {
    *out_status = refuse(i, "no such table");
    return NULL;
  }
  const MillTable *t = &i->descriptor->tables[table];
  if (right_level(i, t->per)) return t;
  *out_status = refuse(i, "the table's `per` is not the level of this instance");
  return NULL;
}

static int host_cells(const MillStageHost *h, uint32_t table, const MillValue *cells,
                      uint32_t n_cells)
{
  Instance *i = instance_of_stage(h);
  int status;
  const MillTable *t = table_to_fill(i, table, "cells", &status);
  if (!t) return status;
  if (n_cells != t->columns.n) return refuse(i, "the number of cells is not that of the columns");
  MillValue few[FEW_CELLS];
  g_autofree MillValue *many = n_cells > FEW_CELLS ? g_new(MillValue, n_cells) : NULL;
  MillValue *copy = many ? many : few;
  memcpy(copy, cells, n_cells * sizeof *cells);
  return keep_cells(i, table, copy, n_cells);
}

static int host_row(const MillStageHost *h, uint32_t table, const void *row, size_t size)
{
  Instance *i = instance_of_stage(h);
  int status;
  const MillTable *t = table_to_fill(i, table, "row", &status);
  if (!t) return status;
  if (size != t->columns.at[0].row_size) return refuse(i, "the row is not the struct of its table");
  MillValue few[FEW_CELLS];
  g_autofree MillValue *many = t->columns.n > FEW_CELLS ? g_new(MillValue, t->columns.n) : NULL;
  MillValue *cells = many ? many : few;
  row_cells(t->columns, row, cells);
  return keep_cells(i, table, cells, t->columns.n);
}

static int add_metric(const MillStageHost *h, uint32_t metric, const char *stat, MillValue v,
                      uint64_t n, const char *reason)
{
  Instance *i = instance_of_stage(h);
  if (!phase_allows(i, PHASE_REPORT, reason ? "no_metric" : "metric")) return -MILL_STAGE_FAILED;
  if (metric < i->descriptor->n_metrics && !right_level(i, i->descriptor->metrics[metric].per))
    return refuse(i, "the metric's `per` is not this instance's level");
  if (i->env->verify) verify_value(i, &v, NULL);
  if (!instance_takes(i, &v)) return -MILL_STAGE_FAILED;
  if (budget_is_full(i->env->budget)) return memory_refuse(i);
  const char *wrong = reported_add_metric(i->reported, metric, stat, v, n, reason);
  return wrong ? refuse(i, wrong) : 0;
}

static int host_metric(const MillStageHost *h, uint32_t metric, const char *stat, MillValue v,
                       uint64_t n)
{
  return add_metric(h, metric, stat, v, n, NULL);
}

static int host_no_metric(const MillStageHost *h, uint32_t metric, const char *stat,
                          const char *reason)
{
  return add_metric(h, metric, stat, mill_none(), 0, reason ? reason : "there is no value");
}

static bool host_lane_member(const MillStageHost *h, uint32_t index, bool *out_after,
                             MillValue *out_key, MillValue *out_json)
{
  Instance *i = instance_of_stage(h);
  if (!phase_allows(i, PHASE_SAVE | PHASE_REPORT, "lane_member")) return false;
  if (i->far) return i->far->member(i, index, out_after, out_key, out_json);
  return instance_member(i->lane, index, out_after, out_key, out_json);
}

/* Only what it declares: else nobody could tell from its page what it depends on. */
static bool host_has_fact(const MillStageHost *h, const char *fact)
{
  Instance *i = instance_of_stage(h);
  const Descriptor *d = i->descriptor;
  if (fact_in_list(d->wants, fact) || fact_in_list(d->needs, fact))
    return i->facts && facts_has(i->facts, fact);
  instance_refuse(i, "asked for a fact that it does not declare", fact,
                  "name it in `wants` or `needs`");
  return false;
}

void host_stage_init(MillStageHost *h, const MillHost *common)
{
  *h = (MillStageHost){
    .size = sizeof *h,
    .common = common,
    .event = host_event,
    .set = host_set,
    .emit = host_emit,
    .keep = host_keep,
    .emit_kept = host_emit_kept,
    .drop_kept = host_drop_kept,
    .track = host_track,
    .move_base = host_move_base,
    .put_int = host_put_int,
    .put_real = host_put_real,
    .put_text = host_put_text,
    .get_int = host_get_int,
    .get_real = host_get_real,
    .get_text = host_get_text,
    .get_more = host_get_more,
    .get_count = host_get_count,
    .shared_count = host_shared_count,
    .cells = host_cells,
    .row = host_row,
    .metric = host_metric,
    .no_metric = host_no_metric,
    .track_beside = host_track_beside,
    .lane_member = host_lane_member,
    .has_fact = host_has_fact,
  };
}
