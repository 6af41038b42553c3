/* Child processes: what goes in and out, how they end, and what they may not do. */
/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "scratch.h"

#define SHELL "/bin/sh"

static Child shell(const char *const *argv, const void *in, size_t len, uint32_t limit_ms)
{
  return (Child){ .path = SHELL, .argv = argv, .in = in, .in_len = len, .limit_ms = limit_ms };
}

/* Stand in for the library's: a system that does not say how children end. */
static int refuses_waitid, refuses_waitpid; /* the error, or 0 */

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
  if (refuses_waitid) {
    errno = refuses_waitid;
    return -1;
  }
  return (int)syscall(SYS_waitid, type, id, info, options, NULL);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
  if (refuses_waitpid) {
    errno = refuses_waitpid;
    return -1;
  }
  return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

/* Runs one command of the shell; child_clear. */
static Child run_shell(const char *command, const char *in, uint32_t limit_ms)
{
  const char *const argv[] = { "sh", "-c", command, NULL };
  Child c = shell(argv, in, in ? strlen(in) : 0, limit_ms);
  children_run(&c, 1, 1, NULL, NULL);
  return c;
}

static bool wrote(const Child *c, const char *wanted)
{
  g_autofree char *got = g_strndup(c->out->len ? (const char *)c->out->data : "", c->out->len);
  return CHECK_STR(got, wanted);
}

static const struct {
  const char *command, *in, *out, *why;
} rows[] = {
  { "cat", "abc", "abc", NULL },
  { "cat", NULL, "", NULL },
  { "echo oh >&2; exit 3", NULL, "", "exited with status 3: oh" },
  { "printf 'plot  x\\n\\n      ^\\tno\\n' >&2; exit 3", NULL, "",
    "exited with status 3: plot x ^ no" },
  { "exit 3", "never read", "", "exited with status 3" },
  { "echo one; kill -9 $$", NULL, "one\n", "was killed by signal 9" },
  { "exec <&- >&- 2>&-; sleep 0.2; exit 4", "x", "", "exited with status 4" },
  { "echo $0 $#", NULL, "sh 0\n", NULL },
  { "env | grep -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; pwd", NULL,
    "LC_ALL=C.UTF-8\n/\n", NULL },
  { "ls /proc/self/fd | wc -l", NULL, "4\n", NULL }, /* three, and the folder itself */
  { "ulimit -c; ulimit -f; ulimit -n", NULL, "0\n0\n64\n", NULL },
  { "[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ]", NULL, "", NULL },
};

static void test_ends(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Child c = run_shell(rows[i].command, rows[i].in, 0);
    g_autofree char *why = child_why(&c);
    bool ok = wrote(&c, rows[i].out);
    if (!CHECK_STR(why, rows[i].why) || !ok) CHECK_ROW(rows[i].command);
    child_clear(&c);
  }
}

/* qemu's user mode says yes and sets none: the memory of the emulator itself would count. */
static bool memory_has_a_limit(void)
{
  struct rlimit before, now;
  if (getrlimit(RLIMIT_AS, &before)) return false;
  const struct rlimit wanted = { MIN(before.rlim_max, (rlim_t)1 << 46), before.rlim_max };
  bool holds = !setrlimit(RLIMIT_AS, &wanted) && !getrlimit(RLIMIT_AS, &now) &&
               now.rlim_cur == wanted.rlim_cur;
  setrlimit(RLIMIT_AS, &before);
  return holds;
}

static void test_memory(void)
{
  if (!memory_has_a_limit()) return;
  Child c = run_shell("ulimit -v", NULL, 0);
  wrote(&c, "2097152\n");
  child_clear(&c);
}

/* A file that it writes stays empty, and it goes on. */
static void test_writes_no_files(void)
{
  g_autofree char *folder = scratch_folder(), *file = g_build_filename(folder, "made", NULL);
  g_autofree char *command = g_strdup_printf("echo text > %s; echo on", file);
  Child c = run_shell(command, NULL, 0);
  g_autofree char *text = NULL;
  g_file_get_contents(file, &text, NULL, NULL);
  CHECK(!text || !*text);
  wrote(&c, "on\n");
  child_clear(&c);
  remove(file);
  rmdir(folder);
}

