/* The members of one raw object, walked without validating what their values hold. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_MEMBER_H
#define KIT_CHROME_MEMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Member {
  const char *key; /* between the quotes, as written */
  size_t key_len;
  const char *value;
  size_t value_len;
  bool key_escaped;
  bool is_id; /* of an event */
  /* For the caller: */
  int field;
  unsigned first_inner, n_inner; /* members of its value */
} Member;

typedef struct MemberWalk {
  const char *at, *end;
  bool any, inner;
} MemberWalk;

typedef enum { MEMBER_NEXT, MEMBER_END, MEMBER_MALFORMED } MemberStep;

/* The buffer that holds the text must end in SCAN_PAD bytes of 0xFF, see base/scan.h. */
bool member_open(MemberWalk *w, const char *text, size_t len);
MemberStep member_step(MemberWalk *w, Member *out);
/* The same in two steps: up to the value, which then is passed, or walked if it is an object. */
MemberStep member_key(MemberWalk *w, Member *out);
bool member_value(MemberWalk *w, Member *m);
MemberWalk member_enter(const MemberWalk *w, const Member *m);
/* After the last member of what was entered. */
void member_leave(MemberWalk *w, Member *m, const MemberWalk *inner);

#endif
