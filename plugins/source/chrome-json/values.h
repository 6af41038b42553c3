/* The values of an event's members, each read by a function of its own that event.c inlines. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_VALUES_H
#define CHROME_JSON_VALUES_H

#include "base/json.h"
#include "base/num.h"
#include "memo.h"
#include "names.h"
#include "parser.h"

#define INLINE static inline __attribute__((always_inline))
#define TIME_LIMIT_NS ((int64_t)1 << 62) /* so that start + duration cannot overflow */

typedef struct Head {
  MillEvent *event;
  MillValue process, thread;
  const char *args, *args_end;
  const char *attr, *attr_end; /* FLEX's */
  const Text *text;
  MillBatch *batch;
  uint32_t notes;
  uint32_t seen;
  uint32_t decoded_as; /* the kind that args were decoded for; MILL_N_KINDS: not yet */
  EventStatus status;
  bool odd; /* some skipped bytes may need repair */
  bool valid;
} Head;

static const uint8_t kind_of_phase[256] = {
  ['X'] = MILL_SLICE,       ['B'] = MILL_BEGIN,      ['E'] = MILL_END,
  ['i'] = MILL_INSTANT,     ['I'] = MILL_INSTANT,    ['R'] = MILL_INSTANT,
  ['C'] = MILL_COUNTER,     ['M'] = MILL_META,       ['b'] = MILL_ASYNC_BEGIN,
  ['S'] = MILL_ASYNC_BEGIN, ['n'] = MILL_ASYNC_STEP, ['T'] = MILL_ASYNC_STEP,
  ['p'] = MILL_ASYNC_STEP,  ['e'] = MILL_ASYNC_END,  ['F'] = MILL_ASYNC_END,
  ['s'] = MILL_FLOW_START,  ['t'] = MILL_FLOW_STEP,  ['f'] = MILL_FLOW_END,
  ['P'] = MILL_SAMPLE,      ['N'] = MILL_OBJECT,     ['O'] = MILL_OBJECT,
  ['D'] = MILL_OBJECT,
};

/* The same steps in the instructions that every processor has, and in those of newer ones. */
typedef struct Units {
  SameBytes same;                                        /* as scan_same */
  unsigned (*plain_string)(const char *p);               /* as scan_plain_string */
  unsigned (*digits)(const char *p, uint64_t *out);      /* as scan_digits16 */
  unsigned (*thousandths)(const char *p, uint64_t *out); /* as scan_thousandths */
  unsigned (*decimal)(const char *p);                    /* as scan_decimal */
} Units;
static const Units plain_units = { scan_same, scan_plain_string, scan_digits16, scan_thousandths,
                                   scan_decimal };
#ifdef SCAN_WIDE_CODE
static const Units wide_units = { scan_same_wide, scan_plain_string_wide, scan_digits16_wide,
                                  scan_thousandths_wide, scan_decimal_wide };
#endif

/* Every function below reads one value at p and returns the byte after it, or NULL when the
 * value is cut off or not as usual: the slow path then finds out which. */

INLINE const char *skip_string(Head *h, const char *p, const char *end, unsigned *flags)
{
  const char *quote = scan_string(p + 1, end, flags);
  if (!quote) return NULL;
  if (*flags & SCAN_ODD) h->odd = true;
  return quote;
}

INLINE const char *skip_value(Source *s, Head *h, const char *p, const char *end)
{
  if (*p == '"') {
    unsigned flags = 0;
    const char *quote = skip_string(h, p, end, &flags);
    return quote ? quote + 1 : NULL;
  }
  if (*p == '{' || *p == '[') return s->container(p, end, &h->odd);
  return scan_scalar(p);
}

/* ------------------------------------------------------------------- time */
INLINE bool is_absurd(int64_t ns) { return ns >= TIME_LIMIT_NS || ns <= -TIME_LIMIT_NS; }

static int64_t checked_time(int64_t ns, unsigned flags, Head *h)
{
  if (flags & NUM_INEXACT) {
    h->notes |= NOTE_BIT(JSN_INEXACT);
    h->event->flags |= MILL_FLAG_INEXACT;
  }
  if (!(flags & NUM_RANGE) && !is_absurd(ns)) return ns;
  h->notes |= NOTE_BIT(JSN_CLIPPED);
  return ns < 0 ? -TIME_LIMIT_NS : TIME_LIMIT_NS;
}

