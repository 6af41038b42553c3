/* Attributes: the members of args that some stage asked for, decoded into the batch. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "projection.h"

#define MAX_LIST 4096u
#define MAX_EVENT_ATTRS 65535u

/* ----------------------------------------------------------------- values */
typedef struct Args {
  Source *s;
  const Text *text;
  MillBatch *batch;
  uint32_t *notes;
  uint32_t first; /* attribute of the event */
  EventStatus status;
  bool odd;
  Alias alias; /* of the key at hand */
  bool over;   /* what it has from another object gives way */
  const char
      *stands[N_ALIASES]; /* where the value is of a key that stands for others; NULL: none */
} Args;

/* The closing quote, or NULL. */
static inline const char *pass_string(Args *a, const char *p, const char *end, unsigned *flags)
{
  const char *quote = scan_string(p, end, flags);
  if (*flags & SCAN_ODD) a->odd = true;
  return quote;
}

/* NULL when the batch has no space: status says so.  Past the limit of one event a spare is
 * given that is not kept. */
static MillAttr *new_attr(Args *a, MillSym key, MillAttr *spare)
{
  MillBatch *b = a->batch;
  if (b->n_attrs - a->first >= MAX_EVENT_ATTRS) {
    *a->notes |= NOTE_BIT(JSN_MANY_ATTRS);
    return spare;
  }
  if (b->n_attrs == b->max_attrs && !a->s->host->grow_attrs(a->s->host, b)) {
    a->status = EVENT_FULL;
    return NULL;
  }
  MillAttr *attr = &mill_attrs(b)[b->n_attrs++];
  attr->key = key;
  return attr;
}

static void set_text(const Args *a, MillAttr *attr, uint32_t type, const char *p, size_t len)
{
  attr->type = type | a->text->own;
  attr->u.text.off = a->text->off + (uint32_t)(p - a->text->base);
  attr->u.text.len = (uint32_t)len;
}

static void set_own_text(Args *a, MillAttr *attr, uint32_t type, const GString *text)
{
  attr->type = type | MILL_ATTR_OWN;
  attr->u.text.off = a->s->host->own_text(a->s->host, a->batch, text->str, text->len);
  attr->u.text.len = (uint32_t)text->len;
}

static bool set_number(MillAttr *attr, const char *p, size_t len, uint32_t as)
{
  int64_t i;
  unsigned flags = 0;
  if (as != MILL_AS_REAL && num_int(p, len, &i)) {
    attr->type = MILL_INT;
    attr->u.i = i;
    return true;
  }
  if (as == MILL_AS_INT && num_scan_scaled(p, p + len, 0, &i, &flags) == p + len && !flags) {
    attr->type = MILL_INT;
    attr->u.i = i;
    return true;
  }
  attr->type = MILL_REAL;
  return num_real(p, len, &attr->u.r);
}

/* A text that should be a number. */
static bool set_text_number(MillAttr *attr, const char *p, size_t len, uint32_t as)
{
  if (as == MILL_AS_INT) {
    attr->type = MILL_INT;
    return num_int(p, len, &attr->u.i);
  }
  attr->type = MILL_REAL;
  if (num_real(p, len, &attr->u.r)) return true;
  int64_t hex;
  bool read = num_int(p, len, &hex);
  if (read) attr->u.r = (double)hex;
  return read;
}

static void set_string(Args *a, MillAttr *attr, const char *p, size_t len, unsigned flags,
                       uint32_t as)
{
  if ((as == MILL_AS_INT || as == MILL_AS_REAL) && set_text_number(attr, p, len, as)) return;
  if (!(flags & SCAN_ESCAPED)) {
    set_text(a, attr, MILL_TEXT, p, len);
    return;
  }
  const GString *text = jsn_unescape(a->s, p, len);
  bool is_number =
      (as == MILL_AS_INT || as == MILL_AS_REAL) && set_text_number(attr, text->str, text->len, as);
  if (!is_number) set_own_text(a, attr, MILL_TEXT, text);
}

