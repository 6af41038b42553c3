/* Threads for further rows; see threads.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/threads.h"

#include <stdio.h>
#include <string.h>

bool threads_next(const MillHost *common, const MillValue *thread, uint64_t tries, MillValue *out)
{
  if (thread->type == MILL_INT) {
    int64_t number;
    if (__builtin_add_overflow(thread->u.i, (int64_t)tries, &number)) {
      mill_fail(common, MILL_LIMIT, "no thread number is free for another row", NULL);
      return false;
    }
    *out = mill_int(number);
    return true;
  }
  size_t len = 0;
  const char *name =
      thread->type == MILL_SYM ? common->symbol_text(common, thread->u.sym, &len) : "";
  char *text = common->scratch(common, len + 32);
  if (!text) return false;
  memcpy(text, name, len);
  len += (size_t)snprintf(text + len, 32, len ? " +%llu" : "+%llu", (unsigned long long)tries);
  *out = mill_sym(common->intern(common, text, len));
  return true;
}

ThreadSlot *threads_slot(ThreadSlots *t, uint32_t number)
{
  bool reached = array_reserve_at(t->common, &t->slots, &t->n, number, sizeof *t->slots);
  return reached ? &t->slots[number] : NULL;
}

bool threads_take(ThreadSlots *t, const MillValue *from, MillValue *out, uint32_t *out_number)
{
  uint32_t first = t->number_of(t->user, *from), behind = first;
  if (first == MILL_FAILED || !threads_slot(t, first)) return false;
  uint64_t behind_tries = 0, tries = t->slots[first].passed + 1;
  for (; threads_next(t->common, from, tries, out); tries++) {
    *out_number = t->number_of(t->user, *out);
    ThreadSlot *slot = *out_number == MILL_FAILED ? NULL : threads_slot(t, *out_number);
    if (!slot) return false;
    bool is_free = !slot->used;
    slot->used = true;
    t->slots[first].passed = tries;
    if (is_free) return true;
    if (from->type != MILL_INT) continue; /* what follows a name is its own alone */
    t->slots[behind].passed = tries - behind_tries + slot->passed;
    behind = *out_number;
    behind_tries = tries;
    tries += slot->passed;
  }
  return false;
}
