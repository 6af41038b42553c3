/* --verify around the calls that see batches; see verify.h.  The ids are documented in docs/write-a-stage.md. */
/* SPDX-License-Identifier: MIT */
#include "host/verify.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text-put.h"
#include "host/verify-view.h"

#define FENCE_BYTE 0xa5
#define FENCE 4u /* attributes after those in use that nobody may write */

typedef struct Verify { /* the batch of a call */
  Batch *at;
  MillBatch was; /* before the call */
  MillBatch now; /* with what the program itself did in it since */
  View view;
  const MillAttr
      *fenced; /* attributes with a fence after these many, of so many; NULL: there is none */
  uint32_t n_fenced, max_fenced;
  MillEvent *events;
  MillAttr *attrs;
  guint raw_sum;
} Verify;

/* ------------------------------------------------------------ before a call */

static uint32_t fence_of(uint32_t n, uint32_t max) { return MIN(FENCE, max - n); }

/* Attributes that the program adds to have room after them, and no page that guards them. */
static void put_fence(Verify *v, Batch *b)
{
  MillBatch *p = &b->pub;
  v->fenced = p->attrs;
  v->n_fenced = p->n_attrs;
  v->max_fenced = p->max_attrs;
  if (p->attrs)
    memset(p->attrs_ + p->n_attrs, FENCE_BYTE,
           fence_of(p->n_attrs, p->max_attrs) * sizeof *p->attrs);
}

static bool is_fence(const void *at, size_t bytes)
{
  const unsigned char *p = at;
  for (size_t k = 0; k < bytes; k++)
    if (p[k] != FENCE_BYTE) return false;
  return true;
}

/* The bytes of events are pages of the input: nobody else would see that they changed. */
static guint sum_raw(const MillBatch *b, const MillEvent *events, uint32_t n)
{
  guint sum = 5381;
  for (uint32_t k = 0; k < n; k++) {
    size_t len;
    const char *raw = mill_raw(b, &events[k], &len);
    for (size_t at = 0; raw && at < len; at++) sum = sum * 33 + (unsigned char)raw[at];
  }
  return sum;
}

void verify_before(Instance *i, Batch *b)
{
  Verify *v = i->verify = g_new0(Verify, 1);
  v->at = b;
  v->events = g_memdup2(b->pub.events, b->pub.n_events * sizeof(MillEvent));
  v->attrs = g_memdup2(b->pub.attrs, b->pub.n_attrs * sizeof(MillAttr));
  v->raw_sum = sum_raw(&b->pub, b->pub.events, b->pub.n_events);
  view_begin(&v->view, i, b);
  v->was = v->now = b->pub;
}

static void verify_free(Instance *i)
{
  view_end(&i->verify->view, i->verify->at);
  g_free(i->verify->events);
  g_free(i->verify->attrs);
  g_clear_pointer(&i->verify, g_free);
}

/* ---------------------------------------------------------- what a batch says */

bool verify_batch(Instance *i, const MillBatch *b)
{
  const Verify *v = i->verify;
  if (!v || b != &v->at->pub)
    verify_broken(i, "foreign-batch", "used a batch that is not the one of the call", NULL);
  else if (b->n_events != v->now.n_events)
    verify_broken(i, "batch-size", "changed the number of events in a batch", NULL);
  else if (memcmp(b, &v->now, sizeof *b) != 0)
    verify_broken(i, "frozen-batch", "changed the header of a batch", NULL);
  else
    return true;
  return false;
}

void verify_left_out(Instance *i, uint32_t index)
{
  if (index < i->verify->was.n_events) i->verify->events[index].flags |= MILL_FLAG_LEFT_OUT;
}

void verify_open(Instance *i, const MillEvent *e)
{
  Verify *v = i->verify;
  bool guarded = v->view.attrs != NULL;
  view_leave_attrs(&v->view, v->at);
  if (guarded) put_fence(v, v->at);
  if (e) view_reveal(&v->view, v->at, e);
}

void verify_look(Instance *i, const MillEvent *e)
{
  view_reveal(&i->verify->view, i->verify->at, e);
}

