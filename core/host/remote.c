/* The process of an isolated stage: looking at it, and its end; see remote.h. */
/* SPDX-License-Identifier: MIT */
#include "host/remote.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  GRACE_LOOKS = 20, /* that it has when the run is to stop */
  WALL_FACTOR = 10, /* a call may take so much longer than its processor time, on a busy machine */
  MOST = 1024,      /* more processes are not killed at once: they end with the program */
};

static _Atomic pid_t running[MOST];

static void list(pid_t pid)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t none = 0;
    if (atomic_compare_exchange_strong(&running[k], &none, pid)) return;
  }
}

static void unlist(pid_t pid)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t own = pid;
    if (atomic_compare_exchange_strong(&running[k], &own, 0)) return;
  }
}

void remote_kill_all(void)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t pid = atomic_load(&running[k]);
    if (pid > 0) kill(-pid, SIGKILL);
  }
}

static int64_t clock_ns(clockid_t clock)
{
  struct timespec t = { 0 };
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void remote_begin(Remote *r, pid_t pid)
{
  setpgid(pid, pid);
  list(pid);
  r->pid = pid;
}

void remote_enter(Remote *r, const char *doing)
{
  r->doing = doing;
  r->started_ns = clock_ns(CLOCK_MONOTONIC);
  r->cpu_ns = -1;
  r->n_looks = 0;
}

static int64_t cpu_of(const Remote *r)
{
  clockid_t clock;
  return clock_getcpuclockid(r->pid, &clock) ? 0 : clock_ns(clock);
}

int remote_reap(Remote *r)
{
  int status = 0;
  kill(-r->pid, SIGKILL);
  while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR) continue;
  unlist(r->pid);
  r->pid = 0;
  return status;
}

void remote_free(Instance *i)
{
  Remote *r = i->remote;
  if (!r) return;
  if (r->pid) remote_reap(r);
  budget_give(i->env->budget, USE_MODULES, r->memory_bytes);
  if (r->link.fd >= 0) close(r->link.fd);
  for (int k = 0; k < ISOLATE_BURST; k++) wire_area_close(&r->link.areas[k]);
  if (r->link.shared) munmap(r->link.shared, sizeof *r->link.shared);
  g_clear_pointer(&i->remote, g_free);
}

Error *remote_lost(const Instance *i, int status, const char *how)
{
  const Descriptor *d = i->descriptor;
  Error *e = error_new(status, "STG-13", "stage \"%s\" %s %s", i->id, d->version, how);
  error_of_kind(e, ERROR_LOST_STAGE);
  error_why(e, "it was %s, in a process of its own", i->remote->doing);
  if (i->lane && i->lane->name) error_at(e, "in %s", i->lane->name);
  if (status == EXIT_LIMIT)
    return error_help(e,
                      "give more memory with --max-memory, or cut the input with --from and --to");
  return error_help(e, "report it to its author; --keep-going writes all other results");
}

Error *remote_ended(Instance *i)
{
  int wait_status = remote_reap(i->remote);
  g_autofree char *how = NULL;
  if (WIFSIGNALED(wait_status))
    how = g_strdup_printf("crashed (%s)", strsignal(WTERMSIG(wait_status)));
  else if (WEXITSTATUS(wait_status) == EXIT_LIMIT)
    how = g_strdup("needs more memory than there is");
  else
    how = g_strdup_printf("ended its process, with status %d", WEXITSTATUS(wait_status));
  bool memory = !WIFSIGNALED(wait_status) && WEXITSTATUS(wait_status) == EXIT_LIMIT;
  return remote_lost(i, memory ? EXIT_LIMIT : EXIT_STAGE, how);
}

Error *remote_look(Instance *i)
{
  Remote *r = i->remote;
  int64_t limit_ns = i->env->isolate_limit_ns;
  if (r->cpu_ns < 0) r->cpu_ns = cpu_of(r);
  bool stop = i->env->cancelled(i->env->run);
  if (stop) atomic_store(&r->link.shared->cancelled, true);
  bool late = cpu_of(r) - r->cpu_ns > limit_ns ||
              clock_ns(CLOCK_MONOTONIC) - r->started_ns > limit_ns * WALL_FACTOR;
  if (!late && !(stop && r->n_looks++ > GRACE_LOOKS)) return NULL;
  remote_reap(r);
  g_autofree char *how = stop ? g_strdup("does not return from a call")
                              : g_strdup_printf("does not return from a call (--isolate-limit %gs)",
                                                (double)limit_ns / 1e9);
  return remote_lost(i, EXIT_STAGE, how);
}
