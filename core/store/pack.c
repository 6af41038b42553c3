/* Held events, packed; see pack.h. */
/* SPDX-License-Identifier: MIT */
#include "store/pack.h"

#include <glib.h>
#include <string.h>

/* What dur_ns says that is no duration. */
#define NO_DUR UINT32_MAX
#define LONG_DUR (UINT32_MAX - 1) /* it is in the rest */

#define SEQ_BITS 48
#define PLACE_BITS 48
#define LEN_BITS 28
#define LOW(bits) ((UINT64_C(1) << (bits)) - 1)
#define KEPT_FLAGS \
  0x1eu /* of MillEvent.flags: none that is held was dropped; above them, the kind of id */
#define LEFT_OUT_SHIFT 5 /* of its flag, which is held in the place of that of dropped ones */

/* What a rest has: its first byte. */
enum {
  REST_ID = 1 << 0,
  REST_SUB = 1 << 1,
  REST_DUR = 1 << 2,
  REST_SEQ = 1 << 3,
  REST_LEN = 1 << 4, /* of the raw bytes, when it needs more bits */
  REST_ATTRS = 1 << 5
};

/* Of an attribute: its type, and these. */
enum { ATTR_SET = 1 << 3, ATTR_IN_RAW = 1 << 4, ATTR_ALL = 1 << 5, ATTR_TYPE = 7 };

/* ------------------------------------------------------------------ writing */

struct Packing {
  bool with_raw;
  HeldEvent *events;
  uint32_t n_events, max_events;
  const Origin **origins;
  uint32_t n_origins, max_origins;
  uint8_t *bytes; /* the first is not used: 0 says that there is no rest */
  size_t len, max;
};

Packing *packing_new(bool with_raw)
{
  Packing *p = g_new0(Packing, 1);
  p->with_raw = with_raw;
  p->len = 1;
  return p;
}

void packing_free(Packing *p)
{
  if (!p) return;
  g_free(p->events);
  g_free(p->origins);
  g_free(p->bytes);
  g_free(p);
}

size_t packing_bytes(const Packing *p)
{
  return sizeof(Pack) + p->n_events * sizeof(HeldEvent) + p->n_origins * sizeof(Origin *) + p->len;
}

bool packing_is_full(const Packing *p, uint32_t max_events)
{
  return p->n_events >= max_events || p->len >= BATCH_MAX_OWN || p->n_origins == PACK_ORIGINS;
}

static uint8_t *make_space(Packing *p, size_t len)
{
  if (p->len + len > p->max) {
    p->max = MAX(p->max * 2, p->len + len + 4096);
    p->bytes = g_realloc(p->bytes, p->max);
  }
  uint8_t *to = p->bytes + p->len;
  p->len += len;
  return to;
}

static uint64_t put_bytes(Packing *p, const void *bytes, size_t len)
{
  uint64_t at = p->len;
  if (len) memcpy(make_space(p, len), bytes, len);
  return at;
}

static uint64_t origin_index(Packing *p, const Origin *origin)
{
  for (uint32_t i = p->n_origins; i-- > 0;)
    if (p->origins[i] == origin) return i;
  if (p->n_origins == p->max_origins) {
    p->max_origins = p->max_origins ? p->max_origins * 2 : 4;
    p->origins = g_renew(const Origin *, p->origins, p->max_origins);
  }
  p->origins[p->n_origins] = origin;
  return p->n_origins++;
}

static uint64_t make_place(uint64_t origin, uint64_t offset)
{
  return origin << PLACE_BITS | (offset & LOW(PLACE_BITS));
}

static uint64_t place_raw(Packing *p, const Batch *from, const MillEvent *e)
{
  const Block *block = e->flags & MILL_FLAG_OWN_RAW ? NULL : from->block;
  size_t start = block && block->bytes ? (size_t)(from->pub.raw_ - block->bytes) : 0;
  BlockPlace place = block_place(block, start + e->raw_off);
  if (place.origin) return make_place(origin_index(p, place.origin), place.offset);
  return make_place(PACK_ORIGINS, put_bytes(p, batch_raw(&from->pub, e), e->raw_len));
}

