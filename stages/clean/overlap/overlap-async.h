/* Slices as pairs of asynchronous events, and names without the numbers of requests, by which viewers would keep
 * every pair apart. */
/* SPDX-License-Identifier: MIT */
#ifndef OVERLAP_ASYNC_H
#define OVERLAP_ASYNC_H

#include <stagemill/stage.h>

#include "kit/state/symmap.h"

typedef struct Async {
  const MillHost *common;
  MillSym request_key;
  SymMap names, requests; /* by old name: the new one, and the number that was in it */
  uint64_t next_id;
} Async;

void async_open(Async *, const MillHost *common);
/* Ids that asynchronous events of the input have are not given again. */
void async_see(Async *, const MillEvent *);
/* The slice becomes the begin, its end is emitted; false after a failure. */
bool async_make(Async *, const MillStageHost *, MillBatch *, uint32_t slice);
/* "foo_12_bar" becomes "foo bar", with the attribute reqID "12"; 0, or what `set` returned. */
int async_strip_name(Async *, const MillStageHost *, MillBatch *, uint32_t slice);

#endif