static void test_is_not_there(void)
{
  const char *const argv[] = { "none", NULL };
  Child c = { .path = "/nonexistent/none", .argv = argv };
  children_run(&c, 1, 1, NULL, NULL);
  g_autofree char *why = child_why(&c);
  CHECK_INT(c.end, CHILD_NOT_RUN);
  CHECK_STR(why, "cannot be run: No such file or directory");
  child_clear(&c);
}

static void test_time(void)
{
  Child c = run_shell("sleep 60 & sleep 60", NULL, 200);
  g_autofree char *why = child_why(&c);
  CHECK_INT(c.end, CHILD_TOO_LONG);
  CHECK_STR(why, "did not end in time and was killed");
  child_clear(&c);
}

/* It may leave something behind that still holds its files. */
static void test_leftovers_are_killed(void)
{
  Child c = run_shell("sleep 600 & echo $!", NULL, 0);
  char *number = g_strndup((const char *)c.out->data, c.out->len);
  pid_t left = (pid_t)g_ascii_strtoll(number, NULL, 10);
  CHECK(left > 1);
  /* It is somebody else's to wait for: a dead one may still be seen for a moment. */
  for (int i = 0; i < 500 && !kill(left, 0); i++) {
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)left), *stat = NULL;
    if (!g_file_get_contents(path, &stat, NULL, NULL) || strstr(stat, ") Z ")) break;
    if (i == 499) CHECK(!"still there");
    g_usleep(10000);
  }
  g_free(number);
  child_clear(&c);
}

static void test_much(void)
{
  g_autoptr(GString) in = g_string_new(NULL);
  for (int i = 0; i < 300000; i++) g_string_append(in, "0123456789");
  Child c = run_shell("cat; printf x", in->str, 0);
  CHECK(c.out->len == in->len + 1 && !memcmp(c.out->data, in->str, in->len));
  child_clear(&c);
  c = run_shell("head -c 100 >/dev/null; echo enough", in->str, 0); /* the rest is not read */
  wrote(&c, "enough\n");
  child_clear(&c);
  c = run_shell("cat /dev/zero", NULL, 0);
  CHECK_INT(c.end, CHILD_WROTE_MUCH);
  CHECK(c.out->len <= CHILD_MAX_OUT);
  child_clear(&c);
  c = run_shell("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done", NULL, 0);
  CHECK_INT(c.words->len, CHILD_WORDS);
  CHECK(g_str_has_suffix(c.words->str, "line 1999\n"));
  child_clear(&c);
}

static void test_side_by_side(void)
{
  enum { N = 9 };
  Child children[N];
  char *commands[N];
  const char *argv[N][4];
  for (int i = 0; i < N; i++) {
    commands[i] = g_strdup_printf("cat; exit %d", i);
    argv[i][0] = "sh", argv[i][1] = "-c", argv[i][2] = commands[i], argv[i][3] = NULL;
    children[i] = shell(argv[i], commands[i], strlen(commands[i]), 0);
  }
  children_run(children, N, 4, NULL, NULL);
  for (int i = 0; i < N; i++) {
    CHECK_INT(children[i].status, i);
    wrote(&children[i], commands[i]);
    child_clear(&children[i]);
    g_free(commands[i]);
  }
}

static bool after_some_looks(void *context) { return ++*(int *)context > 3; }

static void test_cancelled(void)
{
  int looks = 0;
  const char *const argv[] = { "sh", "-c", "sleep 60", NULL };
  Child children[3];
  for (int i = 0; i < 3; i++) children[i] = shell(argv, NULL, 0, 0);
  children_run(children, 3, 2, after_some_looks, &looks);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(children[i].end, CHILD_INTERRUPTED);
    child_clear(&children[i]);
  }
}

static void test_ignored_sigchld(void)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN }, before, after;
  sigaction(SIGCHLD, &ignore, &before);
  Child c = run_shell("exit 5", NULL, 0);
  CHECK_INT(c.status, 5);
  CHECK_INT(c.end, CHILD_EXITED);
  sigaction(SIGCHLD, &before, &after);
  CHECK(after.sa_handler == SIG_IGN);
  child_clear(&c);
}

