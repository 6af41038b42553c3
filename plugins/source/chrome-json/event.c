/* One event's head: the hot path of the whole program, which allocates nothing. */
/* SPDX-License-Identifier: MIT */
#include "values.h"

/* ------------------------------------------------------------------- keys */
/* The number of the key (a SEEN_ bit), 0 when it is none of ours. */
INLINE uint32_t key_bit(const char *p, size_t *out_len)
{
  switch (scan_load24(p)) {
  case SCAN_KEY3('p', 'h', '"'): *out_len = 2; return SEEN_PH;
  case SCAN_KEY3('t', 's', '"'): *out_len = 2; return SEEN_TS;
  case SCAN_KEY3('i', 'd', '"'): *out_len = 2; return SEEN_ID;
  case SCAN_KEY3('b', 'p', '"'): *out_len = 2; return SEEN_BP;
  case SCAN_KEY3('d', 'u', 'r'): *out_len = 3; return p[3] == '"' ? SEEN_DUR : 0;
  case SCAN_KEY3('p', 'i', 'd'): *out_len = 3; return p[3] == '"' ? SEEN_PID : 0;
  case SCAN_KEY3('t', 'i', 'd'): *out_len = 3; return p[3] == '"' ? SEEN_TID : 0;
  case SCAN_KEY3('c', 'a', 't'): *out_len = 3; return p[3] == '"' ? SEEN_CAT : 0;
  case SCAN_KEY3('n', 'a', 'm'): *out_len = 4; return p[3] == 'e' && p[4] == '"' ? SEEN_NAME : 0;
  case SCAN_KEY3('a', 'r', 'g'): *out_len = 4; return p[3] == 's' && p[4] == '"' ? SEEN_ARGS : 0;
  case SCAN_KEY3('a', 't', 't'): *out_len = 4; return p[3] == 'r' && p[4] == '"' ? SEEN_ATTR : 0;
  default: return 0;
  }
}

/* A key that is none of ours as it is: passed, or recognised after its escapes. */
static const char *other_key(Source *s, Head *h, const char *p, const char *end, uint32_t *out_bit)
{
  unsigned flags = 0;
  const char *quote = skip_string(h, p - 1, end, &flags);
  *out_bit = 0;
  if (!quote || !(flags & SCAN_ESCAPED)) return quote;
  if (!h->valid) return NULL;
  const GString *text = jsn_unescape(s, p, (size_t)(quote - p));
  char key[8] = "";
  size_t len;
  if (text->len > 4) return quote;
  memcpy(key, text->str, text->len);
  key[text->len] = '"';
  *out_bit = key_bit(key, &len);
  if (*out_bit && len != text->len) *out_bit = 0;
  return quote;
}

INLINE const char *read_start(Source *s, Head *h, const char *p, const char *end,
                              const Units *units)
{
  int64_t ns;
  bool found;
  p = read_time(s, h, p, end, &found, &ns, units);
  if (!p || !found || is_absurd(ns)) return p;
  h->event->ts_ns = ns;
  h->event->flags = (uint8_t)(h->event->flags & ~MILL_FLAG_NO_TS);
  return p;
}

INLINE const char *read_duration(Source *s, Head *h, const char *p, const char *end,
                                 const Units *units)
{
  int64_t ns;
  bool found;
  p = read_time(s, h, p, end, &found, &ns, units);
  if (!p || !found) return p;
  if (ns < 0) h->notes |= NOTE_BIT(JSN_NEGATIVE_DUR);
  h->event->dur_ns = ns < 0 ? -1 : ns;
  return p;
}