void verify_hide(Instance *i, const MillEvent *e)
{
  view_hide(&i->verify->view, i, i->verify->at, e);
}

void verify_moved(Instance *i) { i->verify->now = i->verify->at->pub; }

/* ------------------------------------------------------------- after a call */

/* Attributes from n on, as far as the fence went up. */
static bool fence_intact(const Verify *v, uint32_t n)
{
  uint32_t end = v->n_fenced + fence_of(v->n_fenced, v->max_fenced);
  return n >= end || is_fence(v->fenced + n, (end - n) * sizeof *v->fenced);
}

static void check_bytes(Instance *i, const Verify *v, const MillBatch *p)
{
  const MillBatch *was = &v->was;
  if (v->fenced && p->attrs == v->fenced && !fence_intact(v, p->n_attrs))
    verify_broken(i, "past-the-end", "wrote past the attributes of a batch", NULL);
  if (v->raw_sum != sum_raw(p, v->events, was->n_events))
    verify_broken(i, "raw-bytes", "wrote into the bytes of an event as read", NULL);
}

static void check_kind(Instance *i, const MillEvent *e)
{
  if (e->kind >= MILL_N_KINDS)
    verify_broken(i, "bad-kind", "gave an event a kind that does not exist", e);
}

/* What a helper of the header never writes.  Durations may be any number: inputs have them. */
static const char *odd_field(const MillEvent *e)
{
  const uint8_t known = MILL_FLAG_DROPPED | MILL_FLAG_NO_TS | MILL_FLAG_OWN_RAW |
                        MILL_FLAG_INEXACT | MILL_FLAG_BIND_END | MILL_FLAG_LEFT_OUT;
  if (e->flags & (uint8_t)~known) return "gave an event flags that do not exist";
  return e->id_kind > MILL_ID_PAIR ? "gave an event an id of a kind that does not exist" : NULL;
}

static void check_fields(Instance *i, const MillEvent *e)
{
  const char *odd = odd_field(e);
  if (odd) verify_broken(i, "bad-field", odd, e);
}

static void check_names(Instance *i, const MillEvent *e)
{
  uint32_t n_symbols = symbols_count(i->env->symbols);
  if (e->track >= tracks_count(i->tracks))
    verify_broken(i, "unknown-track", "gave an event a track that does not exist", e);
  if (e->name >= n_symbols || e->cat >= n_symbols)
    verify_broken(i, "unknown-symbol", "gave an event a name that is not a symbol", e);
}

static void check_event(Instance *i, const MillEvent *was, const MillEvent *is)
{
  struct {
    bool changed;
    uint8_t dirty;
    const char *what;
  } fields[] = {
    { was->ts_ns != is->ts_ns || (was->flags ^ is->flags) & MILL_FLAG_NO_TS, MILL_DIRTY_TS,
      "changed ts_ns without mill_set_ts" },
    { was->dur_ns != is->dur_ns, MILL_DIRTY_DUR, "changed dur_ns without mill_set_dur" },
    { was->name != is->name, MILL_DIRTY_NAME, "changed name without mill_set_name" },
    { was->cat != is->cat, MILL_DIRTY_CAT, "changed cat without mill_set_cat" },
    { was->track != is->track, MILL_DIRTY_TRACK, "changed track without mill_set_track" },
    { was->id != is->id || was->id_kind != is->id_kind, MILL_DIRTY_ID,
      "changed id without mill_set_id" },
    { was->kind != is->kind, MILL_DIRTY_KIND, "changed kind without mill_set_kind" },
    { was->attrs != is->attrs || was->n_attrs != is->n_attrs, MILL_DIRTY_ATTRS,
      "changed attributes by hand" },
  };
  uint8_t flags = was->flags ^ is->flags;
  for (size_t f = 0; f < G_N_ELEMENTS(fields); f++)
    if (fields[f].changed && !(is->dirty & fields[f].dirty))
      verify_broken(i, "unmarked-change", fields[f].what, is);
  if (was->seq != is->seq || was->sub != is->sub || was->raw_off != is->raw_off ||
      was->raw_len != is->raw_len || flags & (MILL_FLAG_OWN_RAW | MILL_FLAG_LEFT_OUT))
    verify_broken(i, "frozen-field", "changed a field that belongs to the program", is);
  if ((i->descriptor->flags & MILL_READ_ONLY) && memcmp(was, is, sizeof *was) != 0)
    verify_broken(i, "read-only", "claims MILL_READ_ONLY but changed an event", is);
  if ((is->flags & MILL_FLAG_DROPPED) && !(i->descriptor->flags & MILL_MAY_DROP))
    verify_broken(i, "undeclared-drop", "dropped an event without MILL_MAY_DROP", is);
  if (was->dirty & ~is->dirty)
    verify_broken(i, "unmarked-change", "took back the mark of a change", is);
  if (was->kind != is->kind) check_kind(i, is);
  if (memcmp(was, is, sizeof *was)) check_fields(i, is);
  if (was->track != is->track || was->name != is->name || was->cat != is->cat) check_names(i, is);
}

