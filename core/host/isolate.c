/* Opens and closes stages in processes of their own; see isolate.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/isolate-batch.h"
#include "host/isolate-call.h"
#include "host/phase.h"
#include "host/remote.h"

enum { LOOK_MS = 50 }; /* until the next look at a process that does not answer */

static bool make_link(IsolateLink *link, int *out_there)
{
  int ends[2];
  struct timeval look = { .tv_usec = LOOK_MS * 1000 };
  *link = (IsolateLink){ .fd = -1 };
  for (int k = 0; k < ISOLATE_BURST; k++) link->areas[k].fd = -1;
  void *shared =
      mmap(NULL, sizeof *link->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  link->shared = shared;
  for (int k = 0; k < ISOLATE_BURST; k++)
    if (!wire_area_open(&link->areas[k])) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  link->fd = ends[0];
  *out_there = ends[1];
  return !setsockopt(link->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
}

/* Nobody changes the table of names meanwhile: the child has all of it. */
static pid_t fork_quietly(Instance *i)
{
  Remote *r = i->remote;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  symbols_hold(i->env->symbols);
  r->n_tracks = i->tracks ? tracks_count(i->tracks) : 0;
  r->n_symbols = symbols_count(i->env->symbols);
  pid_t pid = fork();
  symbols_release(i->env->symbols);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pid;
}

static Error *not_started(Instance *i, int error_no)
{
  Error *e = error_new(EXIT_STAGE, "STG-13", "stage \"%s\" has no process of its own", i->id);
  error_why(e, "%s", g_strerror(error_no));
  return error_of_errno(error_help(e, "leave out --isolate, or use fewer threads with -j"),
                        error_no);
}

static Error *isolate_open(Instance *i, const void *options)
{
  Remote *r = i->remote = g_new0(Remote, 1);
  int there = -1;
  if (!make_link(&r->link, &there)) return not_started(i, errno);
  pid_t pid = fork_quietly(i);
  if (!pid) {
    close(r->link.fd);
    IsolateLink link = r->link;
    link.fd = there;
    isolate_work(i, &link, options);
  }
  int error_no = errno;
  close(there);
  if (pid < 0) return not_started(i, error_no);
  remote_begin(r, pid);
  remote_enter(r, "opening");
  return isolate_hear_opened(i, i->level == MILL_RUN ? PHASE_OPEN_RUN : PHASE_OPEN);
}

static Error *isolate_close(Instance *i)
{
  Error *e = i->remote && i->remote->pid ? isolate_call_close(i) : NULL;
  remote_free(i);
  return e;
}

const AwayOps isolate_ops = {
  .open = isolate_open, .call = isolate_call, .batch = isolate_batch, .close = isolate_close
};
