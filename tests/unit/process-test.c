/* Tests of which process this is: a forked child is another one, however often it asks. */
/* SPDX-License-Identifier: MIT */
#include "base/process.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static bool child_is_another(pid_t child)
{
  int status = -1;
  if (child == 0) _exit(process_id() == getpid() && process_id() == getpid() ? 0 : 1);
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Not by the library, which knows what it does. */
static pid_t raw_clone(void)
{
  enum { FLAGS = 17 /* SIGCHLD */ };
#if defined(__s390x__) /* the stack comes first */
  return (pid_t)syscall(SYS_clone, 0, FLAGS, 0, 0, 0);
#else
  return (pid_t)syscall(SYS_clone, FLAGS, 0, 0, 0, 0);
#endif
}

static void test_process(void)
{
  CHECK_INT(process_id(), getpid());
  CHECK_INT(process_id(), getpid());
  CHECK(child_is_another(fork()));
  CHECK(child_is_another(raw_clone()));
  CHECK_INT(process_id(), getpid());
}

TEST_MAIN({ "a child is another process", test_process })