/* Everything that the short way does not take: exponents, many digits, texts, null. */
static const char *read_time_long(Source *s, Head *h, const char *p, const char *end,
                                  bool *out_found, int64_t *out_ns)
{
  unsigned flags = 0;
  int64_t ns = 0;
  if (*p == '"') {
    const char *quote = skip_string(h, p, end, &flags);
    if (!quote) return NULL;
    flags = 0;
    const char *after =
        quote > p + 1 ? num_scan_scaled(p + 1, quote, s->decimals, &ns, &flags) : NULL;
    *out_found = after == quote;
    h->notes |= *out_found ? NOTE_BIT(JSN_TEXT_NUMBER) : NOTE_BIT(JSN_BAD_TIME);
    if (*out_found) *out_ns = checked_time(ns, flags, h);
    return quote + 1;
  }
  const char *after = p < end && (*p == '-' || is_digit(*p))
                          ? num_scan_scaled(p, end, s->decimals, &ns, &flags)
                          : NULL;
  if (after) {
    if (scan_scalar(p) != after) return NULL;
    *out_found = true;
    *out_ns = checked_time(ns, flags, h);
    return after;
  }
  *out_found = false;
  if (*p != 'n') h->notes |= NOTE_BIT(JSN_BAD_TIME);
  return skip_value(s, h, p, end);
}

INLINE bool number_ends(const char *p)
{
  return *p == ',' || *p == '}' || (unsigned char)*p <= ' ';
}

/* Microseconds in decimal to nanoseconds. */
INLINE const char *read_time(Source *s, Head *h, const char *p, const char *end, bool *out_found,
                             int64_t *out_ns, const Units *units)
{
  const char *start = p;
  uint64_t us, ns;
  if (s->decimals != JSN_MICROSECONDS) return read_time_long(s, h, p, end, out_found, out_ns);
  unsigned n = units->thousandths(p, &ns);
  if (n && number_ends(p + n) && (*p != '0' || p[1] == '.')) {
    *out_found = true;
    *out_ns = (int64_t)ns;
    return p + n;
  }
  bool negative = *p == '-';
  p += negative;
  n = units->digits(p, &us);
  if (!n || (*p == '0' && n > 1) || us > (uint64_t)TIME_LIMIT_NS / 1000 - 1)
    return read_time_long(s, h, start, end, out_found, out_ns);
  p += n;
  if (n == 16 && is_digit(*p)) return read_time_long(s, h, start, end, out_found, out_ns);
  uint32_t decimals = 0;
  if (*p == '.') {
    decimals = scan_three_digits(p + 1);
    n = 3;
    if (decimals > 999) {
      n = scan_digits(p + 1, &decimals);
      if (n - 1u > 2u) return read_time_long(s, h, start, end, out_found, out_ns);
      decimals *= (uint32_t)POW10[3 - n];
    }
    p += 1 + n;
  }
  if ((*p | 0x20) == 'e') return read_time_long(s, h, start, end, out_found, out_ns);
  ns = us * 1000 + decimals;
  *out_found = true;
  *out_ns = negative ? -(int64_t)ns : (int64_t)ns;
  return p;
}

/* -------------------------------------------------------- pid, tid and id */
static const char *read_row_text(Source *s, Head *h, const char *p, const char *end, MillValue *out)
{
  if (*p != '"') {
    const char *after = skip_value(s, h, p, end);
    unsigned flags = 0;
    int64_t whole;
    if (!after || *p == 'n') return after;
    bool number = num_scan_scaled(p, after, 0, &whole, &flags) == after;
    if (!number && !h->valid) return NULL;
    *out = number && !flags ? mill_int(whole) : mill_sym(jsn_intern(s, p, (size_t)(after - p)));
    return after;
  }
  unsigned flags = 0;
  const char *quote = skip_string(h, p, end, &flags);
  if (!quote) return NULL;
  *out = mill_sym(jsn_intern_string(s, p + 1, (size_t)(quote - p - 1), flags));
  return quote + 1;
}

