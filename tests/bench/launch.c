/* launch FILE COMMAND...: runs a command and writes its wall and CPU time and peak memory to FILE.
   Small on purpose: a child's peak memory is never below that of the process that started it. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

static int fail(const char *what)
{
  fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
  return 125;
}

int main(int argc, char **argv)
{
  struct rusage usage;
  int status;
  if (argc < 3) return fail("usage: launch FILE COMMAND...");
  double start_s = now_s();
  pid_t child = fork();
  if (child < 0) return fail("fork");
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(fail(argv[2]));
  }
  while (wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return fail("wait4");
  double wall_s = now_s() - start_s;
  FILE *file = fopen(argv[1], "w");
  if (!file) return fail(argv[1]);
  fprintf(file, "{\"wall_s\": %.6f, \"user_s\": %.6f, \"sys_s\": %.6f, \"peak_kib\": %ld}\n",
          wall_s, seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss);
  if (fclose(file)) return fail(argv[1]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
