/* One event's head: the hot path of the whole program, which allocates nothing. */
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
  case SCAN_KEY3('a', 't', 't'): *out_len = 4; return p[3] == 'r' && p[4] == '"' ? SEEN_ARGS : 0;
  default: return 0;
  }
}

/* A key that is none of ours as it stands: passed, or recognised behind its escapes. */
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

INLINE const char *read_member(Source *s, Head *h, uint32_t bit, const char *p, const char *end)
{
  MillEvent *e = h->event;
  int64_t ns;
  bool found;
  switch (bit) {
  case SEEN_PH: return read_phase(s, h, p, end);
  case SEEN_NAME: return read_name(s, h, p, end, &e->name);
  case SEEN_CAT: return read_cat(s, h, p, end);
  case SEEN_PID: return read_same_row(s, h, &s->process, p, end, &h->process);
  case SEEN_TID: return read_same_row(s, h, &s->thread, p, end, &h->thread);
  case SEEN_TS:
    p = read_time(s, h, p, end, &found, &ns);
    if (!p || !found) return p;
    e->ts_ns = ns;
    e->flags = (uint8_t)(e->flags & ~MILL_FLAG_NO_TS);
    return p;
  case SEEN_DUR:
    p = read_time(s, h, p, end, &found, &ns);
    if (!p || !found) return p;
    if (ns < 0) h->notes |= NOTE_BIT(JSN_NEGATIVE_DUR);
    e->dur_ns = ns < 0 ? 0 : ns;
    return p;
  case SEEN_ARGS: return read_args(s, h, p, end);
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

/* From behind the value before, or '{', to the value of the next member; or behind '}' with *out_bit GAP_END. */
static const char *read_gap(Source *s, Head *h, Memo *gap, const char *p, const char *end,
                            bool first, uint32_t *out_bit)
{
  const char *start = p;
  size_t key_len = 0;
  p = scan_space(p);
  if (*p == '}') {
    *out_bit = GAP_END;
    p++;
  } else {
    if (!first && *p++ != ',') return NULL;
    p = scan_space(p);
    if (*p != '"') return NULL;
    *out_bit = key_bit(++p, &key_len);
    const char *key = p;
    if (*out_bit)
      p += key_len;
    else
      p = other_key(s, h, p, end, out_bit);
    if (!p) return NULL;
    /* A key that needs a closer look needs it every time. */
    bool plain = !h->odd && !memchr(key, '\\', (size_t)(p - key));
    p = after_colon(p + 1);
    if (!p || !plain) return p;
  }
  memo_set(gap, start, (size_t)(p - start));
  gap->meaning = *out_bit;
  return p;
}

/* From behind '{' to behind '}'. */
INLINE const char *read_members(Source *s, Head *h, const char *p, const char *end)
{
  for (unsigned before = GAP_AT_START;;) {
    Memo *gaps = s->gaps[before];
    unsigned way = memo_matches(&gaps[0], p) ? 0 : memo_matches(&gaps[1], p) ? 1 : 2;
    uint32_t bit;
    if (way < 2) {
      bit = gaps[way].meaning;
      p += gaps[way].len;
      if (bit == GAP_END) return p;
      if ((unsigned char)*p <= ' ') p = scan_space(p);
    } else {
      gaps[1] = gaps[0];
      p = read_gap(s, h, &gaps[0], p, end, before == GAP_AT_START, &bit);
      if (!p || bit == GAP_END) return p;
    }
    if (bit & h->seen) {
      if (!h->valid) return NULL;
      forget_member(h, bit);
    }
    h->seen |= bit;
    before = bit ? (unsigned)__builtin_ctz(bit) : GAP_AT_OTHER;
    p = read_member(s, h, bit, p, end);
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
    s->host->note(s->host, JSN_FIX_FIRST + (uint32_t)__builtin_ctz(notes), batch, index, NULL, 0);
}

EventStatus jsn_event(Source *s, const Text *text, const char *p, const char *end, MillBatch *batch,
                      const char **out_end, uint32_t notes)
{
  MillEvent *e = &batch->events[batch->n_events];
  Head h = { .event = e,
             .text = text,
             .batch = batch,
             .notes = notes,
             .decoded_as = MILL_N_KINDS,
             .status = EVENT_DONE,
             .valid = text->valid };
  memset(e, 0, sizeof *e);
  e->dur_ns = -1;
  e->flags = MILL_FLAG_NO_TS;
  e->attrs = batch->n_attrs;
  const char *behind = read_members(s, &h, p + 1, end);
  if (!behind || (h.odd && !h.valid) || !finish_args(s, &h)) {
    batch->n_attrs = e->attrs;
    return h.status == EVENT_DONE ? EVENT_ODD : h.status;
  }
  e->track = track_of(s, &h);
  e->seq = s->n_events++;
  e->raw_off = text->off + (uint32_t)(p - text->base);
  e->raw_len = (uint32_t)(behind - p);
  if (text->own) e->flags |= MILL_FLAG_OWN_RAW;
  uint32_t index = batch->n_events++;
  if (h.notes) jsn_tell(s, h.notes, batch, index);
  *out_end = behind;
  return EVENT_DONE;
}
