/* Starting a child process: between fork and exec only calls that are safe in a process of several threads. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

#define USUAL_PATH "/usr/local/bin:/usr/bin:/bin"

enum {
  FIRST_FREE = 10, /* above the standard files, also where some of those are closed */
  REAP_TRIES = 1000,
};

typedef struct Start {
  const Child *child;
  const char *const *environment;
  int in, out, words, report; /* the child's ends */
  pid_t parent;
} Start;

/* ---------------------------------------------------------------- in the child */

static void limit(int what, uint64_t value)
{
  struct rlimit now;
  if (getrlimit(what, &now)) return;
  rlim_t wanted = (rlim_t)value;
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < wanted) wanted = now.rlim_max;
  setrlimit(what, &(struct rlimit){ wanted, wanted });
}

static void limit_all(const Child *c)
{
  uint64_t limit_s = c->limit_ms ? (c->limit_ms + 999u) / 1000 : CHILD_LIMIT_S;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, CHILD_FILES);
  limit(RLIMIT_AS, CHILD_MEMORY);
  limit(RLIMIT_CPU, limit_s + 1);
}

/* A file that it tries to write gives it an error, and does not kill it. */
static void reset_signals(void)
{
  sigset_t none;
  for (int sig = 1; sig < NSIG; sig++) signal(sig, sig == SIGXFSZ ? SIG_IGN : SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_from(int first)
{
  if (!close_range((unsigned)first, ~0u, 0)) return;
  long last = sysconf(_SC_OPEN_MAX);
  for (long fd = first; fd < last; fd++) close((int)fd);
}

/* The standard files are its pipes, and the report comes after them; nothing else stays open. */
static int place_files(const Start *s)
{
  const int from[] = { s->in, s->out, s->words, s->report };
  int high[4];
  for (int i = 0; i < 4; i++)
    if ((high[i] = fcntl(from[i], F_DUPFD, FIRST_FREE)) < 0) return -1;
  for (int i = 0; i < 4; i++)
    if (dup2(high[i], i) < 0) return -1;
  close_from(4);
  return fcntl(3, F_SETFD, FD_CLOEXEC);
}

static void report(int fd, int error_no)
{
  if (write(fd, &error_no, sizeof error_no) < 0) _exit(127);
  _exit(127);
}

static void become(const Start *s)
{
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != s->parent) _exit(127);
  reset_signals();
  if (place_files(s)) report(s->report, errno);
  if (chdir("/")) report(3, errno);
  limit_all(s->child);
  execve(s->child->path, (char *const *)(gpointer)s->child->argv,
         (char *const *)(gpointer)s->environment);
  report(3, errno);
}

/* --------------------------------------------------------------- in the parent */

static void close_pair(int pair[2])
{
  for (int i = 0; i < 2; i++)
    if (pair[i] >= 0) close(pair[i]);
}

/* 0 when the program is there and runs. */
static int wait_for_exec(int fd)
{
  int why = 0;
  ssize_t n;
  do {
    n = read(fd, &why, sizeof why);
  } while (n < 0 && errno == EINTR);
  return n == sizeof why ? why : 0;
}

/* A system that says again and again that it was interrupted keeps nobody waiting. */
void child_reap(pid_t pid)
{
  for (int i = 0; i < REAP_TRIES && waitpid(pid, NULL, 0) < 0 && errno == EINTR; i++) continue;
}

/* No signal meets a child that still has the parent's handlers. */
static pid_t fork_quietly(const Start *s)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = fork();
  if (!pid) become(s);
  int why = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = why;
  return pid;
}

static pid_t start_with(const Child *c, int in[2], int out[2], int words[2], int rep[2])
{
  g_autofree char *path =
      g_strdup_printf("PATH=%s", g_getenv("PATH") ? g_getenv("PATH") : USUAL_PATH);
  const char *const environment[] = { path, "LC_ALL=C.UTF-8", NULL };
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in)) return -1;
  if (pipe2(out, O_CLOEXEC) || pipe2(words, O_CLOEXEC) || pipe2(rep, O_CLOEXEC)) return -1;
  Start s = { c, environment, in[0], out[1], words[1], rep[1], getpid() };
  pid_t pid = fork_quietly(&s);
  if (pid < 0) return -1;
  close(rep[1]);
  rep[1] = -1;
  int why = wait_for_exec(rep[0]);
  if (!why) return pid;
  /* Its end is waited for by whoever started it: it is none of ours yet. */
  child_reap(pid);
  errno = why;
  return -1;
}

pid_t child_start(const Child *c, ChildPipes *pipes)
{
  int in[2] = { -1, -1 }, out[2] = { -1, -1 }, words[2] = { -1, -1 }, rep[2] = { -1, -1 };
  *pipes = (ChildPipes){ -1, -1, -1 };
  pid_t pid = start_with(c, in, out, words, rep);
  int why = errno;
  close_pair(rep);
  if (pid > 0) {
    *pipes = (ChildPipes){ in[1], out[0], words[0] };
    in[1] = out[0] = words[0] = -1;
    fcntl(pipes->in, F_SETFL, O_NONBLOCK);
    fcntl(pipes->out, F_SETFL, O_NONBLOCK);
    fcntl(pipes->words, F_SETFL, O_NONBLOCK);
  }
  close_pair(in);
  close_pair(out);
  close_pair(words);
  errno = why;
  return pid > 0 ? pid : -1;
}

/* ------------------------------------------------------------------- finding */

static bool may_run(const char *path)
{
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *child_find(const char *program, const char *path)
{
  if (strchr(program, '/')) {
    char *whole = g_canonicalize_filename(program, NULL);
    if (may_run(whole)) return whole;
    g_free(whole);
    return NULL;
  }
  g_auto(GStrv) folders = g_strsplit(path ? path : USUAL_PATH, ":", -1);
  for (char **folder = folders; *folder && *program; folder++) {
    g_autofree char *whole = g_build_filename(*folder, program, NULL);
    if (**folder == '/' && may_run(whole)) return g_steal_pointer(&whole);
  }
  return NULL;
}
