/* The args object: made from attributes, or rebuilt around those that stages changed. */
#include "event.h"

#include "base/num.h"
#include "base/scan.h"

/* Attributes that tie events of one lane together; producers spell the second in two ways. */
static bool is_correlation(const char *key, size_t len)
{
  if (len != 11) return false;
  return !memcmp(key, "correlation", 11) || !memcmp(key, "External id", 11) ||
         !memcmp(key, "external id", 11);
}

/* A plain integer.  Negative ones stand for "none" and are not ids. */
static bool plain_id(const Member *m, int64_t *out)
{
  return is_digit(*m->value) && num_int(m->value, m->value_len, out) && *out >= 0;
}

static Change *find_change(EventWriter *w, MillSym sym)
{
  /* Backwards: the values of a list follow each other. */
  for (guint i = w->changes->len; i-- > 0;) {
    Change *c = &g_array_index(w->changes, Change, i);
    if (c->sym == sym) return c;
  }
  return NULL;
}

static Change *add_change(EventWriter *w, MillSym sym, uint32_t first)
{
  Change c = { .sym = sym, .first = first };
  c.key = w->common->symbol_text(w->common, sym, &c.key_len);
  g_array_append_val(w->changes, c);
  return &g_array_index(w->changes, Change, w->changes->len - 1);
}

void args_collect(EventWriter *w, const MillBatch *b, const MillEvent *e, bool changed_only)
{
  g_array_set_size(w->changes, 0);
  for (uint32_t i = e->attrs; i < e->attrs + e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[i];
    if (changed_only && !(a->type & MILL_ATTR_SET)) continue;
    Change *c = find_change(w, a->key);
    if (!c) c = add_change(w, a->key, i);
    if ((a->type & MILL_ATTR_TYPE) != MILL_NONE) c->values++;
  }
}

bool args_any(const EventWriter *w)
{
  for (guint i = 0; i < w->changes->len; i++) {
    const Change *c = &g_array_index(w->changes, Change, i);
    if (c->values && !c->placed) return true;
  }
  return false;
}

static void write_value(EventWriter *w, const MillBatch *b, const MillAttr *a)
{
  size_t len = 0;
  const char *bytes;
  switch (a->type & MILL_ATTR_TYPE) {
  case MILL_INT: text_int(w->text, a->u.i); break;
  case MILL_REAL: text_real(w->text, a->u.r); break;
  case MILL_SYM:
    bytes = w->common->symbol_text(w->common, a->u.sym, &len);
    text_quote(w->text, bytes, len);
    break;
  case MILL_TEXT:
    bytes = mill_attr_text(b, a, &len);
    text_quote(w->text, bytes, len);
    break;
  case MILL_JSON:
    bytes = mill_attr_text(b, a, &len);
    text_put(w->text, bytes, len);
    break;
  case MILL_BOOL:
    if (a->u.i)
      text_literal(w->text, "true");
    else
      text_literal(w->text, "false");
    break;
  default: text_literal(w->text, "null");
  }
}

/* "key":value or "key":[value,value]; a comma before it unless it is the first member. */
static void place_change(EventWriter *w, const MillBatch *b, Change *c, bool *first)
{
  bool rename = w->view.rename && is_correlation(c->key, c->key_len);
  c->placed = true;
  if (!c->values) return;
  if (!*first) text_char(w->text, ',');
  *first = false;
  text_quote(w->text, c->key, c->key_len);
  text_char(w->text, ':');
  if (c->values > 1) text_char(w->text, '[');
  uint32_t left = c->values;
  for (uint32_t i = c->first; left; i++) {
    const MillAttr *a = &b->attrs[i];
    if (a->key != c->sym || (a->type & MILL_ATTR_TYPE) == MILL_NONE) continue;
    if (rename && (a->type & MILL_ATTR_TYPE) == MILL_INT && a->u.i >= 0)
      text_int(w->text, ranks_number(w->view.lane, (uint64_t)a->u.i));
    else
      write_value(w, b, a);
    if (--left) text_char(w->text, ',');
  }
  if (c->values > 1) text_char(w->text, ']');
}

static void place_rest(EventWriter *w, const MillBatch *b, bool *first)
{
  for (guint i = 0; i < w->changes->len; i++) {
    Change *c = &g_array_index(w->changes, Change, i);
    if (!c->placed) place_change(w, b, c, first);
  }
}

void args_make(EventWriter *w, const MillBatch *b)
{
  bool first = true;
  text_char(w->text, '{');
  place_rest(w, b, &first);
  text_char(w->text, '}');
}

static Change *change_of(EventWriter *w, const Member *m)
{
  size_t len;
  const char *key = event_key_text(w, m, &len);
  for (guint i = 0; i < w->changes->len; i++) {
    Change *c = &g_array_index(w->changes, Change, i);
    if (c->key_len == len && !memcmp(c->key, key, len)) return c;
  }
  return NULL;
}

static bool is_to_rename(EventWriter *w, const Member *m, int64_t *out)
{
  size_t len;
  const char *key = event_key_text(w, m, &len);
  return is_correlation(key, len) && plain_id(m, out);
}

static void copy_renamed(EventWriter *w, const Member *m, bool *first)
{
  int64_t id;
  if (!w->view.rename || !is_to_rename(w, m, &id)) {
    event_copy_member(w, m, first);
    return;
  }
  event_open_member(w, m->key, m->key_len, first);
  text_int(w->text, ranks_number(w->view.lane, (uint64_t)id));
}

bool args_rebuild(EventWriter *w, const MillBatch *b, const Member *old, bool append)
{
  MemberWalk walk;
  MemberStep step;
  Member m;
  bool first = true;
  text_char(w->text, '{');
  if (!member_open(&walk, old->value, old->value_len)) return false;
  while ((step = member_next(&walk, &m)) == MEMBER_NEXT) {
    Change *c = change_of(w, &m);
    if (!c)
      copy_renamed(w, &m, &first);
    else if (!c->placed)
      place_change(w, b, c, &first);
  }
  if (append) place_rest(w, b, &first);
  text_char(w->text, '}');
  return step == MEMBER_END;
}

bool args_rename(EventWriter *w, const Member *m, bool *first)
{
  MemberWalk walk;
  MemberStep step;
  Member part;
  int64_t id;
  const char *copied = m->value;
  size_t mark = w->text->len;
  bool was_first = *first;
  if (!member_open(&walk, m->value, m->value_len)) return false;
  event_open_member(w, m->key, m->key_len, first);
  while ((step = member_next(&walk, &part)) == MEMBER_NEXT) {
    if (!is_to_rename(w, &part, &id)) continue;
    text_put(w->text, copied, (size_t)(part.value - copied));
    text_int(w->text, ranks_number(w->view.lane, (uint64_t)id));
    copied = part.value + part.value_len;
  }
  text_put(w->text, copied, (size_t)(m->value + m->value_len - copied));
  if (step == MEMBER_END) return true;
  w->text->len = mark;
  *first = was_first;
  return false;
}

bool args_integer(EventWriter *w, const Member *args, const char *key, int64_t *out)
{
  MemberWalk walk;
  Member m;
  size_t len;
  if (!member_open(&walk, args->value, args->value_len)) return false;
  while (member_next(&walk, &m) == MEMBER_NEXT) {
    const char *text = event_key_text(w, &m, &len);
    if (len == strlen(key) && !memcmp(text, key, len)) return num_int(m.value, m.value_len, out);
  }
  return false;
}
