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

static void test_process(void)
{
  CHECK_INT(process_id(), getpid());
  CHECK_INT(process_id(), getpid());
  CHECK(child_is_another(fork()));
  CHECK(child_is_another((pid_t)syscall(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0)));
  CHECK_INT(process_id(), getpid());
}

TEST_MAIN({ "a child is another process", test_process })