/* A process or thread: an integer of up to 16 digits here, everything else in read_row_text. */
INLINE const char *read_row(Source *s, Head *h, const char *p, const char *end, MillValue *out)
{
  bool negative = *p == '-';
  const char *start = p + negative;
  uint64_t v = 0;
  const char *q = start + scan_digits16(start, &v);
  if (q == start || !number_ends(q) || (*start == '0' && q > start + 1))
    return read_row_text(s, h, p, end, out);
  *out = mill_int(negative ? -(int64_t)v : (int64_t)v);
  return q;
}

/* The row that the event before had, digits and what follows them. */
INLINE const char *read_same_row(Source *s, Head *h, Memo *memo, const char *p, const char *end,
                                 MillValue *out)
{
  if (memo_matches(memo, p)) {
    *out = memo->value;
    return p + memo->len;
  }
  const char *after = read_row(s, h, p, end, out);
  if (after && out->type == MILL_INT) {
    memo_set(memo, p, (size_t)(after - p) + 1);
    memo->len = (uint32_t)(after - p);
    memo->value = *out;
  }
  return after;
}

/* "0x" and lower-case digits without leading zeros: what we would print ourselves. */
static bool canonical_hex(const char *p, size_t len, uint64_t *out)
{
  if (len < 3 || len > 18 || p[0] != '0' || p[1] != 'x' || (p[2] == '0' && len > 3)) return false;
  for (size_t i = 2; i < len; i++)
    if (g_ascii_isupper(p[i])) return false;
  return digits_scan(p + 2, p + len, 16, UINT64_MAX, out) == p + len;
}

static void set_text_id(Source *s, Head *h, const char *p, size_t len, unsigned flags)
{
  MillEvent *e = h->event;
  e->id_kind = MILL_ID_HEX;
  if (canonical_hex(p, len, &e->id)) return;
  e->id_kind = MILL_ID_HASH;
  if (!(flags & SCAN_ESCAPED)) {
    e->id = jsn_hash(p, len);
    return;
  }
  const GString *text = jsn_unescape(s, p, len);
  e->id = jsn_hash(text->str, text->len);
}

static const char *read_id(Source *s, Head *h, const char *p, const char *end)
{
  MillEvent *e = h->event;
  unsigned flags = 0;
  int64_t v;
  e->id_kind = MILL_ID_NONE;
  e->id = 0;
  if (*p == '"') {
    const char *quote = skip_string(h, p, end, &flags);
    if (!quote) return NULL;
    set_text_id(s, h, p + 1, (size_t)(quote - p - 1), flags);
    return quote + 1;
  }
  uint32_t digits;
  unsigned n = scan_digits(p, &digits);
  if (n && n < 8 && number_ends(p + n) && (*p != '0' || n == 1)) {
    e->id_kind = MILL_ID_INT;
    e->id = digits;
    return p + n;
  }
  const char *after = skip_value(s, h, p, end);
  if (!after || *p == 'n') return after;
  size_t len = (size_t)(after - p);
  e->id_kind = num_int(p, len, &v) ? MILL_ID_INT : MILL_ID_HASH;
  e->id = e->id_kind == MILL_ID_INT ? (uint64_t)v : jsn_hash(p, len);
  return after;
}

/* ------------------------------------------------------- names and phases */
static const char *read_name(Source *s, Head *h, const char *p, const char *end, MillSym *out)
{
  unsigned flags = 0;
  if (*p == '"') {
    const char *quote = skip_string(h, p, end, &flags);
    if (!quote || (h->odd && !h->valid)) return NULL;
    *out = jsn_intern_string(s, p + 1, (size_t)(quote - p - 1), flags);
    if (flags & SCAN_ESCAPED) h->notes |= s->fixes & JSON_FIX_SURROGATE;
    return quote + 1;
  }
  const char *after = skip_value(s, h, p, end);
  *out = 0;
  if (after && *p != 'n' && *p != '{' && *p != '[') *out = jsn_intern(s, p, (size_t)(after - p));
  return after;
}