/* Texts in a list or an object are compared as they stand: they are written in one way. */
static void set_one_way(Args *a, MillAttr *attr, const char *p, size_t len)
{
  g_autoptr(GString) text = g_string_new(NULL);
  if (json_one_way(p, len, text))
    set_own_text(a, attr, MILL_JSON, text);
  else
    set_text(a, attr, MILL_JSON, p, len);
}

static void set_word(Args *a, MillAttr *attr, const char *p, size_t len, uint32_t as)
{
  if (as == MILL_AS_TEXT) {
    set_text(a, attr, MILL_TEXT, p, len);
    return;
  }
  attr->type = as == MILL_AS_INT ? MILL_INT : MILL_BOOL;
  attr->u.i = *p == 't';
}

static const char *number_end(const char *p, const char *end)
{
  while (p < end && (is_digit(*p) || *p == '-' || *p == '+' || *p == '.' || (*p | 0x20) == 'e'))
    p++;
  return p;
}

/* One element of a flat list; the byte after it, or NULL when it is not a number. */
static const char *list_number(Args *a, MillSym key, const char *p, const char *end, uint32_t as)
{
  MillAttr spare;
  const char *text = p, *past, *next;
  if (*p == '"') {
    unsigned flags = 0;
    text = p + 1;
    past = pass_string(a, text, end, &flags);
    if (!past) return NULL;
    next = past + 1;
  } else {
    next = past = number_end(p, end);
  }
  MillAttr *attr = past > text ? new_attr(a, key, &spare) : NULL;
  if (!attr) return NULL;
  bool read = *p == '"' ? set_text_number(attr, text, (size_t)(past - text), as)
                        : set_number(attr, text, (size_t)(past - text), as);
  return read ? next : NULL;
}

/* The key once for every element; after false there is none. */
static bool flat_list(Args *a, MillSym key, const char *p, const char *end, uint32_t as)
{
  uint32_t first = a->batch->n_attrs;
  p = scan_space(p + 1);
  while (*p != ']') {
    p = list_number(a, key, p, end, as);
    if (!p || a->batch->n_attrs - first > MAX_LIST) goto no;
    p = scan_space(p);
    if (*p == ',')
      p = scan_space(p + 1);
    else if (*p != ']')
      goto no;
  }
  return true;
no:
  a->batch->n_attrs = first;
  return false;
}

static const char *read_nested(Args *a, MillSym key, const char *p, const char *end, uint32_t as)
{
  MillAttr spare;
  const char *past = a->s->container(p, end, &a->odd);
  if (!past) return NULL;
  if (*p == '[' && (as == MILL_AS_INT || as == MILL_AS_REAL)) {
    if (flat_list(a, key, p, past, as)) return past;
    if (a->status != EVENT_DONE) return NULL;
  }
  MillAttr *attr = new_attr(a, key, &spare);
  if (!attr) return NULL;
  if (memchr(p, '\\', (size_t)(past - p)))
    set_one_way(a, attr, p, (size_t)(past - p));
  else
    set_text(a, attr, MILL_JSON, p, (size_t)(past - p));
  return past;
}

/* Most numbers by far: integers of up to seven digits. */
static inline const char *read_short_int(Args *a, MillSym key, const char *p)
{
  MillAttr spare;
  uint32_t digits;
  unsigned n = scan_digits(p, &digits);
  if (!n || n == 8 || (*p == '0' && n > 1)) return NULL;
  if (p[n] != ',' && p[n] != '}' && (unsigned char)p[n] > ' ') return NULL;
  MillAttr *attr = new_attr(a, key, &spare);
  if (!attr) return NULL;
  attr->type = MILL_INT;
  attr->u.i = digits;
  return p + n;
}

static const char *read_scalar(Args *a, MillSym key, const char *p, uint32_t as)
{
  MillAttr spare;
  if (as == MILL_AS_ANY || as == MILL_AS_INT) {
    const char *after = read_short_int(a, key, p);
    if (after || a->status != EVENT_DONE) return after;
  }
  const char *past = scan_scalar(p);
  if (!past || *p == 'n') return past;
  MillAttr *attr = new_attr(a, key, &spare);
  if (!attr) return NULL;
  if (*p == 't' || *p == 'f')
    set_word(a, attr, p, (size_t)(past - p), as);
  else if (as == MILL_AS_TEXT)
    set_text(a, attr, MILL_TEXT, p, (size_t)(past - p));
  else if (!set_number(attr, p, (size_t)(past - p), as))
    set_text(a, attr, MILL_JSON, p, (size_t)(past - p));
  return past;
}

