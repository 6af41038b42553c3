/* Which process this is; see process.h. */
/* SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef _Atomic pid_t Remembered;

/* Emulators of processors say yes to any advice, and follow none. */
static bool wipes_on_fork(void *at, size_t bytes)
{
  enum { NO_ADVICE = -1 };
  return madvise(at, bytes, NO_ADVICE) != 0 && madvise(at, bytes, MADV_WIPEONFORK) == 0;
}

/* The kernel fills this page with zeros in every child.  NULL: it cannot. */
static Remembered *page_of_process(void)
{
  static gsize made;
  static Remembered *page;
  if (!g_once_init_enter(&made)) return page;
  size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED && wipes_on_fork(at, bytes)) page = at;
  g_once_init_leave(&made, 1);
  return page;
}

pid_t process_id(void)
{
  Remembered *page = page_of_process();
  if (!page) return getpid();
  pid_t id = atomic_load_explicit(page, memory_order_relaxed);
  if (id) return id;
  id = getpid();
  atomic_store_explicit(page, id, memory_order_relaxed);
  return id;
}

void process_end(int status)
{
  for (;;) syscall(SYS_exit_group, status);
}
