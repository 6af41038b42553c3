/* Programs run as child processes: without a shell, with little environment, within limits, several at once. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum ChildEnd {
  CHILD_NOT_RUN,     /* the system refused: error_no */
  CHILD_EXITED,      /* status */
  CHILD_KILLED,      /* by a signal that was not ours: status is its number */
  CHILD_TOO_LONG,    /* its time was over */
  CHILD_WROTE_MUCH,  /* more than CHILD_MAX_OUT */
  CHILD_INTERRUPTED, /* the caller was asked to stop */
  CHILD_LOST,        /* the system does not say how it ended: error_no */
} ChildEnd;

enum {
  CHILD_MAX_OUT = 64 << 20,
  CHILD_WORDS = 1024, /* of its standard error: the last ones */
  CHILD_LIMIT_S = 20, /* unless it is said */
  CHILD_AT_ONCE = 64, /* at most */
  CHILD_FILES = 64,   /* open at once */
};
#define CHILD_MEMORY ((uint64_t)2 << 30) /* of addresses */

typedef struct Child {
  const char *path;        /* absolute */
  const char *const *argv; /* with the name before them; NULL at the end */
  const void *in;
  size_t in_len;
  uint32_t limit_ms; /* 0: CHILD_LIMIT_S */
  /* Filled; child_clear frees. */
  ChildEnd end;
  int status, error_no;
  GByteArray *out;
  GString *words; /* the last of its standard error */
} Child;

/* Runs them all, `at_once` side by side, in this thread.  They write no files; what they leave running is killed when
 * they end.  They die with this thread. */
void children_run(Child *children, guint n, guint at_once, bool (*cancelled)(void *context),
                  void *context);
void child_clear(Child *c);
/* "was killed by signal 9: its last words"; NULL when it exited with 0.  g_free. */
char *child_why(const Child *c);
/* Every child of the process, now; safe in a signal handler. */
void children_kill(void);

/* A program of that name in the folders of PATH (":" between them; only absolute ones count), or at that path if there
 * is a slash in it; NULL: there is none that may be run. */
char *child_find(const char *program, const char *path);

/* ---- for children_run: a child with three ends of pipes; -1: errno says why.  *out_in is a socket. */
typedef struct ChildPipes {
  int in, out, words; /* -1: closed */
} ChildPipes;
pid_t child_start(const Child *c, ChildPipes *out);
/* Waits for one that ended or was killed. */
void child_reap(pid_t pid);

#endif