static inline __attribute__((always_inline)) const char *read_value(Args *a, MillSym key,
                                                                    const char *p, const char *end,
                                                                    uint32_t as)
{
  if (*p == '{' || *p == '[') return read_nested(a, key, p, end, as);
  if (*p != '"') return read_scalar(a, key, p, as);
  MillAttr spare;
  unsigned flags = 0;
  const char *quote = pass_string(a, p + 1, end, &flags);
  MillAttr *attr = quote ? new_attr(a, key, &spare) : NULL;
  if (!attr) return NULL;
  set_string(a, attr, p + 1, (size_t)(quote - p - 1), flags, as);
  return quote + 1;
}

static const char *skip_unwanted(Args *a, const char *p, const char *end)
{
  unsigned flags = 0;
  if (*p == '{' || *p == '[') return a->s->container(p, end, &a->odd);
  if (*p == '"') {
    const char *quote = pass_string(a, p + 1, end, &flags);
    return quote ? quote + 1 : NULL;
  }
  return scan_scalar(p);
}

/* ------------------------------------------------------------------- keys */
/* A key that came before in this event: the last one wins. */
static void drop_earlier(Args *a, MillSym key)
{
  MillBatch *b = a->batch;
  uint32_t to = a->first;
  if (!a->over) *a->notes |= NOTE_BIT(JSN_DUPLICATE_KEY);
  for (uint32_t from = a->first; from < b->n_attrs; from++)
    if (b->attrs[from].key != key) mill_attrs(b)[to++] = b->attrs[from];
  b->n_attrs = to;
}

/* AS_UNWANTED, or how to read it and its symbol. */
static uint32_t look_up(Args *a, const char *p, size_t len, unsigned flags, uint32_t kind,
                        MillSym *out_key)
{
  Source *s = a->s;
  Projection *projection = &s->projection;
  if (flags & SCAN_ESCAPED) {
    const GString *text = jsn_unescape(s, p, len);
    p = text->str;
    len = text->len;
  }
  WantedKey *k = find_key(projection, p, len);
  if (!k && projection->all_as[kind] == AS_UNWANTED) return AS_UNWANTED;
  if (!k && projection->keys->len >= MAX_OPEN_KEYS) {
    *out_key = s->common->intern(s->common, p, len);
    return projection->all_as[kind];
  }
  if (!k) k = jsn_add_key(s, p, len);
  a->alias = k->alias;
  if (k->as[kind] == AS_UNWANTED) return AS_UNWANTED;
  if (k->seen_in == s->stamp) drop_earlier(a, k->sym);
  k->seen_in = s->stamp;
  *out_key = k->sym;
  return k->as[kind];
}

static const char *read_member(Args *a, const char *p, const char *end, uint32_t kind)
{
  unsigned flags = 0;
  MillSym key = 0;
  a->alias = ALIAS_NONE;
  const char *quote = pass_string(a, p + 1, end, &flags);
  if (!quote || (a->odd && !a->text->valid)) return NULL;
  uint32_t as = look_up(a, p + 1, (size_t)(quote - p - 1), flags, kind, &key);
  p = scan_space(quote + 1);
  if (*p != ':') return NULL;
  p = scan_space(p + 1);
  if (a->alias) a->stands[a->alias] = p;
  return as == AS_UNWANTED ? skip_unwanted(a, p, end) : read_value(a, key, p, end, as);
}

/* ---------------------------------------------------------------- aliases */
/* What stands at `meant`, if it is wanted of this kind and the event does not have it by its own name. */
static WantedKey *missing_key(const Args *a, uint32_t meant, uint32_t kind)
{
  const Projection *p = &a->s->projection;
  WantedKey *k = p->meant[meant] ? key_at(p, p->meant[meant] - 1) : NULL;
  return k && k->as[kind] != AS_UNWANTED && k->seen_in != a->s->stamp ? k : NULL;
}