/* Returns the byte after what it puts. */
static inline uint8_t *put_number(uint8_t *to, uint64_t v)
{
  for (; v >= 0x80; v >>= 7) *to++ = (uint8_t)(v | 0x80);
  *to++ = (uint8_t)v;
  return to;
}

/* Small numbers of either sign are short. */
static inline uint8_t *put_signed(uint8_t *to, int64_t v)
{
  return put_number(to, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static bool is_text(uint32_t type) { return type == MILL_TEXT || type == MILL_JSON; }

static bool is_in_raw(const Packing *p, const MillBatch *b, const MillEvent *e, const MillAttr *a)
{
  if (!p->with_raw || !e->raw_len || (a->type & MILL_ATTR_OWN && !(e->flags & MILL_FLAG_OWN_RAW)))
    return false;
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len), *raw = batch_raw(b, e);
  return text >= raw && text + len <= raw + e->raw_len;
}

static uint8_t *put_text(const Packing *p, const MillBatch *b, const MillEvent *e,
                         const MillAttr *a, uint8_t *kind)
{
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len);
  uint8_t *to = kind + 1;
  if (is_in_raw(p, b, e, a)) {
    *kind |= ATTR_IN_RAW;
    return put_number(put_number(to, (uint64_t)(text - batch_raw(b, e))), len);
  }
  to = put_number(to, len);
  if (len) memcpy(to, text, len);
  return to + len;
}

static uint8_t *put_attr(const Packing *p, const MillBatch *b, const MillEvent *e,
                         const MillAttr *a, uint8_t *to)
{
  uint32_t type = a->type & MILL_ATTR_TYPE;
  uint8_t *kind = put_number(to, a->key);
  *kind = (uint8_t)(type | (a->type & MILL_ATTR_SET ? ATTR_SET : 0) |
                    (a->type & MILL_ATTR_ALL ? ATTR_ALL : 0));
  to = kind + 1;
  switch (type) {
  case MILL_TEXT:
  case MILL_JSON: return put_text(p, b, e, a, kind);
  case MILL_REAL: memcpy(to, &a->u.r, sizeof a->u.r); return to + sizeof a->u.r;
  case MILL_SYM: return put_number(to, a->u.sym);
  case MILL_NONE: return to;
  default: return put_signed(to, a->u.i);
  }
}

static uint8_t parts_of(const MillEvent *e)
{
  uint8_t parts = 0;
  if (e->id_kind != MILL_ID_NONE || e->id) parts |= REST_ID;
  if (e->sub) parts |= REST_SUB;
  if (e->dur_ns < -1 || e->dur_ns >= LONG_DUR) parts |= REST_DUR;
  if (e->seq > LOW(SEQ_BITS)) parts |= REST_SEQ;
  if (e->raw_len > LOW(LEN_BITS)) parts |= REST_LEN;
  if (e->n_attrs) parts |= REST_ATTRS;
  return parts;
}

/* The most bytes of a rest without its attributes, and of an attribute without its text. */
#define REST_MOST 64u
#define ATTR_MOST 32u

static size_t rest_bound(const MillBatch *b, const MillEvent *e)
{
  size_t most = REST_MOST + e->n_attrs * ATTR_MOST;
  for (uint32_t i = 0; i < e->n_attrs; i++)
    if (is_text(b->attrs[e->attrs + i].type & MILL_ATTR_TYPE))
      most += b->attrs[e->attrs + i].u.text.len;
  return most;
}

