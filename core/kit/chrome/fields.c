/* Reading the members of an event; see fields.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/fields.h"

#include "base/scan.h"

#define KEY(a, b, c, d) \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static int short_field(uint32_t key)
{
  switch (key) {
  case KEY('p', 'h', 0, 0): return F_PH;
  case KEY('t', 's', 0, 0): return F_TS;
  case KEY('i', 'd', 0, 0): return F_ID;
  case KEY('b', 'p', 0, 0): return F_BP;
  case KEY('c', 'a', 't', 0): return F_CAT;
  case KEY('p', 'i', 'd', 0): return F_PID;
  case KEY('t', 'i', 'd', 0): return F_TID;
  case KEY('d', 'u', 'r', 0): return F_DUR;
  case KEY('i', 'd', '2', 0): return F_ID2;
  case KEY('n', 'a', 'm', 'e'): return F_NAME;
  case KEY('a', 'r', 'g', 's'): return F_ARGS;
  case KEY('a', 't', 't', 'r'): return F_ATTR;
  default: return -1;
  }
}

static int field_of(const char *key, size_t len)
{
  if (len == 7 && !memcmp(key, "bind_id", 7)) return F_BIND_ID;
  if (len < 2 || len > 4) return -1;
  const unsigned char *k = (const unsigned char *)key;
  return short_field(KEY(k[0], k[1], len > 2 ? k[2] : 0, len > 3 ? k[3] : 0));
}

static int field_at(EventWriter *w, const Member *m)
{
  size_t len;
  if (!m->key_escaped) return field_of(m->key, m->key_len);
  const char *key = event_key_text(w, m, &len);
  return field_of(key, len);
}

/* Without a call while the room that was reserved lasts. */
static void push(GArray *members, const Member *m)
{
  if (members->len < MEMBERS_ROOM)
    ((Member *)(void *)members->data)[members->len++] = *m;
  else
    g_array_append_vals(members, m, 1);
}

/* The members of its value, when that is an object of arguments. */
static bool read_value(EventWriter *w, MemberWalk *walk, Member *m)
{
  bool arguments = (m->field == F_ARGS || m->field == F_ATTR) && *m->value == '{';
  if (!arguments) return member_value(walk, m);
  MemberWalk inner = member_enter(walk, m);
  MemberStep step;
  Member part = { 0 };
  m->first_inner = w->arguments->len;
  while ((step = member_step(&inner, &part)) == MEMBER_NEXT) push(w->arguments, &part);
  m->n_inner = w->arguments->len - m->first_inner;
  member_leave(walk, m, &inner);
  return step == MEMBER_END;
}

bool members_read(EventWriter *w, const char *raw, size_t len)
{
  MemberWalk walk;
  MemberStep step;
  Member m = { 0 };
  bool has_attr = false;
  w->old.len = 0;
  text_put(&w->old, raw, len);
  if (w->old.capacity - len < SCAN_PAD) text_grow(&w->old, SCAN_PAD);
  memset(w->old.bytes + len, 0xff, SCAN_PAD);
  g_array_set_size(w->members, 0);
  g_array_set_size(w->arguments, 0);
  w->has_args = false;
  if (!member_open(&walk, w->old.bytes, len)) return false;
  while ((step = member_key(&walk, &m)) == MEMBER_NEXT) {
    m.field = field_at(w, &m);
    if (w->bare && m.field == F_ATTR) m.field = -1;
    m.n_inner = 0;
    if (!read_value(w, &walk, &m)) return false;
    w->has_args = w->has_args || m.field == F_ARGS;
    has_attr = has_attr || m.field == F_ATTR;
    m.is_id = m.field == F_ID || m.field == F_ID2 || m.field == F_BIND_ID;
    push(w->members, &m);
  }
  if (step == MEMBER_END && has_attr) flex_fold(w, F_ARGS, F_ATTR);
  return step == MEMBER_END;
}