static const char *read_member(Source *s, Head *h, uint32_t bit, const char *p, const char *end)
{
  MillEvent *e = h->event;
  switch (bit) {
  case SEEN_PH: return read_phase(s, h, p, end);
  case SEEN_NAME: return read_name(s, h, p, end, &e->name);
  case SEEN_CAT: return read_cat(s, h, p, end);
  case SEEN_PID: return read_same_row(s, h, &s->process, p, end, &h->process);
  case SEEN_TID: return read_same_row(s, h, &s->thread, p, end, &h->thread);
  case SEEN_TS: return read_start(s, h, p, end, &plain_units);
  case SEEN_DUR: return read_duration(s, h, p, end, &plain_units);
  case SEEN_ARGS: return read_args(s, h, p, end);
  case SEEN_ATTR: return read_attr(s, h, p, end);
  case SEEN_ID: return read_id(s, h, p, end);
  case SEEN_BP: return read_binding(s, h, p, end);
  default: return skip_value(s, h, p, end);
  }
}

/* What a second value of the same key must not inherit from the first. */
static void forget_member(Head *h, uint32_t bit)
{
  h->notes |= NOTE_BIT(JSN_DUPLICATE_KEY);
  if (bit == SEEN_TS) {
    h->event->ts_ns = 0;
    h->event->flags |= MILL_FLAG_NO_TS;
  }
  if (bit == SEEN_DUR) h->event->dur_ns = -1;
  if (bit == SEEN_PID) h->process = mill_none();
  if (bit == SEEN_TID) h->thread = mill_none();
}

INLINE const char *after_colon(const char *p)
{
  if (*p != ':') {
    p = scan_space(p);
    if (*p != ':') return NULL;
  }
  p++;
  return (unsigned char)*p > ' ' ? p : scan_space(p);
}

/* From after '{', or the value before, to the value of the next member, or after '}': then
 * *out_over. */
static const char *next_member(Source *s, Head *h, const char *p, const char *end, bool first,
                               uint32_t *out_bit, bool *out_over)
{
  size_t key_len = 0;
  p = scan_space(p);
  *out_over = *p == '}';
  if (*out_over) return p + 1;
  if (!first && *p++ != ',') return NULL;
  p = scan_space(p);
  if (*p != '"') return NULL;
  *out_bit = key_bit(++p, &key_len);
  p = *out_bit ? p + key_len : other_key(s, h, p, end, out_bit);
  return p ? after_colon(p + 1) : NULL;
}

/* From '{' to after '}'. */
static const char *read_members(Source *s, Head *h, const char *p, const char *end,
                                Passage *passage)
{
  uint32_t bit;
  bool over;
  passage->start = p++;
  for (passage->n = 0;; passage->n++) {
    p = next_member(s, h, p, end, passage->n == 0, &bit, &over);
    if (over) return passage->end = p;
    if (!p) return NULL;
    if (bit & h->seen) {
      if (!h->valid) return NULL;
      forget_member(h, bit);
    }
    h->seen |= bit;
    Passed *m = &passage->members[MIN(passage->n, SHAPE_MEMBERS - 1)];
    *m = (Passed){ .value = p, .bit = bit };
    m->after = p = read_member(s, h, bit, p, end);
    if (!p) return NULL;
  }
}

/* Most events are on the row of the one before. */
INLINE uint32_t track_of(Source *s, const Head *h)
{
  bool same = s->has_last_track && h->process.type == s->last_process.type &&
              h->process.u.i == s->last_process.u.i && h->thread.type == s->last_thread.type &&
              h->thread.u.i == s->last_thread.u.i;
  if (same) return s->last_track;
  s->last_process = h->process;
  s->last_thread = h->thread;
  s->has_last_track = true;
  return s->last_track = jsn_track(s, h->process, h->thread);
}

void jsn_tell(Source *s, uint32_t notes, const MillBatch *batch, uint32_t index)
{
  for (; notes; notes &= notes - 1)
    s->common->note(s->common, JSN_FIX_FIRST + (uint32_t)__builtin_ctz(notes), batch, index, NULL,
                    0);
}

