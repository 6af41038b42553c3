/* Threads for further rows; see threads.h. */
#include "lib/threads.h"

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