static void test_no_zombies(void)
{
  Child c = run_shell("exit 0", NULL, 0);
  child_clear(&c);
  CHECK(waitpid(-1, NULL, WNOHANG) < 0);
}

static void test_end_is_not_told(void)
{
  refuses_waitid = EIO;
  Child c = run_shell("echo whole", NULL, 0);
  refuses_waitid = 0;
  g_autofree char *why = child_why(&c);
  CHECK_INT(c.end, CHILD_LOST);
  CHECK(why && strstr(why, "its status is unknown"));
  child_clear(&c);
}

/* It ends, whether or not anybody learns how. */
static void test_interrupted_for_good(void)
{
  refuses_waitpid = EINTR;
  Child c = run_shell("exit 6", NULL, 0);
  refuses_waitpid = 0;
  CHECK_INT(c.status, 6);
  child_clear(&c);
  CHECK(waitpid(-1, NULL, 0) > 0); /* the one that nobody waited for */
}

/* A process that dies takes its children with it. */
static void test_dies_with_its_parent(void)
{
  int ends[2];
  char byte;
  CHECK_INT(pipe(ends), 0);
  pid_t parent = fork();
  if (!parent) {
    /* The child's standard error is its own pipe; ours stays open in it only until exec. */
    const char *const argv[] = { "sleep", "600", NULL };
    Child c = { .path = "/bin/sleep", .argv = argv };
    close(ends[0]);
    children_run(&c, 1, 1, NULL, NULL);
    _exit(0);
  }
  close(ends[1]);
  g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", (int)parent, (int)parent);
  char *list = NULL;
  for (int i = 0; i < 500 && (!list || !*list); i++) {
    g_usleep(10000);
    g_free(list);
    list = NULL;
    g_file_get_contents(path, &list, NULL, NULL);
  }
  pid_t child = list ? (pid_t)g_ascii_strtoll(list, NULL, 10) : 0;
  g_free(list);
  kill(parent, SIGKILL);
  waitpid(parent, NULL, 0);
  CHECK(read(ends[0], &byte, 1) == 0); /* nobody has the other end */
  close(ends[0]);
  if (child > 1) {
    bool gone = false;
    for (int i = 0; i < 500 && !gone; i++) {
      g_autofree char *stat_path = g_strdup_printf("/proc/%d/stat", (int)child), *stat = NULL;
      gone = !g_file_get_contents(stat_path, &stat, NULL, NULL) || strstr(stat, ") Z ");
      if (!gone) g_usleep(10000);
    }
    CHECK(gone);
  }
}

static void test_finds(void)
{
  g_autofree char *folder = scratch_folder(), *tool = g_build_filename(folder, "tool", NULL);
  g_autofree char *path = g_strdup_printf("relative::%s:/bin", folder);
  scratch_write(folder, "tool", "#!/bin/sh\n", -1);
  CHECK(child_find("tool", path) == NULL); /* it may not be run */
  chmod(tool, 0755);
  g_autofree char *found = child_find("tool", path), *direct = child_find(tool, NULL);
  CHECK_STR(found, tool);
  CHECK_STR(direct, tool);
  CHECK(child_find("tool", "") == NULL && child_find("", path) == NULL &&
        child_find(folder, path) == NULL);
  g_autofree char *usual = child_find("env", NULL);
  CHECK(usual && *usual == '/');
  remove(tool);
  rmdir(folder);
}

TEST_MAIN({ "ends, files, environment", test_ends }, { "memory", test_memory },
          { "writes no files", test_writes_no_files }, { "a missing program", test_is_not_there },
          { "time", test_time }, { "leftovers", test_leftovers_are_killed },
          { "much input and output", test_much }, { "side by side", test_side_by_side },
          { "cancelled", test_cancelled }, { "SIGCHLD ignored", test_ignored_sigchld },
          { "no zombies", test_no_zombies }, { "an end that is not told", test_end_is_not_told },
          { "interrupted for good", test_interrupted_for_good },
          { "dies with its parent", test_dies_with_its_parent }, { "finds programs", test_finds })
