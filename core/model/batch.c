/* Batches as the engine owns them; see batch.h. */
/* SPDX-License-Identifier: MIT */
#include "model/batch.h"

#include <glib.h>
#include <string.h>

Batch *batch_new(uint32_t max_events)
{
  Batch *b = g_new0(Batch, 1);
  b->pub.size = sizeof(MillBatch);
  b->pub.max_events = max_events;
  b->pub.events = g_new(MillEvent, max_events);
  b->pub.own_ = "";
  return b;
}

bool batch_charge(Batch *b, Budget *budget)
{
  uint64_t grown = batch_grown(b) + BATCH_SHARE;
  if (!budget_fits(budget, grown - b->charged)) return false;
  budget_take(budget, USE_EMITTED, grown - b->charged);
  b->charged_to = budget;
  b->charged = grown;
  return true;
}

static void discharge(Batch *b)
{
  if (b->charged) budget_give(b->charged_to, USE_EMITTED, b->charged);
  b->charged = 0;
}

void batch_free(Batch *b)
{
  if (!b) return;
  discharge(b);
  block_unref(b->block);
  g_free(b->pub.events_);
  g_free(b->pub.attrs_);
  if (b->own_max) g_free((char *)b->pub.own_);
  g_free(b->fresh);
  g_free(b->fresh_at);
  g_free(b->spare);
  g_free(b);
}

void batch_reset(Batch *b, uint32_t lane)
{
  discharge(b);
  block_unref(b->block);
  b->block = NULL;
  b->pub.raw_ = "";
  b->pub.lane = lane;
  b->pub.n_events = b->pub.n_attrs = 0;
  b->own_len = 0;
  b->n_fresh = 0;
  b->before = (BatchEnd){ 0 };
  b->next = NULL;
}

MillEvent *batch_event(Batch *b, uint32_t index)
{
  if (!(index & BATCH_EMITTED)) return index < b->pub.n_events ? &b->pub.events_[index] : NULL;
  index &= ~BATCH_EMITTED;
  return index < b->n_fresh ? &b->fresh[index] : NULL;
}

/* `position` is the number of events of the batch that come before it. */
static uint32_t add_fresh(Batch *b, uint32_t position, const MillEvent *e)
{
  if (b->n_fresh == b->max_fresh) {
    b->max_fresh = b->max_fresh ? b->max_fresh * 2 : 64;
    b->fresh = g_renew(MillEvent, b->fresh, b->max_fresh);
    b->fresh_at = g_renew(uint32_t, b->fresh_at, b->max_fresh);
  }
  b->fresh[b->n_fresh] = *e;
  b->fresh_at[b->n_fresh] = position;
  return b->n_fresh++ | BATCH_EMITTED;
}

void batch_take_fresh(Batch *b, const MillEvent *events, const uint32_t *at, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) add_fresh(b, at[i], &events[i]);
}

/* After its parent, and after what was already emitted at the same position. */
static uint16_t next_sub(const Batch *b, uint32_t position, const MillEvent *parent)
{
  uint16_t sub = parent->sub;
  if (b->n_fresh && b->fresh_at[b->n_fresh - 1] == position)
    sub = MAX(sub, b->fresh[b->n_fresh - 1].sub);
  return sub == UINT16_MAX ? sub : (uint16_t)(sub + 1);
}

/* What is emitted after an emitted event takes the position beside it. */
static uint32_t position_after(const Batch *b, uint32_t after)
{
  uint32_t index = after & ~BATCH_EMITTED;
  if (after == MILL_AT_END) return BATCH_AT_END;
  if (after == MILL_IN_PLACE) return BATCH_IN_PLACE;
  if (after == MILL_AT_START) return 0;
  return after & BATCH_EMITTED ? b->fresh_at[index] : after + 1;
}

bool batch_can_emit_after(const Batch *b, uint32_t after)
{
  uint32_t index = after & ~BATCH_EMITTED;
  if (after >= MILL_IN_PLACE && after <= MILL_AT_END) return true;
  return index < (after & BATCH_EMITTED ? b->n_fresh : b->pub.n_events);
}

/* An event that comes before all others of the batch follows the last one of the batch before, so that it is where it
 * would be if both were one.  Before the first batch it goes by the ordinal before the first event. */
