/* The events of one track event: the slice or instant, its flows, and the counters that it carries. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <math.h>

#include "base/json-write.h"

#define MAX_ATTRS UINT16_MAX
#define MAX_TEXT ((size_t)1 << 20) /* of a batch */

enum { TYPE_NONE = 0, TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

/* --------------------------------------------------------------- batches */
/* NULL: the batch is full. */
MillEvent *event_add(Source *s, MillBatch *b, size_t n_attrs)
{
  if (b->n_events == 0) s->text_len = 0;
  if (b->n_events == b->max_events || s->text_len > MAX_TEXT) return NULL;
  while (b->max_attrs - b->n_attrs < n_attrs)
    if (!s->host->grow_attrs(s->host, b)) return NULL;
  MillEvent *e = &mill_events(b)[b->n_events++];
  *e = (MillEvent){ .dur_ns = -1, .attrs = b->n_attrs };
  return e;
}

static MillAttr *add_attr(MillBatch *b, MillSym key, uint32_t type)
{
  MillAttr *a = &mill_attrs(b)[b->n_attrs++];
  a->key = key;
  a->type = type;
  mill_events(b)[b->n_events - 1].n_attrs++;
  return a;
}

/* ------------------------------------------------------------------ names */
/* Written out as other traces have it: sinks know the rows of metadata by their bytes. */
static GString *row_json(const Source *s, const NameRow *n)
{
  size_t len;
  GString *text = g_string_new(NULL);
  const char *kind = s->common->symbol_text(s->common, n->kind, &len);
  JsonWriter w = { .text = text, .layout = JSON_DENSE };
  json_put_open(&w, NULL, '{');
  json_put_text(&w, "ph", "M");
  json_put_text(&w, "name", kind);
  json_put_int(&w, "pid", n->pid);
  if (n->has_tid) json_put_int(&w, "tid", n->tid);
  json_put_open(&w, "args", '{');
  const char *name = s->common->symbol_text(s->common, n->name, &len);
  json_put_string(&w, "name", name, len);
  json_put_close(&w);
  json_put_close(&w);
  return text;
}

bool event_give_name(Source *s, MillBatch *b)
{
  const NameRow *n = &s->names[s->n_names_given];
  MillEvent *e = event_add(s, b, 1);
  if (!e) return false;
  g_autoptr(GString) text = row_json(s, n);
  e->kind = MILL_META;
  e->flags = MILL_FLAG_NO_TS | MILL_FLAG_OWN_RAW;
  e->name = n->kind;
  e->track = s->host->track(s->host, mill_int(n->pid), n->has_tid ? mill_int(n->tid) : mill_none());
  e->raw_off = s->host->own_text(s->host, b, text->str, text->len);
  e->raw_len = (uint32_t)text->len;
  s->text_len += text->len;
  add_attr(b, s->symbols.name, MILL_SYM)->u.sym = n->name;
  s->n_names_given++;
  return true;
}

/* --------------------------------------------------------------- counters */
static Track *counter_track(Source *s, const Sequence *q, uint64_t uuid, uint32_t *out_row)
{
  uint64_t found = pair_table_get(&s->track_by_uuid, uuid, 0);
  Track *t = found ? s->tracks[found - 1] : NULL;
  if (!t || !t->is_counter) return NULL;
  return track_resolve(s, q, t, out_row) ? t : NULL;
}

/* What an incremental counter has come to.  False: it cannot be known. */
static bool add_up(Track *t, const Sequence *q, int64_t *io_value)
{
  if (!t->is_incremental) return true;
  if (t->sequence != q->id) return false;
  if (t->generation != q->generation) t->last = 0;
  t->generation = q->generation;
  if (__builtin_add_overflow(t->last, *io_value, io_value)) return false;
  t->last = *io_value;
  return true;
}

typedef struct Value {
  bool is_real;
  int64_t number;
  double real;
} Value;

static Value times(Value v, int64_t multiplier)
{
  int64_t number;
  if (!v.is_real && !__builtin_mul_overflow(v.number, multiplier, &number))
    return (Value){ false, number, 0 };
  return (Value){ true, 0, (v.is_real ? v.real : (double)v.number) * (double)multiplier };
}

static bool is_known(Track *t, const Sequence *q, Value *io)
{
  return io->is_real ? isfinite(io->real) : add_up(t, q, &io->number);
}

/* True: it was given or cannot be.  False: the batch is full. */
static bool give_counter(Source *s, MillBatch *b, uint64_t uuid, Value v)
{
  const Todo *d = &s->todo;
  uint32_t row;
  MillEvent *e = event_add(s, b, 1);
  if (!e) return false;
  Track *t = counter_track(s, d->sequence, uuid, &row);
  bool known = t && is_known(t, d->sequence, &v);
  if (known) v = times(v, t->multiplier);
  if (!known || !isfinite(v.real)) {
    source_note(s, PFT_BAD_COUNTER);
    b->n_events--;
    return true;
  }
  e->kind = MILL_COUNTER;
  e->ts_ns = d->ts_ns;
  e->track = row;
  e->name = t->shown;
  MillAttr *a = add_attr(b, t->unit, v.is_real ? MILL_REAL : MILL_INT);
  if (v.is_real)
    a->u.r = v.real;
  else
    a->u.i = v.number;
  return true;
}

static uint64_t extra_track(const uint64_t *own, size_t n_own, const UuidList *usual, size_t i,
                            bool *out_known)
{
  *out_known = n_own ? i < n_own : i < usual->n;
  return !*out_known ? 0 : n_own ? own[i] : usual->all[i];
}

static bool give_extra(Source *s, MillBatch *b, size_t i)
{
  const Todo *d = &s->todo;
  const Pft__TrackEvent *e = d->event;
  bool is_real = i >= d->n_values, known;
  if (is_real) i -= d->n_values;
  uint64_t uuid =
      is_real
          ? extra_track(e->extra_double_counter_track_uuids, e->n_extra_double_counter_track_uuids,
                        &d->sequence->real_counters, i, &known)
          : extra_track(e->extra_counter_track_uuids, e->n_extra_counter_track_uuids,
                        &d->sequence->counters, i, &known);
  if (!known) {
    source_note(s, PFT_BAD_COUNTER);
    return true;
  }
  Value v = { .is_real = is_real };
  if (is_real)
    v.real = e->extra_double_counter_values[i];
  else
    v.number = e->extra_counter_values[i];
  return give_counter(s, b, uuid, v);
}

/* ------------------------------------------------------------------ flows */
static uint64_t flow_id(const Pft__TrackEvent *e, size_t i)
{
  return i < e->n_flow_ids ? e->flow_ids[i] : e->flow_ids_old[i - e->n_flow_ids];
}

static uint64_t end_id(const Pft__TrackEvent *e, size_t i)
{
  return i < e->n_terminating_flow_ids ? e->terminating_flow_ids[i]
                                       : e->terminating_flow_ids_old[i - e->n_terminating_flow_ids];
}

#define FLOW_ENDED UINT64_MAX

/* Of a flow that has begun: when, rising with time, neither 0 nor FLOW_ENDED. */
static uint64_t flow_value(int64_t ts_ns)
{
  return ((uint64_t)MIN(ts_ns, INT64_MAX - 2) ^ (uint64_t)1 << 63) + 1;
}

/* By the order of the file. */
static FlowRole role_by_file(Source *s, uint64_t id, bool is_end)
{
  uint64_t begun = pair_table_get(&s->flows, id, 0), now = flow_value(s->todo.ts_ns);
  uint64_t nth = pair_table_get(&s->flow_counts, id, 0);
  uint32_t role = flow_role(begun && begun != FLOW_ENDED, is_end);
  if ((role == FLOW_GOES_ON || role == FLOW_ENDS) && now < begun) source_note(s, PFT_FLOW_ORDER);
  bool fine = role != FLOW_BEGINS || pair_table_put(&s->flows, id, 0, now);
  if (role == FLOW_ENDS)
    fine = pair_table_put(&s->flows, id, 0, FLOW_ENDED) &&
           pair_table_put(&s->flow_counts, id, 0, nth + 1);
  s->is_refused |= !fine;
  return (FlowRole){ role, (uint32_t)nth };
}

/* Viewers of JSON do not let an id begin again that has ended: later flows have one of their own. */
static uint64_t shown_id(uint64_t id, uint32_t nth)
{
  return nth ? hash_pair(hash_seed_fixed(), id, nth) : id;
}

static bool give_flow(Source *s, MillBatch *b, uint64_t id, bool is_end)
{
  static const uint8_t kinds[] = {
    [FLOW_BEGINS] = MILL_FLOW_START, [FLOW_GOES_ON] = MILL_FLOW_STEP, [FLOW_ENDS] = MILL_FLOW_END
  };
  MillEvent *e = event_add(s, b, 0);
  if (!e) return false;
  bool is_known = s->n_roles_used < s->n_roles;
  FlowRole role = is_known ? s->roles[s->n_roles_used++] : role_by_file(s, id, is_end);
  if (role.what == FLOW_IS_ALONE) {
    source_note(s, PFT_FLOW_ALONE);
    b->n_events--;
    return true;
  }
  e->kind = kinds[role.what];
  e->flags = role.what == FLOW_ENDS ? MILL_FLAG_BIND_END : 0;
  e->ts_ns = s->todo.ts_ns;
  e->track = s->todo.row;
  e->name = s->symbols.flow;
  e->cat = s->symbols.perfetto;
  e->id = shown_id(id, role.nth);
  e->id_kind = MILL_ID_HEX;
  return true;
}

bool event_survey(Source *s)
{
  const Todo *d = &s->todo;
  bool fine = true;
  for (size_t i = 0; i < d->n_flows && fine; i++) fine = survey_add(s, flow_id(d->event, i), false);
  for (size_t i = 0; i < d->n_ends && fine; i++) fine = survey_add(s, end_id(d->event, i), true);
  s->todo.event = NULL;
  return fine;
}

/* ------------------------------------------------------------- the event */
static MillSym name_of(Source *s, const Sequence *q, const Pft__TrackEvent *e)
{
  if (e->has_name) return source_symbol_of(s, &e->name);
  return e->has_name_iid ? sequence_text(s, q, TEXT_NAME, e->name_iid) : 0;
}

static MillSym category_at(Source *s, const Sequence *q, const Pft__TrackEvent *e, size_t i)
{
  if (i < e->n_category_iids) return sequence_text(s, q, TEXT_CATEGORY, e->category_iids[i]);
  return source_symbol_of(s, &e->categories[i - e->n_category_iids]);
}

/* Several become one text, with commas. */
static MillSym category_of(Source *s, const Sequence *q, const Pft__TrackEvent *e)
{
  size_t n = e->n_category_iids + e->n_categories;
  if (n == 0) return 0;
  if (n == 1) return category_at(s, q, e, 0);
  g_autoptr(GString) all = g_string_new(NULL);
  for (size_t i = 0; i < n; i++) {
    size_t len;
    const char *text = s->common->symbol_text(s->common, category_at(s, q, e, i), &len);
    if (i) g_string_append_c(all, ',');
    g_string_append_len(all, text, (gssize)len);
  }
  return s->common->intern(s->common, all->str, all->len);
}

static uint8_t kind_of(const Pft__TrackEvent *e)
{
  switch (e->type) {
  case TYPE_BEGIN: return MILL_BEGIN;
  case TYPE_END: return MILL_END;
  default: return MILL_INSTANT;
  }
}

static bool give_main(Source *s, MillBatch *b)
{
  const Todo *d = &s->todo;
  const Pft__TrackEvent *t = d->event;
  const Value v = { t->has_double_counter_value, t->counter_value, t->double_counter_value };
  if (t->type == TYPE_COUNTER) return give_counter(s, b, d->track->uuid, v);
  size_t n_attrs = MIN(t->n_debug_annotations, MAX_ATTRS);
  MillEvent *e = event_add(s, b, n_attrs);
  if (!e) return false;
  e->kind = kind_of(t);
  e->ts_ns = d->ts_ns;
  e->track = d->row;
  e->name = name_of(s, d->sequence, t);
  e->cat = category_of(s, d->sequence, t);
  for (size_t i = 0; i < n_attrs; i++) annotation_add(s, d->sequence, b, t->debug_annotations[i]);
  if (n_attrs < t->n_debug_annotations) source_note(s, PFT_MANY_ANNOTATIONS);
  return true;
}

/* Flows belong to the slice that is open when they are given: behind a begin, before an end. */
static bool give_step(Source *s, MillBatch *b, size_t step)
{
  const Todo *d = &s->todo;
  size_t n_flows = d->n_flows + d->n_ends;
  size_t main_step = d->event->type == TYPE_END ? n_flows : 0;
  if (step == main_step) return give_main(s, b);
  if (step > n_flows) return give_extra(s, b, step - n_flows - 1);
  if (step > main_step) step--;
  bool is_end = step >= d->n_flows;
  uint64_t id = is_end ? end_id(d->event, step - d->n_flows) : flow_id(d->event, step);
  return give_flow(s, b, id, is_end);
}

bool event_give(Source *s, MillBatch *b)
{
  Todo *d = &s->todo;
  while (d->step < d->n_steps) {
    if (!give_step(s, b, d->step)) return false;
    d->step++;
  }
  d->event = NULL;
  return true;
}

static uint64_t track_of(const Sequence *q, const Pft__TrackEvent *e)
{
  if (e->has_track_uuid) return e->track_uuid;
  return q->has_track ? q->track : 0;
}

/* What keeps the event from being used; 0: nothing. */
static uint32_t fault_of(const Pft__TrackEvent *e, const Track *t, bool has_time)
{
  if (e->type == TYPE_NONE && e->has_legacy_event) return PFT_LEGACY;
  if (e->type == TYPE_NONE || e->type > TYPE_COUNTER) return PFT_NO_TYPE;
  if (!has_time) return PFT_NO_TIME;
  bool is_counter = e->type == TYPE_COUNTER;
  if (is_counter != t->is_counter) return PFT_BAD_COUNTER;
  bool has_value = e->has_counter_value || e->has_double_counter_value;
  return is_counter && !has_value ? PFT_BAD_COUNTER : 0;
}

int event_begin(Source *s, Sequence *q, const Pft__Packet *p, bool has_time, int64_t ts_ns)
{
  const Pft__TrackEvent *e = p->track_event;
  Todo *d = &s->todo;
  if (!has_time && e->has_timestamp_absolute_us)
    has_time = !__builtin_mul_overflow(e->timestamp_absolute_us, 1000, &ts_ns);
  Track *t = track_get(s, track_of(q, e));
  if (!t) return -MILL_LIMIT;
  uint32_t fault = fault_of(e, t, has_time);
  if (fault) {
    source_note(s, fault);
    return 0;
  }
  *d = (Todo){ .event = e, .sequence = q, .track = t, .ts_ns = ts_ns };
  if (!s->is_survey && !track_resolve(s, q, t, &d->row)) return -MILL_LIMIT;
  d->n_flows = e->n_flow_ids + e->n_flow_ids_old;
  d->n_ends = e->n_terminating_flow_ids + e->n_terminating_flow_ids_old;
  d->n_values = e->n_extra_counter_values;
  d->n_reals = e->n_extra_double_counter_values;
  if (e->type == TYPE_COUNTER) d->n_flows = d->n_ends = 0;
  d->n_steps = 1 + d->n_flows + d->n_ends + d->n_values + d->n_reals;
  return d->n_flows + d->n_ends && !s->is_surveyed ? survey_flows(s) : 0;
}
