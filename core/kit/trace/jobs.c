/* States of jobs, found by name; see jobs.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/symbol.h"
#include "kit/trace/jobs.h"

#include <string.h>

#include "kit/trace/transfer.h"

bool jobs_open(Jobs *jobs, const MillHost *common, size_t state_size)
{
  *jobs = (Jobs){ .common = common, .key = symbol_of(common, "jobname") };
  jobs->states = keyed_new(common, state_size);
  return jobs->states != NULL;
}

void *jobs_of(Jobs *jobs, const MillBatch *batch, const MillEvent *e)
{
  char number[DIGITS_MAX];
  size_t len = 0;
  const char *name =
      transfer_text(jobs->common, batch, mill_attr(batch, e, jobs->key), number, &len);
  if (!name) name = "", len = 0;
  const KeyedEntry *last = jobs->last; /* mostly that of the event before */
  if (!last || last->len != len || memcmp(last->key, name, len) != 0)
    jobs->last = last = keyed_entry(jobs->states, name, len);
  return last ? last->state : NULL;
}