static void number_at_start(Batch *b, MillEvent *fresh)
{
  const MillEvent *first = &b->pub.events[0];
  if (!b->pub.n_events) return;
  fresh->seq = first->seq ? first->seq - 1 : 0;
  fresh->sub = UINT16_MAX;
  if (!b->before.known) return;
  if (b->before.sub < UINT16_MAX) b->before.sub++;
  fresh->seq = b->before.seq;
  fresh->sub = b->before.sub;
}

BatchEnd batch_end(const Batch *b)
{
  if (!b->pub.n_events) return b->before;
  const MillEvent *last = &b->pub.events[b->pub.n_events - 1];
  BatchEnd end = { true, last->sub, last->seq };
  for (uint32_t i = 0; i < b->n_fresh; i++)
    if (b->fresh_at[i] == b->pub.n_events && b->fresh[i].seq == end.seq)
      end.sub = MAX(end.sub, b->fresh[i].sub);
  return end;
}

uint32_t batch_emit(Batch *b, uint32_t after, const MillEvent *e)
{
  MillEvent fresh = *e;
  fresh.raw_off = fresh.raw_len = 0;
  fresh.attrs = 0;
  fresh.n_attrs = 0;
  fresh.dirty = 0;
  fresh.flags &= (uint8_t) ~(MILL_FLAG_DROPPED | MILL_FLAG_OWN_RAW | MILL_FLAG_LEFT_OUT);
  uint32_t position = position_after(b, after);
  if (after == MILL_AT_START) {
    number_at_start(b, &fresh);
  } else if (after == MILL_IN_PLACE) {
    fresh.seq = BATCH_NO_SEQ;
    fresh.sub = 0;
  } else if (after != MILL_AT_END) {
    const MillEvent *parent = batch_event(b, after);
    fresh.seq = parent->seq;
    fresh.sub = next_sub(b, position, parent);
  }
  return add_fresh(b, position, &fresh);
}

/* Positions are nearly always ascending; if not, a stable insertion sort repairs it. */
void batch_order_emitted(Batch *b)
{
  for (uint32_t i = 1; i < b->n_fresh; i++) {
    uint32_t position = b->fresh_at[i], j = i;
    if (b->fresh_at[i - 1] <= position) continue;
    MillEvent e = b->fresh[i];
    for (; j > 0 && b->fresh_at[j - 1] > position; j--) {
      b->fresh[j] = b->fresh[j - 1];
      b->fresh_at[j] = b->fresh_at[j - 1];
    }
    b->fresh[j] = e;
    b->fresh_at[j] = position;
  }
}

static bool stays(const MillEvent *e, uint64_t io_dropped[FATES])
{
  if (!(e->flags & MILL_FLAG_DROPPED)) return true;
  io_dropped[fate_of(e)]++;
  return false;
}

static uint32_t merge_fresh(Batch *b, uint64_t io_dropped[FATES])
{
  uint32_t need = b->pub.n_events + b->n_fresh, n = 0, f = 0;
  if (b->max_spare < need) {
    b->max_spare = MAX(need, b->pub.max_events);
    b->spare = g_renew(MillEvent, b->spare, b->max_spare);
  }
  batch_order_emitted(b);
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    for (; f < b->n_fresh && b->fresh_at[f] == i; f++)
      if (stays(&b->fresh[f], io_dropped)) b->spare[n++] = b->fresh[f];
    if (stays(&b->pub.events[i], io_dropped)) b->spare[n++] = b->pub.events[i];
  }
  for (; f < b->n_fresh; f++)
    if (stays(&b->fresh[f], io_dropped)) b->spare[n++] = b->fresh[f];
  MillEvent *events = b->pub.events_;
  uint32_t max = b->pub.max_events;
  b->pub.events = b->spare;
  b->pub.max_events = b->max_spare;
  b->spare = events;
  b->max_spare = max;
  return n;
}

static uint32_t compact(Batch *b, uint64_t io_dropped[FATES])
{
  MillEvent *events = b->pub.events_;
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->pub.n_events; i++)
    if (stays(&events[i], io_dropped)) {
      if (n != i) events[n] = events[i];
      n++;
    }
  return n;
}

void batch_compact(Batch *b, bool may_drop, uint64_t io_dropped[FATES], uint64_t *io_emitted)
{
  uint32_t n;
  if (b->n_fresh)
    n = merge_fresh(b, io_dropped);
  else if (may_drop)
    n = compact(b, io_dropped);
  else
    return;
  *io_emitted += b->n_fresh;
  b->pub.n_events = n;
  b->n_fresh = 0;
}