/* Of a string after its quote, when it is plain as scan_plain_string has it; else 0. */
INLINE size_t plain_len(const char *p, const char *end, const Units *units)
{
  size_t len = 0;
  unsigned more = SCAN_WIDE;
  for (; p + len < end; len += SCAN_WIDE)
    if ((more = units->plain_string(p + len)) != SCAN_WIDE) break;
  return more < SCAN_WIDE && p + len + more < end ? len + more : 0;
}

/* A name that came before and has no escapes; all others in read_name. */
INLINE const char *read_known_name(Source *s, Head *h, const char *p, const char *end, MillSym *out,
                                   const Units *units)
{
  size_t len = *p == '"' ? plain_len(p + 1, end, units) : 0;
  const NameSlot *slot = len ? name_find(s, p + 1, len, units->same) : NULL;
  if (!slot) return read_name(s, h, p, end, out);
  *out = slot->sym;
  return p + len + 2;
}

/* True: it is a list, and one of it counts. */
static bool choose_category(Source *s, Head *h, const char *p, size_t len)
{
  MillSym one = jsn_known_category(s, p, len);
  if (!one) return false;
  h->event->cat = one;
  h->notes |= NOTE_BIT(JSN_CATEGORIES);
  return true;
}

INLINE const char *read_cat(Source *s, Head *h, const char *p, const char *end)
{
  if (memo_matches(&s->cat, p)) {
    h->event->cat = s->cat.meaning;
    return p + s->cat.len;
  }
  const char *after = read_name(s, h, p, end, &h->event->cat);
  size_t len = after ? (size_t)(after - p) : 0;
  if (!len || *p != '"' || h->odd || memchr(p, '\\', len)) return after;
  if (memchr(p, ',', len) && choose_category(s, h, p + 1, len - 2)) return after;
  memo_set(&s->cat, p, len);
  s->cat.meaning = h->event->cat;
  return after;
}

/* Chrome has phases that say nothing of a time line: memory dumps, clocks, contexts, links. */
static bool is_passed_over(char phase) { return phase && strchr("vVc()=a", phase); }

/* Anything but one letter between quotes that has a kind. */
static const char *read_odd_phase(Source *s, Head *h, const char *p, const char *end)
{
  unsigned flags = 0;
  char letter = 0;
  h->event->kind = MILL_OTHER;
  const char *after = *p == '"' ? skip_string(h, p, end, &flags) : skip_value(s, h, p, end);
  if (!after || (h->odd && !h->valid)) return NULL;
  if (*p == '"') {
    size_t len = (size_t)(after++ - p - 1);
    const GString *text = flags & SCAN_ESCAPED ? jsn_unescape(s, p + 1, len) : NULL;
    if ((text ? text->len : len) == 1) letter = text ? *text->str : p[1];
  }
  h->event->kind = kind_of_phase[(unsigned char)letter];
  if (h->event->kind == MILL_OTHER && !is_passed_over(letter)) h->notes |= NOTE_BIT(JSN_BAD_PHASE);
  return after;
}

INLINE const char *read_phase(Source *s, Head *h, const char *p, const char *end)
{
  bool letter = p[0] == '"' && p[2] == '"';
  h->event->kind = letter ? kind_of_phase[(unsigned char)p[1]] : MILL_OTHER;
  return h->event->kind == MILL_OTHER ? read_odd_phase(s, h, p, end) : p + 3;
}

static const char *read_binding(Source *s, Head *h, const char *p, const char *end)
{
  h->event->flags = (uint8_t)(h->event->flags & ~MILL_FLAG_BIND_END);
  if (p[0] == '"' && p[1] == 'e' && p[2] == '"') h->event->flags |= MILL_FLAG_BIND_END;
  return skip_value(s, h, p, end);
}

/* over: besides those of another object, whose members of the same names give way. */
static const char *decode_args(Source *s, Head *h, const char *p, const char *end, bool over)
{
  const char *after;
  if (!over) {
    h->batch->n_attrs = h->event->attrs;
    s->stamp++; /* keys of an earlier args are not duplicates */
  }
  h->decoded_as = h->event->kind;
  h->status = jsn_args(s, h->text, p, end, h->event->kind, over, h->batch, &h->notes, &after);
  return h->status == EVENT_DONE ? after : NULL;
}