/* Member by member: to clear a whole Head, compilers use an instruction that is slow. */
INLINE void begin(Head *h, const Text *text, MillBatch *batch, uint32_t notes)
{
  MillEvent *e = &mill_events(batch)[batch->n_events];
  memset(e, 0, sizeof *e);
  e->dur_ns = -1;
  e->flags = MILL_FLAG_NO_TS;
  e->attrs = batch->n_attrs;
  h->event = e;
  h->text = text;
  h->batch = batch;
  memset(&h->process, 0, sizeof h->process); /* MILL_NONE */
  memset(&h->thread, 0, sizeof h->thread);
  h->args = h->args_end = h->attr = NULL;
  h->notes = notes;
  h->seen = 0;
  h->decoded_as = MILL_N_KINDS;
  h->status = EVENT_DONE;
  h->odd = false;
  h->valid = text->valid;
}

/* A slice without a start or a length is part of no interval, so that it must be of no sum either. */
static void judge_slice(Head *h)
{
  const uint32_t told = NOTE_BIT(JSN_BAD_TIME) | NOTE_BIT(JSN_CLIPPED);
  bool no_start = h->event->flags & MILL_FLAG_NO_TS;
  h->event->dur_ns = -1;
  if (h->notes & (no_start ? told : told | NOTE_BIT(JSN_NEGATIVE_DUR))) return;
  h->notes |= no_start ? NOTE_BIT(JSN_NO_START) : NOTE_BIT(JSN_NO_DUR);
}

/* Its own bytes are not what is to be written. */
static void want_microseconds(MillEvent *e)
{
  if (!(e->flags & MILL_FLAG_NO_TS)) e->dirty |= MILL_DIRTY_TS;
  if (e->dur_ns >= 0) e->dirty |= MILL_DIRTY_DUR;
}

/* What is left to do when all members have been read. */
INLINE void complete(Source *s, Head *h, const char *p, const char *after)
{
  MillEvent *e = h->event;
  e->seq = s->n_events++;
  e->raw_off = h->text->off + (uint32_t)(p - h->text->base);
  e->raw_len = (uint32_t)(after - p);
  if (h->text->own) e->flags |= MILL_FLAG_OWN_RAW;
  if (e->track == JSN_FOREIGN) {
    h->batch->n_attrs = e->attrs;
    return;
  }
  if (s->decimals != JSN_MICROSECONDS) want_microseconds(e);
  if (e->kind == MILL_SLICE && (e->dur_ns < 0 || e->flags & MILL_FLAG_NO_TS)) judge_slice(h);
  uint32_t index = h->batch->n_events++;
  if (h->notes) jsn_tell(s, h->notes, h->batch, index);
}

static void learn(Source *s, const Head *h, const Passage *passage)
{
  const MillEvent *e = h->event;
  Passage opened;
  Steady steady = { .process = h->process,
                    .thread = h->thread,
                    .cat = e->cat,
                    .track = e->track,
                    .kind = e->kind,
                    .bind_end = e->flags & MILL_FLAG_BIND_END };
  bool open = !(s->shapes.loose & SEEN_ARGS) && s->n_events >= s->shapes.rest &&
              jsn_open_object(s, passage, &opened);
  shapes_learn(&s->shapes, open ? &opened : passage, &steady, s->n_events);
}

static EventStatus event_by_members(Source *s, Head *h, const char *p, const char *end,
                                    const char **out_end)
{
  MillEvent *e = h->event;
  uint32_t notes = h->notes;
  Passage passage;
  const char *after = read_members(s, h, p, end, &passage);
  if (!after || (h->odd && !h->valid) || !finish_args(s, h)) {
    h->batch->n_attrs = e->attrs;
    return h->status == EVENT_DONE ? EVENT_ODD : h->status;
  }
  e->track = track_of(s, h);
  if (!(h->seen & SEEN_PH)) h->notes |= NOTE_BIT(JSN_BAD_PHASE);
  if (h->notes == notes) learn(s, h, &passage);
  complete(s, h, p, after);
  *out_end = after;
  return EVENT_DONE;
}

