/* Guarded memory: what is asked for can be used, a byte more or a freed one cannot. */
/* SPDX-License-Identifier: MIT */
#include "base/guard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { ALIGNED = 16 };

/* In a child, as a touch may be its end. */
static bool can_touch(volatile char *at)
{
  int status = 0;
  pid_t pid = fork();
  if (!pid) {
    signal(SIGSEGV, SIG_DFL);
    at[0] = 1;
    _exit(0);
  }
  CHECK_INT(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status);
}

static const size_t sizes[] = { 1, 15, 16, 17, 4095, 4096, 4097, 100000 };

static void test_edges(void)
{
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    size_t n = sizes[k];
    char *at = guard_new(n);
    bool zero = true;
    for (size_t b = 0; b < n + guard_slack(n); b++) zero = zero && !at[b];
    CHECK(zero);
    CHECK_INT((uintptr_t)at % ALIGNED, 0);
    CHECK(guard_slack(n) < ALIGNED && (n + guard_slack(n)) % ALIGNED == 0);
    memset(at, 1, n);
    bool ok = CHECK(can_touch(at + n - 1));
    ok = ok && CHECK(!can_touch(at + n + guard_slack(n)));
    ok = ok && CHECK(guard_has(at) && guard_has(at + n + guard_slack(n)));
    guard_free(at, n);
    if (!(ok && CHECK(!can_touch(at)) && CHECK(guard_has(at)))) CHECK_INT(n, -1);
  }
}

/* No address is used twice while others of its range live. */
static void test_not_used_again(void)
{
  char *first = guard_new(100), *stays = guard_new(100);
  guard_free(first, 100);
  for (int k = 0; k < 1000; k++) {
    char *next = guard_new(100);
    if (!CHECK(next != first)) break;
    guard_free(next, 100);
  }
  CHECK(!can_touch(first) && can_touch(stays));
  guard_free(stays, 100);
}

static void test_nothing(void)
{
  char *at = guard_new(0);
  CHECK(at != NULL);
  CHECK(!can_touch(at));
  guard_free(at, 0);
  guard_free(NULL, 7);
  CHECK(!guard_has(NULL) && !guard_has(&at));
}

static void test_absurd(void)
{
  static const size_t absurd[] = { SIZE_MAX,     SIZE_MAX - 14,  SIZE_MAX - 15, SIZE_MAX - 3 * 4096,
                                   SIZE_MAX / 2, (size_t)1 << 50 };
  for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
    void *at = guard_new(absurd[k]);
    if (!CHECK(at == NULL)) CHECK_INT(k, -1);
    guard_free(at, absurd[k]);
  }
  char *after = guard_new(8);
  CHECK(after && can_touch(after));
  guard_free(after, 8);
}

/* More pieces than the system has maps for: what cannot be guarded is memory nevertheless. */
static void test_many(void)
{
  enum { MANY = 40000 };
  static char *all[MANY];
  size_t n = 0;
  for (; n < MANY && (all[n] = guard_new(33)); n++) memset(all[n], 1, 33);
  CHECK_INT(n, MANY);
  CHECK(guard_has(all[0]) && !guard_has(all[MANY - 1]));
  while (n) guard_free(all[--n], 33);
}

static atomic_bool stop;

static void *take_and_give(void *unused)
{
  while (!atomic_load(&stop)) guard_free(guard_new(33), 33);
  return unused;
}

/* A process that is made while another thread is within a call may go on calling. */
static void test_forks(void)
{
  enum { FORKS = 300, SECONDS = 30 };
  pthread_t other;
  int status = 0;
  atomic_store(&stop, false);
  if (!CHECK_INT(pthread_create(&other, NULL, take_and_give, NULL), 0)) return;
  for (int i = 0; i < FORKS && !status; i++) {
    pid_t pid = fork();
    if (!pid) {
      signal(SIGALRM, SIG_DFL);
      alarm(SECONDS);
      guard_free(guard_new(33), 33);
      _exit(0);
    }
    CHECK_INT(waitpid(pid, &status, 0), pid);
  }
  CHECK_INT(status, 0);
  atomic_store(&stop, true);
  pthread_join(other, NULL);
}

TEST_MAIN({ "edges", test_edges }, { "not used again", test_not_used_again },
          { "nothing", test_nothing }, { "absurd", test_absurd }, { "many", test_many },
          { "forks", test_forks })
