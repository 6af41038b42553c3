/* The args object: made from attributes, or rebuilt around those that stages changed. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/event.h"

#include "base/num.h"
#include "base/scan.h"
#include "kit/chrome/rows.h"

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
  bool rename = w->view.rename && originals_is_correlation(c->key, c->key_len);
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
    if (rename && !(a->type & MILL_ATTR_ALL) && (a->type & MILL_ATTR_TYPE) == MILL_INT &&
        a->u.i >= 0)
      text_int(w->text, ranks_number(w->view.place, (uint64_t)a->u.i));
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
  originals_put(w, &first);
  text_char(w->text, '}');
}

Change *args_change_of(EventWriter *w, const Member *m)
{
  size_t len;
  const char *key = event_key_text(w, m, &len);
  for (guint i = 0; i < w->changes->len; i++) {
    Change *c = &g_array_index(w->changes, Change, i);
    if (c->key_len == len && !memcmp(c->key, key, len)) return c;
  }
  return NULL;
}

/* Whether the value has another form among several lanes: *out is what it was at first. */
static bool is_renamed(EventWriter *w, const Member *m, Member *out, bool *out_name)
{
  size_t len;
  int64_t id;
  if (!w->view.rename) return false;
  bool may_be_name = w->is_thread_name && m->key_len == 4, may_be_id = m->key_len == 11;
  if (!m->key_escaped && !may_be_name && !may_be_id) return false;
  const char *key = event_key_text(w, m, &len);
  *out_name = w->is_thread_name && len == 4 && !memcmp(key, "name", 4) && *m->value == '"';
  if (!*out_name && !originals_is_correlation(key, len)) return false;
  *out = originals_value(w, m);
  return *out_name || plain_id(out, &id);
}

static void put_renamed(EventWriter *w, const Member *value, bool is_name)
{
  int64_t id = 0;
  if (is_name)
    rows_put_thread(w, value);
  else if (plain_id(value, &id))
    text_int(w->text, ranks_number(w->view.place, (uint64_t)id));
}

static void copy_renamed(EventWriter *w, const Member *m, bool *first)
{
  Member value;
  bool is_name;
  event_open_member(w, m->key, m->key_len, first);
  if (is_renamed(w, m, &value, &is_name))
    put_renamed(w, &value, is_name);
  else
    text_put(w->text, m->value, m->value_len);
}

void args_rebuild(EventWriter *w, const MillBatch *b, const Member *old, bool append)
{
  bool first = true;
  text_char(w->text, '{');
  for (unsigned i = 0; i < old->n_inner; i++) {
    const Member *m = args_at(w, old, i);
    Change *c = args_change_of(w, m);
    if (!c)
      copy_renamed(w, m, &first);
    else if (!c->placed)
      place_change(w, b, c, &first);
  }
  if (append) place_rest(w, b, &first);
  if (append) originals_put(w, &first);
  text_char(w->text, '}');
}

void args_rename(EventWriter *w, const Member *m, bool *first)
{
  const char *copied = m->value, *end = m->value + m->value_len;
  bool empty = !m->n_inner, append = *m->key == 'a' && m->key[1] == 'r';
  event_open_member(w, m->key, m->key_len, first);
  for (unsigned i = 0; i < m->n_inner; i++) {
    const Member *part = args_at(w, m, i);
    Member value;
    bool is_name;
    if (!is_renamed(w, part, &value, &is_name)) continue;
    text_put(w->text, copied, (size_t)(part->value - copied));
    put_renamed(w, &value, is_name);
    copied = part->value + part->value_len;
  }
  if (append || !w->has_args) {
    text_put(w->text, copied, (size_t)(end - 1 - copied));
    copied = end - 1;
    originals_put(w, &empty);
  }
  text_put(w->text, copied, (size_t)(end - copied));
}

const Member *args_member(EventWriter *w, const char *key)
{
  size_t len, wanted = strlen(key);
  for (guint i = 0; i < w->members->len; i++) {
    const Member *args = &g_array_index(w->members, Member, i);
    if (args->key_len != 4 || memcmp(args->key, "args", 4) != 0) continue;
    for (unsigned k = 0; k < args->n_inner; k++) {
      const char *text = event_key_text(w, args_at(w, args, k), &len);
      if (len == wanted && !memcmp(text, key, len)) return args_at(w, args, k);
    }
  }
  return NULL;
}