/* Steady values take effect, but for those that were read after all. */
INLINE void apply_steady(Source *s, Head *h, const Stretch *last)
{
  MillEvent *e = h->event;
  const Steady *steady = &last->steady;
  bool rows_read = last->read & (SEEN_PID | SEEN_TID);
  if (!(last->read & SEEN_PH)) e->kind = steady->kind;
  if (!(last->read & SEEN_CAT)) e->cat = steady->cat;
  if (!(last->read & SEEN_BP) && steady->bind_end) e->flags |= MILL_FLAG_BIND_END;
  e->track = steady->track;
  if (!rows_read) return;
  if (!(last->read & SEEN_PID)) h->process = steady->process;
  if (!(last->read & SEEN_TID)) h->thread = steady->thread;
  e->track = track_of(s, h);
}

/* From '{' to after '}' of an event whose shape is known.  NULL: it is not, or a value is not as
 * usual. */
INLINE const char *read_by_shape(Source *s, Head *h, const char *p, const char *end,
                                 const Units *units)
{
  MillEvent *e = h->event;
  Stretch *at = s->shapes.all;
  do {
    at = shape_next(&s->shapes, at, p, units->same);
    if (!at) return NULL;
    p += at->len;
    switch (at->member) {
    case NTH_NONE:
      apply_steady(s, h, at);
      e->n_attrs = (uint16_t)(h->batch->n_attrs - e->attrs);
      return (h->odd && !h->valid) || !finish_args(s, h) ? NULL : p;
    case NTH_NAME: p = read_known_name(s, h, p, end, &e->name, units); break;
    case NTH_TS: p = read_start(s, h, p, end, units); break;
    case NTH_DUR: p = read_duration(s, h, p, end, units); break;
    case NTH_INNER:
      if (!(at->read & SEEN_PH)) e->kind = at->steady.kind;
      p = read_inner(s, h, at->key, p, end, units);
      break;
    case NTH_ARGS:
      if (!(at->read & SEEN_PH)) e->kind = at->steady.kind;
      h->seen = at->seen;
      p = read_args(s, h, p, end);
      break;
    case NTH_ATTR:
      if (!(at->read & SEEN_PH)) e->kind = at->steady.kind;
      h->seen = at->seen;
      p = read_attr(s, h, p, end);
      break;
    case NTH_ID: p = read_id(s, h, p, end); break;
    case NTH_OTHER: p = skip_value(s, h, p, end); break;
    default: p = read_member(s, h, 1u << at->member, p, end);
    }
  } while (p);
  return NULL;
}

/* Asks memory for what comes some events later.  Processors do so by themselves, but not beyond the
 * end of a page; it saves a tenth of the time of reading a mapped file. */
INLINE void fetch_ahead(const char *p)
{
#ifdef __GNUC__
  for (int line = 0; line < 5; line++) __builtin_prefetch(p + 2048 + 64 * line);
#else
  (void)p;
#endif
}

/* By its shape, or else member by member. */
INLINE EventStatus read_event(Source *s, const Text *text, const char *p, const char *end,
                              MillBatch *batch, const char **out_end, uint32_t notes,
                              const Units *units)
{
  Head h;
  fetch_ahead(p);
  begin(&h, text, batch, notes);
  if (s->n_events >= s->shapes.rest) {
    const char *after = read_by_shape(s, &h, p, end, units);
    if (after) {
      complete(s, &h, p, after);
      *out_end = after;
      return EVENT_DONE;
    }
    batch->n_attrs = h.event->attrs;
    begin(&h, text, batch, notes);
  }
  return event_by_members(s, &h, p, end, out_end);
}

static EventStatus event_plain(Source *s, const Text *text, const char *p, const char *end,
                               MillBatch *batch, const char **out_end, uint32_t notes)
{
  return read_event(s, text, p, end, batch, out_end, notes, &plain_units);
}

#ifdef SCAN_WIDE_CODE
SCAN_WIDE_CODE static EventStatus event_wide(Source *s, const Text *text, const char *p,
                                             const char *end, MillBatch *batch,
                                             const char **out_end, uint32_t notes)
{
  return read_event(s, text, p, end, batch, out_end, notes, &wide_units);
}

ReadEvent jsn_event_for(ScanContainer container)
{
  return container == scan_container ? event_plain : event_wide;
}
#else
ReadEvent jsn_event_for(ScanContainer container)
{
  (void)container;
  return event_plain;
}
#endif
