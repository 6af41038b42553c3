/* Values in messages between the program and the process of a stage; see isolate-talk.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-talk.h"

void talk_put_value(Summary *out, const MillValue *v)
{
  summary_put_int(out, v->type);
  summary_put_int(out, v->type == MILL_SYM ? (int64_t)v->u.sym : v->u.i);
}

MillValue talk_get_value(Summary *from)
{
  MillValue v = { .type = (uint32_t)summary_get_int(from) };
  int64_t bits = summary_get_int(from);
  if (v.type == MILL_SYM)
    v.u.sym = (MillSym)bits;
  else
    v.u.i = bits;
  return v;
}