uint32_t batch_own_text(Batch *b, const char *text, size_t len)
{
  uint32_t off = (uint32_t)b->own_len;
  g_autofree char *old = NULL; /* the text may lie in it */
  if (b->own_len + len > b->own_max) {
    old = b->own_max ? (char *)b->pub.own_ : NULL;
    b->own_max = MAX(b->own_max * 2, b->own_len + len + 1024);
    char *larger = g_malloc(b->own_max);
    if (b->own_len) memcpy(larger, b->pub.own_, b->own_len);
    b->pub.own_ = larger;
  }
  if (len) memcpy((char *)b->pub.own_ + b->own_len, text, len);
  b->own_len += len;
  return off;
}

static MillAttr *reserve_attrs(Batch *b, uint32_t n)
{
  if (b->pub.n_attrs + n > b->pub.max_attrs) {
    b->pub.max_attrs = MAX(b->pub.max_attrs * 2, b->pub.n_attrs + n + 256);
    b->pub.attrs = g_renew(MillAttr, b->pub.attrs, b->pub.max_attrs);
  }
  return &b->pub.attrs_[b->pub.n_attrs];
}

bool batch_grow_attrs(Batch *b)
{
  if (b->pub.max_attrs >= BATCH_MAX_ATTRS && b->pub.n_events) return false;
  reserve_attrs(b, MAX(1024u, b->pub.max_attrs) - b->pub.n_attrs + 1);
  return true;
}

static MillAttr make_attr(Batch *b, MillSym key, MillValue v)
{
  MillAttr a = { .key = key, .type = v.type | MILL_ATTR_SET };
  switch (v.type & MILL_ATTR_TYPE) {
  case MILL_TEXT:
  case MILL_JSON:
    a.type |= MILL_ATTR_OWN;
    a.u.text.off = batch_own_text(b, v.u.text, v.len);
    a.u.text.len = v.len;
    break;
  case MILL_REAL: a.u.r = v.u.r; break;
  case MILL_SYM: a.u.sym = v.u.sym; break;
  default: a.u.i = v.u.i;
  }
  return a;
}

bool batch_set_attr(Batch *b, MillEvent *e, MillSym key, MillValue value)
{
  MillAttr made = make_attr(b, key, value);
  bool placed = false;
  e->dirty |= MILL_DIRTY_ATTRS;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    MillAttr *a = &b->pub.attrs_[e->attrs + i];
    if (a->key != key) continue;
    /* The first value of a list gives way to the new one, the rest to nothing. */
    *a = placed ? (MillAttr){ .key = key, .type = MILL_NONE | MILL_ATTR_SET } : made;
    placed = true;
  }
  if (placed || e->n_attrs == UINT16_MAX) return placed;
  bool at_end = e->attrs + e->n_attrs == b->pub.n_attrs && e->n_attrs;
  MillAttr *to = reserve_attrs(b, (at_end ? 0u : e->n_attrs) + 1u);
  if (!at_end) {
    memcpy(to, &b->pub.attrs[e->attrs], e->n_attrs * sizeof *to);
    e->attrs = b->pub.n_attrs;
    b->pub.n_attrs += e->n_attrs;
  }
  b->pub.attrs_[b->pub.n_attrs++] = made;
  e->n_attrs++;
  return true;
}

bool batch_add_attr(Batch *b, MillSym key, MillValue value)
{
  MillEvent *e = &b->pub.events_[b->pub.n_events - 1];
  if (e->n_attrs == UINT16_MAX) return false;
  MillAttr made = make_attr(b, key, value);
  made.type &= ~(uint32_t)MILL_ATTR_SET;
  MillAttr *to = reserve_attrs(b, 1);
  if (!e->n_attrs) e->attrs = b->pub.n_attrs;
  *to = made;
  b->pub.n_attrs++;
  e->n_attrs++;
  return true;
}

/* Keys that a stage interns one after the other lie close together: a bit for each from the first on. */
typedef struct KeySet {
  const MillSym *keys;
  uint32_t n;
  MillSym first, last;
  uint64_t near_first;
} KeySet;

static KeySet key_set(const MillSym *keys, uint32_t n)
{
  KeySet s = { .keys = keys, .n = n, .first = n ? keys[0] : 1, .last = n ? keys[0] : 0 };
  for (uint32_t i = 0; i < n; i++) {
    s.first = MIN(s.first, keys[i]);
    s.last = MAX(s.last, keys[i]);
  }
  for (uint32_t i = 0; i < n; i++)
    if (keys[i] - s.first < 64) s.near_first |= UINT64_C(1) << (keys[i] - s.first);
  return s;
}