static bool has_attrs(const MillBatch *p, const MillEvent *e)
{
  return !e->n_attrs || (uint64_t)e->attrs + e->n_attrs <= p->n_attrs;
}

/* Values that `set` did not write: the event is not marked, yet they differ. */
static void check_attrs(Instance *i, const Verify *v, const MillBatch *p, uint32_t k)
{
  const MillEvent *was = &v->events[k], *is = &p->events[k];
  if (!has_attrs(p, is)) verify_broken(i, "unmarked-change", "changed attributes by hand", is);
  if (i->broken || is->dirty & MILL_DIRTY_ATTRS || !was->n_attrs) return;
  if (memcmp(&v->attrs[was->attrs], &p->attrs[was->attrs], was->n_attrs * sizeof(MillAttr)) != 0)
    verify_broken(i, "unmarked-change", "changed an attribute by hand", is);
}

/* What was emitted, with what the stage did to it after that. */
static void check_fresh(Instance *i, const Batch *b)
{
  if (b->n_fresh && !(i->descriptor->flags & MILL_MAY_EMIT))
    verify_broken(i, "undeclared-emit", "emitted an event without MILL_MAY_EMIT", NULL);
  for (uint32_t k = 0; k < b->n_fresh && !i->broken; k++) {
    check_kind(i, &b->fresh[k]);
    check_fields(i, &b->fresh[k]);
    check_names(i, &b->fresh[k]);
  }
}

Error *verify_after(Instance *i, Batch *b)
{
  Verify *v = i->verify;
  if (!verify_batch(i, &b->pub)) b->pub = v->now;
  view_reveal_all(&v->view, b);
  check_bytes(i, v, &b->pub);
  for (uint32_t k = 0; k < v->was.n_events && !i->broken; k++) {
    check_event(i, &v->events[k], &b->pub.events[k]);
    check_attrs(i, v, &b->pub, k);
  }
  check_fresh(i, b);
  verify_free(i);
  return g_steal_pointer(&i->error);
}

/* Where bytes of a batch end: those that were read, and those that were copied. */
static uint64_t end_of_bytes(const Batch *b, bool own)
{
  if (own) return b->own_len;
  return b->block ? (uint64_t)(b->block->bytes + b->block->max - b->pub.raw_) : 0;
}

static void check_attr(Instance *i, const Batch *b, const MillEvent *e, const MillAttr *a)
{
  MillValue v = { .type = a->type & MILL_ATTR_TYPE, .u.r = a->u.r };
  bool text = v.type == MILL_TEXT || v.type == MILL_JSON;
  const char *odd = verify_number(&v);
  if (odd) verify_broken(i, "bad-value", odd, e);
  if (a->key >= symbols_count(i->env->symbols) ||
      (v.type == MILL_SYM && a->u.sym >= symbols_count(i->env->symbols)))
    verify_broken(i, "unknown-symbol", "gave an attribute a name or a value that is not a symbol",
                  e);
  if (text && (uint64_t)a->u.text.off + a->u.text.len > end_of_bytes(b, a->type & MILL_ATTR_OWN))
    verify_broken(i, "past-the-end", "gave an attribute a text that the batch does not have", e);
}