/* From the one of five numbers: the place after it; NULL: there is none. */
static const char *read_stamp(Args *a, uint32_t index, const char *p, const char *end,
                              uint32_t kind)
{
  WantedKey *k = missing_key(a, index, kind);
  uint32_t before = a->batch->n_attrs;
  uint32_t as = k && k->as[kind] == MILL_AS_REAL ? MILL_AS_REAL : MILL_AS_INT;
  p = list_number(a, k ? k->sym : 0, p, end, as);
  if (!p) return NULL;
  if (!k) a->batch->n_attrs = before;
  return scan_space(p);
}

/* A list of five numbers. */
static bool read_stamps(Args *a, const char *p, const char *end, uint32_t kind)
{
  if (*p != '[') return false;
  p = scan_space(p + 1);
  for (uint32_t i = 0; i < N_STAMPS; i++) {
    p = read_stamp(a, i, p, end, kind);
    if (!p || *p != (i + 1 < N_STAMPS ? ',' : ']')) return false;
    p = scan_space(p + 1);
  }
  return true;
}

static void mark_seen(const Args *a, uint32_t first, uint32_t n)
{
  const Projection *p = &a->s->projection;
  for (uint32_t i = first; i < first + n; i++)
    if (p->meant[i]) key_at(p, p->meant[i] - 1)->seen_in = a->s->stamp;
}

/* When all members are known: what has its own name in the event counts, wherever it is.  False: see status. */
static bool read_aliases(Args *a, const char *end, uint32_t kind)
{
  uint32_t before = a->batch->n_attrs;
  const char *cycles = a->stands[ALIAS_CYCLES], *charge = a->stands[ALIAS_CHARGE];
  if (cycles && read_stamps(a, cycles, end, kind))
    mark_seen(a, 0, N_STAMPS);
  else if (cycles) {
    a->batch->n_attrs = before;
    if (a->status != EVENT_DONE) return false;
    *a->notes |= NOTE_BIT(JSN_BAD_CYCLES);
  }
  const WantedKey *power = charge ? missing_key(a, N_STAMPS, kind) : NULL;
  if (!power) return true;
  if (!read_value(a, power->sym, charge, end, power->as[kind]) && a->status != EVENT_DONE)
    return false;
  mark_seen(a, N_STAMPS, 1);
  return true;
}

const char *jsn_inner(Source *s, const Text *text, MillBatch *batch, MillSym key, uint32_t as,
                      const char *p, const char *end)
{
  uint32_t notes = 0;
  Args a = { .s = s, .text = text, .batch = batch, .notes = &notes };
  a.first = batch->events[batch->n_events].attrs;
  p = read_value(&a, key, p, end, as);
  return notes || (a.odd && !text->valid) ? NULL : p;
}

/* Whatever is not as it should be sends the event to the slow path. */
EventStatus jsn_args(Source *s, const Text *text, const char *p, const char *end, uint32_t kind,
                     bool over, MillBatch *batch, uint32_t *notes, const char **out_end)
{
  Args a = { s, text, batch, notes, batch->n_attrs, EVENT_DONE, false, ALIAS_NONE, over, { 0 } };
  if (over) a.first = batch->events[batch->n_events].attrs;
  p = scan_space(p + 1);
  while (*p != '}') {
    if (*p != '"') return EVENT_ODD;
    p = read_member(&a, p, end, kind);
    if (!p) return a.status != EVENT_DONE ? a.status : EVENT_ODD;
    p = scan_space(p);
    if (*p != ',') break;
    p = scan_space(p + 1);
    if (*p == '}') return EVENT_ODD;
  }
  if (*p != '}' || p >= end || (a.odd && !text->valid)) return EVENT_ODD;
  *out_end = p + 1;
  bool stands = a.stands[ALIAS_CYCLES] || a.stands[ALIAS_CHARGE];
  return !stands || read_aliases(&a, p, kind) ? EVENT_DONE : a.status;
}
