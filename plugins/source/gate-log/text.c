/* The text of a gate log, a window of it at a time. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gate-log.h"

void gate_text_start(GateText *t)
{
  t->p = t->end = t->bytes;
  t->offset = 0;
  t->at_end = false;
  t->status = 0;
  gate_text_fill(t);
}

void gate_text_fill(GateText *t)
{
  size_t left = (size_t)(t->end - t->p);
  t->offset += (uint64_t)(t->p - t->bytes);
  memmove(t->bytes, t->p, left);
  while (left < GATE_WINDOW && !t->at_end) {
    int64_t n = t->host->read(t->host, t->bytes + left, GATE_WINDOW - left);
    if (n < 0) t->status = (int)n;
    if (n <= 0)
      t->at_end = true;
    else
      left += (size_t)n;
  }
  t->p = t->bytes;
  t->end = t->bytes + left;
  memset(t->bytes + left, 0xff, SCAN_PAD);
}

bool gate_text_skip(GateText *t, uint64_t n)
{
  while (n > 0) {
    if (t->p == t->end && !t->at_end) gate_text_fill(t);
    uint64_t step = MIN(n, (uint64_t)(t->end - t->p));
    if (step == 0) return false;
    t->p += step;
    n -= step;
  }
  return true;
}
