/* What becomes of a call of the system while faults are tried.
 *
 * STAGEMILL_FAULT=CALL:N:once|on|short[:ERROR]  the N-th CALL fails, each from it on, or it moves half of its bytes
 * STAGEMILL_FAULT=CALL:N:kill                   the process is killed before the N-th CALL
 * STAGEMILL_FAULT_LOG=FILE    what has failed is added to it: the call, its file, and who called
 * STAGEMILL_FAULT_COUNT=FILE  at exit: every call by its number and where it came from
 *
 * Calls count from main on.  Processes that the program starts run without any of this. */
/* SPDX-License-Identifier: MIT */
#ifndef FAULTS_CHOICE_H
#define FAULTS_CHOICE_H

#include <stdbool.h>

typedef enum {
  READ,
  PREAD,
  WRITE,
  FSYNC,
  RENAME,
  REMOVE,
  OPEN,
  OPENDIR,
  MKDIR,
  STAT,
  MMAP,
  ALLOC, /* whatever gives memory but mmap; from then on, that too */
  THREAD,
  SPAWN,
  N_CALLS
} Call;

typedef enum { PASS, FAIL, SHORT } Verdict;

/* What this library calls is not its own business. */
extern __thread bool inside;

void faults_begin(void); /* main is about to be entered */
/* Counts the call; errno is set when it fails.  `path` or `fd` is its file. */
Verdict judge(Call call, const char *path, int fd);
bool fails(Call call, const char *path, int fd);
int fault_error(void);

#endif
