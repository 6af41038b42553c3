/* Loading a module in a child process first; see module-try.h.  What was survived is remembered by the SHA-256 of the
 * file, as an empty file of that name in the user's cache. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-try.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "plan/paths.h"

enum { LIMIT_MS = 5000, PIECE = 64 << 10 };

/* --------------------------------------------------------------- remembering */

/* Of what the file holds, and of the program: another one may load it in another way.  NULL: it cannot be read. */
static char *name_of(const char *path)
{
  struct sha256_ctx sum;
  uint8_t digest[SHA256_DIGEST_SIZE];
  g_autofree uint8_t *piece = g_malloc(PIECE);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = -1;
  if (fd < 0) return NULL;
  sha256_init(&sum);
  sha256_update(&sum, sizeof STAGEMILL_VERSION, (const uint8_t *)STAGEMILL_VERSION);
  while ((n = read(fd, piece, PIECE)) > 0) sha256_update(&sum, (size_t)n, piece);
  close(fd);
  if (n < 0) return NULL;
  char *text = g_malloc0(BASE16_ENCODE_LENGTH(sizeof digest) + 1);
  sha256_digest(&sum, sizeof digest, digest);
  base16_encode_update(text, sizeof digest, digest);
  return text;
}

/* NULL: nothing is remembered. */
static char *place_of(const char *path)
{
  g_autofree char *cache = paths_user_cache(), *name = cache ? name_of(path) : NULL;
  return name ? g_build_filename(cache, "modules", name, NULL) : NULL;
}

static void remember(const char *place)
{
  g_autofree char *folder = place ? g_path_get_dirname(place) : NULL;
  if (!folder || g_mkdir_with_parents(folder, 0700)) return;
  int fd = open(place, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) close(fd);
}

/* --------------------------------------------------------------- in the child */

static void become_silent(void)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) dup2(null, fd);
}

static _Noreturn void run_child(int report, void (*load)(void *), void *what)
{
  struct rlimit none = { 0, 0 };
  for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
  setrlimit(RLIMIT_CORE, &none);
  setpgid(0, 0);
  become_silent();
  load(what);
  process_end(write(report, "", 1) == 1 ? 0 : 1);
}

/* -------------------------------------------------------------- in the program */

static bool wait_for_report(int fd, gint64 until_us, bool *out_in_time)
{
  char byte;
  for (;;) {
    gint64 left_us = until_us - g_get_monotonic_time();
    struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
    int n = left_us > 0 ? poll(&poll_fd, 1, (int)(left_us / 1000) + 1) : 0;
    if (n < 0 && errno == EINTR) continue;
    *out_in_time = n > 0;
    return n > 0 && read(fd, &byte, 1) == 1;
  }
}

static char *end_text(int status)
{
  if (WIFSIGNALED(status)) return g_strdup_printf("crashed (%s)", strsignal(WTERMSIG(status)));
  return g_strdup_printf("ended the process, with status %d", WEXITSTATUS(status));
}

static char *hear(pid_t pid, int fd)
{
  bool in_time;
  int status = 0;
  bool survived = wait_for_report(fd, g_get_monotonic_time() + LIMIT_MS * 1000, &in_time);
  kill(-pid, SIGKILL); /* with what it started */
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (survived) return NULL;
  return in_time ? end_text(status)
                 : g_strdup_printf("did not return within %d seconds", LIMIT_MS / 1000);
}

/* Where the system gives no process, it is loaded as it is. */
static char *try_in_child(void (*load)(void *), void *what)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return NULL;
  pid_t pid = fork();
  if (!pid) {
    close(ends[0]);
    run_child(ends[1], load, what);
  }
  close(ends[1]);
  char *why = pid > 0 ? hear(pid, ends[0]) : NULL;
  close(ends[0]);
  return why;
}

char *module_try(const char *path, void (*load)(void *), void *what)
{
  g_autofree char *place = place_of(path);
  if (place && !access(place, F_OK)) return NULL;
  char *why = try_in_child(load, what);
  if (!why) remember(place);
  return why;
}
