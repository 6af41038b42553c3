/* Slices of the host that say why a device had nothing to do: kept by thread, without those that lie in another one. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_HOST_MARKS_H
#define TORCH_LIB_HOST_MARKS_H

#include <stagemill/types.h>

#include "kit/devices/torch-words.h"

typedef struct Mark {
  int64_t start_ns, end_ns;
  uint32_t track;
  MillSym name;
} Mark;

typedef struct Marks {
  Mark *items;
  size_t n, capacity;
  size_t tidy_at; /* those that lie in another one are left out once there are so many */
} Marks;

typedef enum MarkKind { /* those before MARK_SYNC explain an instant, the first of them first */
                        MARK_LOADER,
                        MARK_ALLOCATION,
                        MARK_COLLECTION,
                        MARK_COMPILE,
                        MARK_SYNC,  /* a call that waits for the device */
                        MARK_WAIT,  /* a call that lets a stream wait for another one */
                        MARK_OUTER, /* an operator or annotation in no other one */
                        N_MARKS
} MarkKind;

typedef struct HostMarks { /* { .common = common } is empty */
  const MillHost *common;
  SymClass names;
  Marks kinds[N_MARKS];
} HostMarks;

/* Here and below false means that memory was refused.  A slice of the host: what it says of idleness, by its name. */
bool host_marks_see(HostMarks *, const MillEvent *, TorchKind kind, bool is_step);
/* The mark of a name alone; N_MARKS: none. */
MarkKind host_mark_of(HostMarks *, MillSym name);
bool host_marks_close(HostMarks *);
/* Once closed: the first of that kind on the track that has not ended at that time; NULL: there is none. */
const Mark *host_marks_at(const HostMarks *, MarkKind kind, uint32_t track, int64_t ts_ns);
/* The last one that began by then; NULL: there is none. */
const Mark *host_marks_before(const HostMarks *, MarkKind kind, uint32_t track, int64_t ts_ns);

#endif