static uint32_t put_rest(Packing *p, const MillBatch *b, const MillEvent *e)
{
  uint8_t parts = parts_of(e);
  size_t at = p->len;
  if (!parts) return 0;
  uint8_t *to = make_space(p, rest_bound(b, e)), *start = to;
  *to++ = parts;
  if (parts & REST_ID) to = put_number(to, e->id);
  if (parts & REST_SUB) to = put_number(to, e->sub);
  if (parts & REST_DUR) to = put_signed(to, e->dur_ns);
  if (parts & REST_SEQ) to = put_number(to, e->seq);
  if (parts & REST_LEN) to = put_number(to, e->raw_len);
  if (parts & REST_ATTRS) to = put_number(to, e->n_attrs);
  for (uint32_t i = 0; i < e->n_attrs; i++) to = put_attr(p, b, e, &b->attrs[e->attrs + i], to);
  p->len = at + (size_t)(to - start);
  return (uint32_t)at;
}

static HeldEvent *next_held(Packing *p)
{
  if (p->n_events == p->max_events) {
    p->max_events = p->max_events ? p->max_events * 2 : 256;
    p->events = g_renew(HeldEvent, p->events, p->max_events);
  }
  return &p->events[p->n_events++];
}

static uint32_t short_dur(int64_t dur_ns)
{
  if (dur_ns == -1) return NO_DUR;
  return dur_ns < 0 || dur_ns >= LONG_DUR ? LONG_DUR : (uint32_t)dur_ns;
}

static uint64_t marks_of(const MillEvent *e)
{
  uint64_t left_out = e->flags >> LEFT_OUT_SHIFT & 1;
  return left_out | (e->flags & KEPT_FLAGS) | (uint64_t)e->id_kind << 5 | (uint64_t)e->dirty << 8;
}

static uint8_t flags_of(uint64_t marks)
{
  return (uint8_t)((marks & KEPT_FLAGS) | (marks & 1) << LEFT_OUT_SHIFT);
}

void packing_add(Packing *p, const Batch *from, const MillEvent *given)
{
  MillEvent e = *given;
  if (!p->with_raw) e.raw_len = 0;
  uint64_t place = e.raw_len ? place_raw(p, from, &e) : 0;
  uint64_t marks = marks_of(&e);
  uint32_t rest = put_rest(p, &from->pub, &e);
  *next_held(p) = (HeldEvent){
    .ts_ns = e.ts_ns,
    .place = place,
    .seq = (e.seq & LOW(SEQ_BITS)) | marks << SEQ_BITS,
    .dur_ns = short_dur(e.dur_ns),
    .raw_len = (uint32_t)(e.raw_len & LOW(LEN_BITS)) | (uint32_t)e.kind << LEN_BITS,
    .name = e.name,
    .cat = e.cat,
    .track = e.track,
    .rest = rest,
  };
}

Pack *packing_finish(Packing *p, uint32_t lane)
{
  if (!p->n_events) return NULL;
  Pack *pack = g_malloc(packing_bytes(p));
  *pack = (Pack){ lane, p->n_events, p->n_origins, (uint32_t)p->len };
  char *to = (char *)(pack + 1);
  memcpy(to, p->events, p->n_events * sizeof *p->events);
  to += p->n_events * sizeof *p->events;
  if (p->n_origins) memcpy(to, p->origins, p->n_origins * sizeof *p->origins);
  to += p->n_origins * sizeof *p->origins;
  if (p->len > 1) memcpy(to + 1, p->bytes + 1, p->len - 1);
  *to = 0;
  p->n_events = p->n_origins = 0;
  p->len = 1;
  return pack;
}

/* ------------------------------------------------------------------ reading */

static const Origin *const *origins(const Pack *p)
{
  return (const Origin *const *)(pack_events(p) + p->n_events);
}

static const uint8_t *bytes_of(const Pack *p)
{
  return (const uint8_t *)(origins(p) + p->n_origins);
}

