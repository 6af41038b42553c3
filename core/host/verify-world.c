/* What no call of a module may change of the process; see verify-world.h. */
/* SPDX-License-Identifier: MIT */
#include "host/verify-world.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/hash-seed.h"
#include "base/standard.h"
#include "host/slots.h"
#include "host/verify.h"

extern char **environ;

typedef struct World {
  bool is_seen;         /* of this call */
  uint64_t environment; /* a hash of it */
  uint64_t locale;
  locale_t own_locale; /* of the thread */
  dev_t folder_device;
  ino_t folder;
  uint64_t signals; /* those that the thread does not get, a bit for each */
  uint64_t written; /* to standard output */
  int arithmetic;   /* of the thread */
  uint64_t standard_files, handlers;
} World;

static uint64_t hash_environment(void)
{
  uint64_t sum = 0;
  for (char **p = environ; p && *p; p++)
    sum = hash_pair(&hash_seed, sum, hash_bytes(&hash_seed, *p, strlen(*p)));
  return sum;
}

static uint64_t blocked_signals(void)
{
  sigset_t set;
  uint64_t bits = 0;
  if (pthread_sigmask(SIG_SETMASK, NULL, &set)) return 0;
  for (int sig = 1; sig < 64; sig++)
    if (sigismember(&set, sig) == 1) bits |= UINT64_C(1) << sig;
  return bits;
}

/* How numbers are rounded, and whether the smallest are taken for zero. */
static int arithmetic_now(void)
{
  volatile double tiny = DBL_MIN;
  return fegetround() * 2 + (tiny / 2 > 0);
}

/* A module that writes into another file than the one that stood there writes for the program, too. */
static uint64_t hash_standard_files(void)
{
  uint64_t sum = 0;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    struct stat st = { 0 };
    bool is_open = !fstat(fd, &st);
    sum = hash_pair(&hash_seed, sum, is_open ? st.st_ino ^ (uint64_t)st.st_dev << 32 : 0);
  }
  return sum;
}

/* Of the signals by which users and systems end or wake a program, and the crashes that it tells of. */
static uint64_t hash_handlers(void)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGCHLD,
                                 SIGSEGV, SIGBUS, SIGABRT, SIGFPE };
  struct itimerval timer = { 0 };
  getitimer(ITIMER_REAL, &timer);
  uint64_t sum = timer.it_value.tv_sec || timer.it_value.tv_usec;
  for (size_t k = 0; k < G_N_ELEMENTS(signals); k++) {
    struct sigaction now = { 0 };
    sigaction(signals[k], NULL, &now);
    sum = hash_pair(&hash_seed, sum, (uint64_t)(uintptr_t)now.sa_sigaction);
  }
  return sum;
}

static World look(void)
{
  World w = { .is_seen = true, .environment = hash_environment(), .own_locale = uselocale((locale_t)0) };
  const char *locale = setlocale(LC_ALL, NULL);
  struct stat folder;
  w.locale = locale ? hash_bytes(&hash_seed, locale, strlen(locale)) : 0;
  if (!stat(".", &folder)) {
    w.folder_device = folder.st_dev;
    w.folder = folder.st_ino;
  }
  w.signals = blocked_signals();
  w.written = standard_diverted() + __fpending(stdout);
  w.arithmetic = arithmetic_now();
  w.standard_files = hash_standard_files();
  w.handlers = hash_handlers();
  return w;
}

void world_before(Instance *i)
{
  static _Atomic uint64_t n_asked;
  standard_divert(true);
  if (!i->world) i->world = g_new(World, 1);
  i->world->is_seen = check_is_due(&n_asked);
  if (i->world->is_seen) *i->world = look();
}

/* They share all but the signal mask. */
static bool works_alone(const Instance *i)
{
  for (unsigned k = 0; k < SLOTS; k++)
    if (slot_at(k) && slot_at(k) != i) return false;
  return true;
}

/* Of what all share, the text may have to be made: the caller frees it. */
static const char *blame(const Instance *i, const char *what, char **out_made)
{
  if (works_alone(i)) return what;
  g_free(*out_made);
  *out_made = g_strdup_printf("%s, or what worked beside it did (-j 1 makes this certain)", what);
  return *out_made;
}

void world_after(Instance *i)
{
  if (!i->world->is_seen) return;
  const World *was = i->world, is = look();
  g_autofree char *made = NULL;
  if (is.written != was->written)
    verify_broken(i, "standard-output", blame(i, "wrote to standard output", &made), NULL);
  if (is.locale != was->locale || is.own_locale != was->own_locale)
    verify_broken(i, "changed-locale", blame(i, "changed the locale", &made), NULL);
  if (is.folder != was->folder || is.folder_device != was->folder_device)
    verify_broken(i, "working-directory", blame(i, "changed the working directory", &made), NULL);
  if (is.environment != was->environment)
    verify_broken(i, "changed-environment", blame(i, "changed the environment", &made), NULL);
  if (is.signals != was->signals)
    verify_broken(i, "signal-mask", "changed the signal mask of the thread", NULL);
  if (is.arithmetic != was->arithmetic)
    verify_broken(i, "changed-arithmetic", "changed how the thread rounds numbers", NULL);
  if (is.standard_files != was->standard_files)
    verify_broken(i, "standard-files", blame(i, "closed or replaced a standard file", &made), NULL);
  if (is.handlers != was->handlers)
    verify_broken(i, "signal-handler", blame(i, "changed what a signal or the alarm does", &made), NULL);
}
