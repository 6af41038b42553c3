/* The members of one raw object; see member.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/member.h"

#include "base/scan.h"

bool member_open(MemberWalk *w, const char *text, size_t len)
{
  *w = (MemberWalk){ text + 1, text + len, false, false };
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

/* Of an inner object its own closing brace, of the outer one the end of the text. */
static MemberStep end_of(MemberWalk *w, const char *p)
{
  w->at = p + 1;
  return w->inner || scan_space(p + 1) >= w->end ? MEMBER_END : MEMBER_MALFORMED;
}

#if defined(SCAN_SSE2)
/* A key as most are: after a comma and no more than a blank, shorter than 16 bytes, without escapes.  False: it must
 * be looked at more closely, and nothing was changed.  What is behind the end stops it, as it is 0xFF. */
static inline bool plain_key(MemberWalk *w, Member *out)
{
  const char *p = w->at;
  if (w->any && *p++ != ',') return false;
  p += *p == ' ';
  if (*p++ != '"') return false;
  __m128i x = _mm_loadu_si128((const __m128i *)p);
  __m128i stops =
      _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')), _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
  unsigned stop = (unsigned)_mm_movemask_epi8(stops);
  if (!stop) return false;
  size_t len = (size_t)__builtin_ctz(stop);
  if (p[len] != '"' || p[len + 1] != ':') return false;
  const char *value = p + len + 2;
  value += *value == ' ';
  if (scan_is_space(*value)) return false;
  out->key = p;
  out->key_len = len;
  out->key_escaped = false;
  out->value = value;
  return w->any = true;
}
#else
static inline bool plain_key(MemberWalk *w, Member *out)
{
  (void)w, (void)out;
  return false;
}
#endif

MemberStep member_key(MemberWalk *w, Member *out)
{
  if (plain_key(w, out)) return MEMBER_NEXT;
  unsigned flags = 0;
  const char *p = scan_space(w->at), *key_end;
  if (p < w->end && *p == '}') return end_of(w, p);
  if (w->any && !(p = pass_mark(p, w->end, ','))) return MEMBER_MALFORMED;
  if (!(p = pass_mark(p, w->end, '"'))) return MEMBER_MALFORMED;
  if (!(key_end = scan_string(p, w->end, &flags))) return MEMBER_MALFORMED;
  out->key = p;
  out->key_len = (size_t)(key_end - p);
  out->key_escaped = flags & SCAN_ESCAPED;
  if (!(p = pass_mark(key_end + 1, w->end, ':'))) return MEMBER_MALFORMED;
  out->value = scan_space(p);
  w->any = true;
  return MEMBER_NEXT;
}

static void pass_to(MemberWalk *w, Member *m, const char *end)
{
  m->value_len = (size_t)(end - m->value);
  w->at = end;
}

bool member_value(MemberWalk *w, Member *m)
{
  const char *end = pass_value(m->value, w->end);
  if (end) pass_to(w, m, end);
  return end != NULL;
}

MemberStep member_step(MemberWalk *w, Member *out)
{
  MemberStep step = member_key(w, out);
  return step != MEMBER_NEXT || member_value(w, out) ? step : MEMBER_MALFORMED;
}

MemberWalk member_enter(const MemberWalk *w, const Member *m)
{
  return (MemberWalk){ m->value + 1, w->end, false, true };
}

void member_leave(MemberWalk *w, Member *m, const MemberWalk *inner) { pass_to(w, m, inner->at); }
