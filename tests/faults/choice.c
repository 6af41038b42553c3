/* Which call fails, what is counted, and what is written down of both; see choice.h. */
/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 24, STACKS = 1 << 17, SITES = 1 << 18, LOGGED = 8 };

static const char *const call_names[N_CALLS] = {
  "read",    "pread", "write", "fsync", "rename", "remove",         "open",
  "opendir", "mkdir", "stat",  "mmap",  "alloc",  "pthread_create", "posix_spawn",
};

static const struct {
  const char *name;
  int value;
} errors[] = {
  { "EIO", EIO },       { "ENOSPC", ENOSPC }, { "ENOMEM", ENOMEM }, { "EMFILE", EMFILE },
  { "EAGAIN", EAGAIN }, { "EINTR", EINTR },   { "EACCES", EACCES }, { "EXDEV", EXDEV },
  { "EDQUOT", EDQUOT }, { "ENOENT", ENOENT },
};

typedef struct Stack { /* one place that asks for memory */
  uint64_t hash, first, last;
} Stack;

typedef struct Site { /* one call of another kind */
  Call call;
  uint64_t n, hash;
} Site;

typedef struct Counts {
  Stack stacks[STACKS];
  Site sites[SITES];
  uint64_t n_sites;
} Counts;

static struct {
  Call call;
  uint64_t at;
  bool each, is_short, is_kill;
  int error;
} fault = { .call = N_CALLS };

static char log_path[PATH_MAX], count_path[PATH_MAX];
static _Atomic uint64_t made[N_CALLS];
static atomic_uint logged;
static atomic_bool running; /* main has been entered */
static Counts *counts;      /* NULL: nothing is counted */
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;
__thread bool inside; /* what this library calls is not its business */

/* -------------------------------------------------------------- own output */

/* By the kernel: the functions of the same names are those below. */
static int raw_open(const char *path)
{
  return (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static void raw_say(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void raw_say(int fd, const char *format, ...)
{
  char text[PATH_MAX + 256];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n > (int)sizeof text - 1) n = (int)sizeof text - 1;
  if (n > 0) syscall(SYS_write, fd, text, (size_t)n);
}

static void raw_close(int fd) { syscall(SYS_close, fd); }

static struct link_map *module_of(void *address)
{
  struct dl_find_object found;
  return _dl_find_object(address, &found) ? NULL : found.dlfo_link_map;
}

typedef struct Frames {
  void *address[DEPTH];
  struct link_map *module[DEPTH]; /* NULL: of none */
  int n;
} Frames;

/* Those of the caller, without those of this library. */
static void frames_get(Frames *out)
{
  void *all[DEPTH];
  struct link_map *own = module_of((void *)frames_get);
  int n = backtrace(all, DEPTH);
  out->n = 0;
  for (int i = 0; i < n; i++) {
    struct link_map *m = module_of(all[i]);
    if (m == own) continue;
    out->address[out->n] = all[i];
    out->module[out->n++] = m;
  }
}

/* For addr2line. */
static void say_frames(int fd)
{
  Frames f;
  frames_get(&f);
  for (int i = 0; i < f.n; i++) {
    const struct link_map *m = f.module[i];
    if (m)
      raw_say(fd, "  %s+0x%zx\n", *m->l_name ? m->l_name : "program",
              (size_t)f.address[i] - m->l_addr - 1);
  }
}

static void say_fault(Call call, uint64_t n, const char *path, int fd)
{
  char link[64], target[PATH_MAX] = "";
  int saved = errno, log = *log_path ? raw_open(log_path) : -1;
  if (log < 0) return;
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = fd >= 0 ? syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1) : 0;
    target[len > 0 ? len : 0] = 0;
  }
  raw_say(log, "%s %llu fd %d %s\n", call_names[call], (unsigned long long)n, fd,
          path ? path : target);
  say_frames(log);
  raw_close(log);
  errno = saved;
}

/* ------------------------------------------------------------------ counts */

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

/* The same for every run, wherever modules were loaded to. */
static uint64_t stack_hash(void)
{
  Frames f;
  uint64_t hash = 1;
  frames_get(&f);
  for (int i = 0; i < f.n; i++) {
    const struct link_map *m = f.module[i];
    hash = mix(hash, (uintptr_t)f.address[i] - (m ? m->l_addr : 0));
    for (const char *c = m ? m->l_name : ""; *c; c++) hash = mix(hash, (unsigned char)*c);
  }
  return hash | 1;
}

static void note_stack(uint64_t hash, uint64_t n)
{
  Stack *s = counts->stacks + hash % STACKS, *end = counts->stacks + STACKS;
  for (int tries = 0; s->hash && s->hash != hash && tries < STACKS; tries++)
    s = s + 1 == end ? counts->stacks : s + 1;
  if (!s->hash) *s = (Stack){ hash, n, n };
  if (s->hash == hash && n > s->last) s->last = n;
}

