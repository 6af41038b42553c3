/* Standard streams: closed ones, and the output that modules may not write to; see standard.h. */
/* SPDX-License-Identifier: MIT */
#include "base/standard.h"

#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_FREE = 3 };

static _Atomic int out_fd = STDOUT_FILENO;
static bool
    is_ours; /* the standard streams are the program's, not those of one that links the engine */
static _Atomic int watched = -1; /* a file in memory that stands for file 1; -1: none */

/* A folder that is opened in this way gives EBADF to everybody who reads or writes. */
void standard_fill(void)
{
  is_ours = true;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd) return;
}

bool standard_is_closed(int fd)
{
  int flags = fcntl(fd, F_GETFL);
  return flags < 0 || flags & O_PATH;
}

int standard_out(void) { return atomic_load_explicit(&out_fd, memory_order_relaxed); }

/* Without more files to open everything stays as it is. */
static void divert(bool watch)
{
  if (standard_out() == STDOUT_FILENO) {
    int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FIRST_FREE);
    if (kept < 0) return;
    atomic_store(&out_fd, kept);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  int memory = watch ? memfd_create("stdout", MFD_CLOEXEC) : -1;
  if (memory < 0) return;
  dup2(memory, STDOUT_FILENO);
  atomic_store(&watched, memory);
}

void standard_divert(bool watch)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  bool done = watch ? atomic_load(&watched) >= 0 : standard_out() != STDOUT_FILENO;
  if (done || !is_ours) return;
  pthread_mutex_lock(&lock);
  if (!watch || atomic_load(&watched) < 0) divert(watch);
  pthread_mutex_unlock(&lock);
}

uint64_t standard_diverted(void)
{
  int memory = atomic_load(&watched);
  off_t bytes = memory < 0 ? 0 : lseek(memory, 0, SEEK_END);
  return bytes > 0 ? (uint64_t)bytes : 0;
}

const char *standard_path(const char *path, char out_made[32])
{
  static const char *const names[] = { "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", NULL };
  if (standard_out() == STDOUT_FILENO || !g_strv_contains(names, path)) return path;
  snprintf(out_made, 32, "/proc/self/fd/%d", standard_out());
  return out_made;
}

void standard_of_child(bool watch)
{
  atomic_store(&out_fd, STDERR_FILENO);
  atomic_store(&watched, -1);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  if (watch) standard_divert(true);
}