/* Decoded at once when the phase is known already, as it is in nearly all traces, and there is no other. */
INLINE const char *read_object(Source *s, Head *h, const char *p, const char *end,
                               const char *other, const char **out_start, const char **out_end)
{
  *out_start = *p == '{' ? p : NULL;
  h->decoded_as = MILL_N_KINDS;
  h->batch->n_attrs = h->event->attrs;
  bool now = *out_start && !other && (h->seen & SEEN_PH) && s->projection.any[h->event->kind];
  *out_end = now ? decode_args(s, h, p, end, false) : skip_value(s, h, p, end);
  return *out_end;
}

INLINE const char *read_args(Source *s, Head *h, const char *p, const char *end)
{
  return read_object(s, h, p, end, h->attr, &h->args, &h->args_end);
}

static const char *read_attr(Source *s, Head *h, const char *p, const char *end)
{
  return read_object(s, h, p, end, h->args, &h->attr, &h->attr_end);
}

/* An attribute of the event, where the batch has space for one. */
INLINE MillAttr *next_attr(Head *h, MillSym key)
{
  MillBatch *b = h->batch;
  if (b->n_attrs == b->max_attrs) return NULL;
  MillAttr *attr = &mill_attrs(b)[b->n_attrs];
  attr->key = key;
  return attr;
}

/* A member of args that a stage asked for: whole numbers and plain texts here, everything else in jsn_inner. */
INLINE const char *read_wanted(Source *s, Head *h, const WantedKey *k, uint32_t as, const char *p,
                               const char *end, const Units *units)
{
  MillAttr *attr = next_attr(h, k->sym);
  uint64_t v = 0;
  if (attr && *p == '"' && (as == MILL_AS_ANY || as == MILL_AS_TEXT)) {
    size_t len = plain_len(p + 1, end, units);
    attr->type = MILL_TEXT | h->text->own;
    attr->u.text.off = h->text->off + (uint32_t)(p + 1 - h->text->base);
    attr->u.text.len = (uint32_t)len;
    h->batch->n_attrs += len > 0;
    if (len) return p + len + 2;
  } else if (attr && (as == MILL_AS_ANY || as == MILL_AS_INT)) {
    unsigned n = units->digits(p, &v);
    bool plain = n - 1u < 15 && number_ends(p + n) && (*p != '0' || n == 1);
    attr->type = MILL_INT;
    attr->u.i = (int64_t)v;
    h->batch->n_attrs += plain;
    if (plain) return p + n;
  }
  return jsn_inner(s, h->text, h->batch, k->sym, as, p, end);
}

/* A member of args, by its key. */
INLINE const char *read_inner(Source *s, Head *h, uint32_t key, const char *p, const char *end,
                              const Units *units)
{
  const WantedKey *k = key ? &g_array_index(s->projection.keys, WantedKey, key - 1) : NULL;
  uint32_t as = k ? k->as[h->event->kind] : AS_UNWANTED;
  if (as != AS_UNWANTED) return read_wanted(s, h, k, as, p, end, units);
  if (*p == '"') {
    size_t len = plain_len(p + 1, end, units);
    if (len) return p + len + 2;
  } else {
    unsigned n = units->decimal(p);
    if (n && number_ends(p + n)) return p + n;
  }
  return skip_value(s, h, p, end);
}

static bool decode_late(Source *s, Head *h)
{
  h->batch->n_attrs = h->event->attrs;
  if (!s->projection.any[h->event->kind]) return true;
  if (h->args && !decode_args(s, h, h->args, h->args_end, false)) return false;
  return !h->attr || decode_args(s, h, h->attr, h->attr_end, h->args != NULL);
}

/* After the whole event: false if args cannot be read after all. */
INLINE bool finish_args(Source *s, Head *h)
{
  MillEvent *e = h->event;
  if (!h->args && !h->attr) return true;
  if (h->decoded_as != e->kind && !decode_late(s, h)) return false;
  e->n_attrs = (uint16_t)(h->batch->n_attrs - e->attrs);
  return true;
}

#endif
