/* Counters from levels; see change-counter.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/change-counter.h"

bool change_counter_open(ChangeCounter *c, const char *prefix, Field name, uint32_t track)
{
  const MillHost *common = c->host->common;
  Buffer text = { .common = common };
  if (!buffer_add(&text, prefix, strlen(prefix)) || !buffer_add(&text, " ", 1) ||
      !buffer_add(&text, name.text, name.len))
    return false;
  c->event = (MillEvent){ .dur_ns = -1,
                          .kind = MILL_COUNTER,
                          .track = track,
                          .name = common->intern(common, text.text, text.len) };
  array_free(common, text.text);
  return true;
}

int change_counter_emit(void *user, int64_t ts_ns, int64_t level)
{
  ChangeCounter *c = user;
  c->event.ts_ns = ts_ns;
  uint32_t index = c->host->emit(c->host, c->batch, MILL_AT_END, &c->event);
  if (index == MILL_FAILED) return -MILL_LIMIT;
  MillValue value = c->per > 0 ? mill_real((double)level / c->per) : mill_int(level);
  return c->host->set(c->host, c->batch, index, c->key, value);
}