static inline bool has_key(const KeySet *s, MillSym key)
{
  if (key < s->first || key > s->last) return false;
  if (key - s->first < 64) return s->near_first >> (key - s->first) & 1;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->keys[i] == key) return true;
  return false;
}

/* What stages set stands behind what the file has, which needs no second look. */
static void remove_from(Batch *b, MillEvent *e, const KeySet *keys)
{
  MillAttr *attrs = b->pub.attrs_ + e->attrs;
  uint32_t n = 0, n_set = 0, k = 0;
  while (k < e->n_attrs && !(attrs[k].type & MILL_ATTR_SET)) k++;
  for (n = k; k < e->n_attrs; k++) {
    bool set = attrs[k].type & MILL_ATTR_SET;
    if (set && has_key(keys, attrs[k].key)) continue;
    n_set += set;
    attrs[n++] = attrs[k];
  }
  if (n == e->n_attrs) return;
  e->n_attrs = (uint16_t)n;
  if (!n_set) e->dirty &= (uint8_t)~MILL_DIRTY_ATTRS;
}

void batch_remove_attrs(Batch *b, const MillSym *keys, uint32_t n_keys)
{
  const KeySet set = key_set(keys, n_keys);
  for (uint32_t i = 0; i < b->pub.n_events; i++) remove_from(b, &b->pub.events_[i], &set);
}

/* A text inside the event's own raw bytes is found there again; any other is copied. */
static void copy_attr_text(Batch *dst, const MillBatch *src, const MillEvent *e, const char *raw,
                           uint32_t new_raw_off, bool with_raw, MillAttr *a)
{
  const char *text = (a->type & MILL_ATTR_OWN ? src->own_ : src->raw_) + a->u.text.off;
  bool inside = with_raw && e->raw_len && text >= raw && text + a->u.text.len <= raw + e->raw_len;
  a->u.text.off =
      inside ? new_raw_off + (uint32_t)(text - raw) : batch_own_text(dst, text, a->u.text.len);
  a->type |= MILL_ATTR_OWN;
}

static void copy_into(Batch *dst, MillEvent *copy, const MillBatch *src, const MillEvent *e,
                      bool with_raw)
{
  const char *raw = batch_raw(src, e);
  *copy = *e;
  copy->raw_off = 0;
  copy->raw_len = with_raw ? e->raw_len : 0;
  if (copy->raw_len) {
    copy->raw_off = batch_own_text(dst, raw, e->raw_len);
    copy->flags |= MILL_FLAG_OWN_RAW;
  }
  if (!e->n_attrs) return;
  MillAttr *to = reserve_attrs(dst, e->n_attrs);
  copy->attrs = dst->pub.n_attrs;
  memcpy(to, &src->attrs[e->attrs], e->n_attrs * sizeof *to);
  dst->pub.n_attrs += e->n_attrs;
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    uint32_t type = to[i].type & MILL_ATTR_TYPE;
    if (type == MILL_TEXT || type == MILL_JSON)
      copy_attr_text(dst, src, e, raw, copy->raw_off, with_raw, &to[i]);
  }
}

MillEvent *batch_add_event(Batch *b)
{
  if (b->pub.n_events == b->pub.max_events) {
    b->pub.max_events *= 2;
    b->pub.events = g_renew(MillEvent, b->pub.events, b->pub.max_events);
  }
  return &b->pub.events_[b->pub.n_events++];
}

MillAttr *batch_add_attrs(Batch *b, uint32_t n)
{
  MillAttr *to = reserve_attrs(b, n);
  b->pub.n_attrs += n;
  return to;
}

MillEvent *batch_copy_event(Batch *dst, const MillBatch *src, const MillEvent *e, bool with_raw)
{
  MillEvent *copy = batch_add_event(dst);
  copy_into(dst, copy, src, e, with_raw);
  return copy;
}

uint32_t batch_emit_copy(Batch *b, uint32_t after, const MillBatch *src, const MillEvent *e)
{
  uint32_t index = add_fresh(b, position_after(b, after), e);
  copy_into(b, &b->fresh[index & ~BATCH_EMITTED], src, e, true);
  return index;
}