static void check_read(Instance *i, const Batch *b, const MillEvent *e)
{
  check_kind(i, e);
  check_fields(i, e);
  check_names(i, e);
  if (e->flags & (MILL_FLAG_DROPPED | MILL_FLAG_LEFT_OUT))
    verify_broken(i, "bad-field", "gave an event that it has dropped itself", e);
  if (e->raw_len &&
      (uint64_t)e->raw_off + e->raw_len > end_of_bytes(b, e->flags & MILL_FLAG_OWN_RAW))
    verify_broken(i, "past-the-end", "gave an event bytes that the batch does not have", e);
  if (!has_attrs(&b->pub, e))
    verify_broken(i, "past-the-end", "gave an event attributes that the batch does not have", e);
  else
    for (uint32_t k = 0; k < e->n_attrs; k++) check_attr(i, b, e, &b->pub.attrs[e->attrs + k]);
}

Error *verify_read(Instance *i, const Batch *b)
{
  for (uint32_t k = 0; k < b->pub.n_events && !i->broken; k++) check_read(i, b, &b->pub.events[k]);
  verify_claims(i, &b->pub);
  return g_steal_pointer(&i->error);
}

static bool same_bytes(const void *a, const void *b, size_t len)
{
  return len == 0 || memcmp(a, b, len) == 0;
}

Error *verify_after_observe(Instance *i, Batch *b)
{
  const Verify *v = i->verify;
  const MillBatch *was = &v->was;
  bool same = !memcmp(was, &b->pub, sizeof *was);
  if (!same) b->pub = *was;
  view_reveal_all(&v->view, b);
  same = same && same_bytes(was->events, v->events, was->n_events * sizeof(MillEvent)) &&
         same_bytes(was->attrs, v->attrs, was->n_attrs * sizeof(MillAttr));
  if (!same)
    verify_broken(i, "observe-changes", "changed a batch that it only looks at", NULL);
  else
    check_bytes(i, v, was);
  verify_free(i);
  return g_steal_pointer(&i->error);
}

/* ---------------------------------------------------------- what is handed over */

/* GLib takes no NUL for a character; names in traces may hold one. */
static bool is_utf8(const char *text, size_t len)
{
  const char *end = text + len, *bad;
  if (text && text_is_ascii(text, len)) return true;
  while (text && text < end && !g_utf8_validate_len(text, (gsize)(end - text), &bad)) {
    if (*bad) return false;
    text = bad + 1;
  }
  return text || !len;
}

const char *verify_text(const MillValue *v)
{
  if (v->type != MILL_TEXT && v->type != MILL_JSON) return NULL;
  if (!is_utf8(v->u.text, v->len)) return "gave a text that is not UTF-8";
  if (v->type == MILL_TEXT || json_check(v->u.text, v->len, NULL, NULL)) return NULL;
  return "gave as JSON what is not valid JSON";
}

const char *verify_number(const MillValue *v)
{
  if (v->type > MILL_JSON) return "gave a value of a type that does not exist";
  bool finite = v->type != MILL_REAL || isfinite(v->u.r);
  return finite ? NULL : "gave a number that is not finite";
}

void verify_value(Instance *i, const MillValue *v, const MillEvent *e)
{
  const char *fault = verify_text(v), *odd = verify_number(v);
  if (odd) verify_broken(i, "bad-value", odd, e);
  if (fault) verify_broken(i, "bad-text", fault, e);
  if (v->type == MILL_SYM && v->u.sym >= symbols_count(i->env->symbols))
    verify_broken(i, "unknown-symbol", "gave a value that is not a symbol", e);
}

void verify_set(Instance *i, MillSym key, const MillValue *v, const MillEvent *e)
{
  if (key >= symbols_count(i->env->symbols))
    verify_broken(i, "unknown-symbol", "set an attribute whose name is not a symbol", e);
  verify_value(i, v, e);
}