static inline uint64_t get_number(const uint8_t **at)
{
  uint64_t v = *(*at)++;
  if (v < 0x80) return v;
  v &= 0x7f;
  for (unsigned shift = 7;; shift += 7) {
    uint8_t byte = *(*at)++;
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
}

static inline int64_t get_signed(const uint8_t **at)
{
  uint64_t v = get_number(at);
  return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* Of an event's rest, all but its attributes. */
typedef struct Rest {
  uint64_t id, seq;
  int64_t dur_ns;
  uint32_t raw_len, n_attrs;
  uint16_t sub;
  const uint8_t *attrs;
} Rest;

static Rest read_rest(const Pack *p, const HeldEvent *h)
{
  Rest r = { .seq = h->seq & LOW(SEQ_BITS),
             .dur_ns = h->dur_ns == NO_DUR ? -1 : (int64_t)h->dur_ns,
             .raw_len = (uint32_t)(h->raw_len & LOW(LEN_BITS)) };
  if (!h->rest) return r;
  const uint8_t *at = bytes_of(p) + h->rest;
  uint8_t parts = *at++;
  if (parts & REST_ID) r.id = get_number(&at);
  if (parts & REST_SUB) r.sub = (uint16_t)get_number(&at);
  if (parts & REST_DUR) r.dur_ns = get_signed(&at);
  if (parts & REST_SEQ) r.seq = get_number(&at);
  if (parts & REST_LEN) r.raw_len = (uint32_t)get_number(&at);
  if (parts & REST_ATTRS) r.n_attrs = (uint32_t)get_number(&at);
  r.attrs = at;
  return r;
}

/* True: the text lies in bytes that are elsewhere. */
static bool read_text(const MillEvent *e, const uint8_t **at, uint8_t kind, Batch *to, MillAttr *a)
{
  uint64_t inside = kind & ATTR_IN_RAW ? get_number(at) : 0;
  a->u.text.len = (uint32_t)get_number(at);
  if (kind & ATTR_IN_RAW) {
    a->u.text.off = e->raw_off + (uint32_t)inside;
    a->type |= e->flags & MILL_FLAG_OWN_RAW ? MILL_ATTR_OWN : PACK_ATTR_IN_RAW;
    return a->type & PACK_ATTR_IN_RAW;
  }
  a->u.text.off = batch_own_text(to, (const char *)*at, a->u.text.len);
  a->type |= MILL_ATTR_OWN;
  *at += a->u.text.len;
  return false;
}

static bool read_attr(const MillEvent *e, const uint8_t **at, Batch *to, MillAttr *a)
{
  a->key = (MillSym)get_number(at);
  uint8_t kind = *(*at)++;
  uint32_t type = kind & ATTR_TYPE;
  a->type = type | (kind & ATTR_SET ? MILL_ATTR_SET : 0) | (kind & ATTR_ALL ? MILL_ATTR_ALL : 0);
  a->u.i = 0;
  switch (type) {
  case MILL_TEXT:
  case MILL_JSON: return read_text(e, at, kind, to, a);
  case MILL_REAL:
    memcpy(&a->u.r, *at, sizeof a->u.r);
    *at += sizeof a->u.r;
    break;
  case MILL_SYM: a->u.sym = (MillSym)get_number(at); break;
  case MILL_NONE: break;
  default: a->u.i = get_signed(at);
  }
  return false;
}

static BlockPlace place_of(const Pack *p, const HeldEvent *h)
{
  uint64_t origin = h->place >> PLACE_BITS, offset = h->place & LOW(PLACE_BITS);
  return (BlockPlace){ .origin = origin == PACK_ORIGINS ? NULL : origins(p)[origin],
                       .offset = offset };
}

static void unpack_raw(const Pack *p, const HeldEvent *h, MillEvent *e, Batch *to,
                       BlockPlace *out_place)
{
  *out_place = (BlockPlace){ 0 };
  e->flags &= (uint8_t)~MILL_FLAG_OWN_RAW;
  if (!e->raw_len) return;
  *out_place = place_of(p, h);
  if (out_place->origin) return;
  e->raw_off = batch_own_text(to, (const char *)bytes_of(p) + out_place->offset, e->raw_len);
  e->flags |= MILL_FLAG_OWN_RAW;
}

MillEvent *pack_unpack(const Pack *p, uint32_t index, Batch *to, BlockPlace *out_place,
                       bool *io_texts)
{
  const HeldEvent *h = &pack_events(p)[index];
  Rest r = read_rest(p, h);
  unsigned marks = (unsigned)(h->seq >> SEQ_BITS);
  MillEvent *e = batch_add_event(to);
  *e = (MillEvent){
    .ts_ns = h->ts_ns,
    .dur_ns = r.dur_ns,
    .id = r.id,
    .seq = r.seq,
    .name = h->name,
    .cat = h->cat,
    .track = h->track,
    .raw_len = r.raw_len,
    .n_attrs = (uint16_t)r.n_attrs,
    .kind = (uint8_t)(h->raw_len >> LEN_BITS),
    .flags = flags_of(marks),
    .dirty = (uint8_t)(marks >> 8),
    .id_kind = marks >> 5 & 7,
    .sub = r.sub,
  };
  unpack_raw(p, h, e, to, out_place);
  if (!r.n_attrs) return e;
  e->attrs = to->pub.n_attrs;
  MillAttr *a = batch_add_attrs(to, r.n_attrs);
  for (uint32_t i = 0; i < r.n_attrs; i++) *io_texts |= read_attr(e, &r.attrs, to, &a[i]);
  return e;
}

/* ------------------------------------------------------------------ copying */

static void pass_attr(const uint8_t **at)
{
  uint64_t inline_len = 0;
  get_number(at);
  uint8_t kind = *(*at)++;
  switch (kind & ATTR_TYPE) {
  case MILL_TEXT:
  case MILL_JSON:
    if (kind & ATTR_IN_RAW) get_number(at);
    inline_len = get_number(at);
    *at += kind & ATTR_IN_RAW ? 0 : inline_len;
    break;
  case MILL_REAL: *at += sizeof(double); break;
  case MILL_NONE: break;
  default: get_number(at);
  }
}

static uint32_t copy_rest(Packing *p, const Pack *from, const HeldEvent *h, const Rest *r)
{
  if (!h->rest) return 0;
  const uint8_t *start = bytes_of(from) + h->rest, *end = r->attrs;
  for (uint32_t i = 0; i < r->n_attrs; i++) pass_attr(&end);
  return (uint32_t)put_bytes(p, start, (size_t)(end - start));
}

void packing_copy(Packing *p, const Pack *from, uint32_t index)
{
  HeldEvent h = pack_events(from)[index];
  Rest r = read_rest(from, &h);
  h.rest = copy_rest(p, from, &h, &r);
  if (r.raw_len) {
    BlockPlace place = place_of(from, &h);
    h.place = place.origin ? make_place(origin_index(p, place.origin), place.offset)
                           : make_place(PACK_ORIGINS,
                                        put_bytes(p, bytes_of(from) + place.offset, r.raw_len));
  }
  *next_held(p) = h;
}

/* ------------------------------------------------------------------ ordering */

bool pack_has_ts(const Pack *p, uint32_t index)
{
  return !(pack_events(p)[index].seq >> SEQ_BITS & MILL_FLAG_NO_TS);
}

int64_t pack_dur_ns(const Pack *p, uint32_t index)
{
  const HeldEvent *h = &pack_events(p)[index];
  if (h->dur_ns < LONG_DUR) return (int64_t)h->dur_ns;
  return h->dur_ns == NO_DUR ? -1 : read_rest(p, h).dur_ns;
}

static int compare_signed(int64_t a, int64_t b) { return (a > b) - (a < b); }

int pack_compare(const Pack *a, uint32_t at, const Pack *b, uint32_t bt)
{
  const HeldEvent *x = &pack_events(a)[at], *y = &pack_events(b)[bt];
  int order = compare_signed(pack_has_ts(a, at) ? x->ts_ns : INT64_MIN,
                             pack_has_ts(b, bt) ? y->ts_ns : INT64_MIN);
  if (!order) order = compare_signed(pack_dur_ns(b, bt), pack_dur_ns(a, at));
  if (order) return order;
  Rest r = read_rest(a, x), s = read_rest(b, y);
  if (r.seq != s.seq) return r.seq < s.seq ? -1 : 1;
  return (r.sub > s.sub) - (r.sub < s.sub);
}