static void note(Call call, uint64_t n)
{
  uint64_t hash = stack_hash();
  pthread_mutex_lock(&counts_lock);
  if (call == ALLOC)
    note_stack(hash, n);
  else if (counts->n_sites < SITES)
    counts->sites[counts->n_sites++] = (Site){ call, n, hash };
  pthread_mutex_unlock(&counts_lock);
}

/* Lines "total CALL N", "site CALL N HASH" and "stack HASH FIRST LAST". */
static void write_counts(void)
{
  int fd = raw_open(count_path);
  if (fd < 0) return;
  for (int i = 0; i < N_CALLS; i++)
    raw_say(fd, "total %s %llu\n", call_names[i], (unsigned long long)atomic_load(&made[i]));
  for (const Site *s = counts->sites; s < counts->sites + counts->n_sites; s++)
    raw_say(fd, "site %s %llu %016llx\n", call_names[s->call], (unsigned long long)s->n,
            (unsigned long long)s->hash);
  for (const Stack *s = counts->stacks; s < counts->stacks + STACKS; s++)
    if (s->hash)
      raw_say(fd, "stack %016llx %llu %llu\n", (unsigned long long)s->hash,
              (unsigned long long)s->first, (unsigned long long)s->last);
  raw_close(fd);
}

static __attribute__((destructor)) void at_exit(void)
{
  if (!counts) return;
  atomic_store(&running, false);
  write_counts();
}

/* ------------------------------------------------------------------ choice */

/* Memory that is gone is gone for mmap too. */
static bool mmap_is_over(Call call)
{
  return call == MMAP && fault.call == ALLOC && fault.each && atomic_load(&made[ALLOC]) >= fault.at;
}

/* A full disk leaves the terminal. */
static Verdict verdict_of(Call call, uint64_t n, int fd)
{
  if (mmap_is_over(call)) return FAIL;
  if (call == WRITE && fault.each && fd == STDERR_FILENO) return PASS;
  if (fault.call != call || n < fault.at || (n > fault.at && !fault.each)) return PASS;
  if (fault.is_kill) kill(getpid(), SIGKILL);
  return fault.is_short ? SHORT : FAIL;
}

static void note_guarded(Call call, uint64_t n)
{
  inside = true;
  note(call, n);
  inside = false;
}

/* Not each time: where memory is gone, GLib asks for it until its stack is full. */
static void say_guarded(Call call, uint64_t n, const char *path, int fd)
{
  inside = true;
  say_fault(call, n, path, fd);
  inside = false;
}

/* What becomes of a call; `path` or `fd` is its file. */
Verdict judge(Call call, const char *path, int fd)
{
  if (inside || !atomic_load_explicit(&running, memory_order_relaxed)) return PASS;
  uint64_t n = atomic_fetch_add(&made[call], 1) + 1;
  Verdict verdict = verdict_of(call, n, fd);
  if (counts) note_guarded(call, n);
  if (verdict != PASS && atomic_fetch_add(&logged, 1) < LOGGED) say_guarded(call, n, path, fd);
  if (verdict == FAIL) errno = fault.error;
  return verdict;
}

bool fails(Call call, const char *path, int fd) { return judge(call, path, fd) == FAIL; }
int fault_error(void) { return fault.error; }

static void die(const char *what)
{
  raw_say(STDERR_FILENO, "faults: %s\n", what);
  _exit(99);
}

static void read_fault(const char *text)
{
  char call[32], mode[16], error[16] = "";
  unsigned long long n;
  if (sscanf(text, "%31[^:]:%llu:%15[^:]:%15s", call, &n, mode, error) < 3)
    die("STAGEMILL_FAULT=CALL:N:MODE:ERROR");
  for (int i = 0; i < N_CALLS; i++)
    if (!strcmp(call, call_names[i])) fault.call = (Call)i;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (!strcmp(error, errors[i].name)) fault.error = errors[i].value;
  fault.at = n;
  fault.each = !strcmp(mode, "on");
  fault.is_short = !strcmp(mode, "short");
  fault.is_kill = !strcmp(mode, "kill");
  if (fault.call == N_CALLS || (!fault.error && !fault.is_short && !fault.is_kill))
    die("unknown call or error");
}

static void take_path(const char *name, char *out)
{
  const char *text = getenv(name);
  if (text) snprintf(out, PATH_MAX, "%s", text);
}

void faults_begin(void)
{
  void *frames[1];
  const char *text = getenv("STAGEMILL_FAULT");
  inside = true;
  backtrace(frames, 1); /* the first call loads the unwinder */
  if (text) read_fault(text);
  take_path("STAGEMILL_FAULT_LOG", log_path);
  take_path("STAGEMILL_FAULT_COUNT", count_path);
  if (*count_path) {
    counts = (Counts *)syscall(SYS_mmap, NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (counts == MAP_FAILED) die("no memory to count in");
  }
  unsetenv("STAGEMILL_FAULT");
  unsetenv("STAGEMILL_FAULT_LOG");
  unsetenv("STAGEMILL_FAULT_COUNT");
  unsetenv("LD_PRELOAD");
  inside = false;
  atomic_store(&running, true);
}
