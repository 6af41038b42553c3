/* The process of an isolated stage, as the program has it: whether it still works, and how it ends. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_REMOTE_H
#define HOST_REMOTE_H

#include <sys/types.h>

#include "host/isolate-talk.h"

typedef struct Remote {
  IsolateLink link;
  pid_t pid;                    /* 0: it has ended */
  uint32_t n_symbols, n_tracks; /* that it knows of */
  uint64_t memory_bytes;        /* that it has, beyond what the program had */
  int64_t started_ns, cpu_ns;   /* of the call; the second from the first look on, before that -1 */
  unsigned n_waiting;           /* batches in the areas that it has not seen */
  BatchCall waiting_call;       /* that they are for */
  unsigned n_looks;             /* since the run was to stop */
  const char *doing;
} Remote;

void remote_begin(Remote *r, pid_t pid);
/* A call begins, from which its time counts. */
void remote_enter(Remote *r, const char *doing);
/* Asked while a call does not return.  NULL: it may go on; else it has been ended. */
Error *remote_look(Instance *i);
/* Ends it, with what it started; how it ended is the error. */
Error *remote_ended(Instance *i);
int remote_reap(Remote *r); /* the same; its status as of waitpid */
Error *remote_lost(const Instance *i, int status, const char *how);
/* Ends it where it still works, and closes the program's side. */
void remote_free(Instance *i);

/* All processes of stages, now; safe in a signal handler. */
void remote_kill_all(void);

#endif
