/* The members of one raw object; see member.h. */
#include "member.h"

#include "base/scan.h"

bool member_open(MemberWalk *w, const char *text, size_t len)
{
  *w = (MemberWalk){ text + 1, text + len, false };
  return len >= 2 && *text == '{';
}

static bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || scan_is_space(c); }

/* Numbers and words: their first character says that they can be one. */
static const char *pass_scalar(const char *p, const char *end)
{
  if (*p != '-' && !is_digit(*p) && *p != 't' && *p != 'f' && *p != 'n') return NULL;
  while (p < end && !ends_scalar(*p)) p++;
  return p;
}

static const char *pass_value(const char *p, const char *end)
{
  bool odd = false;
  unsigned flags = 0;
  if (p >= end) return NULL;
  if (*p == '{' || *p == '[') return scan_container(p, end, &odd);
  if (*p != '"') return pass_scalar(p, end);
  p = scan_string(p + 1, end, &flags);
  return p ? p + 1 : NULL;
}

/* The place after `c`, which is the next byte but for white space. */
static const char *pass_mark(const char *p, const char *end, char c)
{
  p = scan_space(p);
  return p < end && *p == c ? p + 1 : NULL;
}

MemberStep member_next(MemberWalk *w, Member *out)
{
  unsigned flags = 0;
  const char *p = scan_space(w->at), *key_end;
  if (p < w->end && *p == '}') return scan_space(p + 1) >= w->end ? MEMBER_END : MEMBER_MALFORMED;
  if (w->any && !(p = pass_mark(p, w->end, ','))) return MEMBER_MALFORMED;
  if (!(p = pass_mark(p, w->end, '"'))) return MEMBER_MALFORMED;
  if (!(key_end = scan_string(p, w->end, &flags))) return MEMBER_MALFORMED;
  out->key = p;
  out->key_len = (size_t)(key_end - p);
  out->key_escaped = flags & SCAN_ESCAPED;
  if (!(p = pass_mark(key_end + 1, w->end, ':'))) return MEMBER_MALFORMED;
  p = scan_space(p);
  out->value = p;
  if (!(p = pass_value(p, w->end))) return MEMBER_MALFORMED;
  out->value_len = (size_t)(p - out->value);
  w->at = p;
  w->any = true;
  return MEMBER_NEXT;
}
