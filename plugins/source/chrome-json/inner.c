/* The object of attributes of an event, opened for its shape; see shape.h. */
/* SPDX-License-Identifier: MIT */
#include "projection.h"

/* 1 + the index of the key, 0: no stage asked for it; or SHUT. */
#define SHUT UINT32_MAX

static bool wants_all(const Projection *p)
{
  for (uint32_t kind = 0; kind < MILL_N_KINDS; kind++)
    if (p->all_as[kind] != AS_UNWANTED) return true;
  return false;
}

static uint32_t key_of(Source *s, const char *text, size_t len)
{
  Projection *p = &s->projection;
  const WantedKey *k = find_key(p, text, len);
  if (!k && !wants_all(p)) return 0;
  if (!k && p->keys->len >= MAX_OPEN_KEYS) return SHUT;
  if (!k) k = jsn_add_key(s, text, len);
  return k->alias ? SHUT : (uint32_t)(k - key_at(p, 0)) + 1;
}

static const char *after_value(Source *s, const char *p, const char *end)
{
  unsigned flags = 0;
  bool odd = false;
  if (*p == '{' || *p == '[') return s->container(p, end, &odd);
  if (*p != '"') return scan_scalar(p);
  const char *quote = scan_string(p + 1, end, &flags);
  return quote ? quote + 1 : NULL;
}

/* Of two members of one name the last one counts, which a shape does not know. */
static bool is_known(const Passage *p, uint32_t first, const char *text, size_t len)
{
  for (uint32_t i = first; i < p->n; i++) {
    const char *value = p->members[i].value;
    const char *quote = value - 1;
    while (*quote != '"')
      quote--; /* behind the key: between it and the value are a colon and white space */
    if ((size_t)(quote - p->start) > len && quote[-(ptrdiff_t)len - 1] == '"' &&
        !memcmp(quote - len, text, len))
      return true;
  }
  return false;
}

/* From after a brace or comma to after the value. */
static const char *add_member(Source *s, Passage *out, uint32_t first, const char *p,
                              const char *end)
{
  unsigned flags = 0;
  const char *quote = *p == '"' ? scan_string(p + 1, end, &flags) : NULL;
  if (!quote || flags || out->n == SHAPE_MEMBERS) return NULL;
  size_t len = (size_t)(quote - p - 1);
  uint32_t key = is_known(out, first, p + 1, len) ? SHUT : key_of(s, p + 1, len);
  if (key == SHUT) return NULL;
  const char *value = scan_space(scan_space(quote + 1) + 1);
  const char *after = after_value(s, value, end);
  out->members[out->n++] = (Passed){ value, after, SEEN_INNER, key };
  return after;
}

static bool open_object(Source *s, const Passed *object, Passage *out)
{
  const char *p = scan_space(object->value + 1);
  uint32_t first = out->n;
  while (*p != '}') {
    p = add_member(s, out, first, p, object->after);
    if (!p) return false;
    p = scan_space(p);
    if (*p == ',') p = scan_space(p + 1);
  }
  return true;
}

bool jsn_open_object(Source *s, const Passage *whole, Passage *out)
{
  uint32_t seen = 0, objects = 0;
  if (whole->n > SHAPE_MEMBERS) return false;
  out->start = whole->start;
  out->end = whole->end;
  out->n = 0;
  for (uint32_t i = 0; i < whole->n; i++) {
    const Passed *m = &whole->members[i];
    if (m->bit & (SEEN_ARGS | SEEN_ATTR)) {
      bool plain = *m->value == '{' && !objects++ && seen & SEEN_PH;
      if (!plain || !open_object(s, m, out)) return false;
    } else if (out->n == SHAPE_MEMBERS) {
      return false;
    } else {
      out->members[out->n++] = *m;
    }
    seen |= m->bit;
  }
  return objects > 0;
}
