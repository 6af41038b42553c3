/* Ends a run that was asked to stop and does not; see watchdog.h.
 *
 * The thread is there before anything can go wrong.  It takes no lock and allocates nothing: whoever is
 * stuck may hold any of them. */
/* SPDX-License-Identifier: MIT */
#include "cmd/watchdog.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/thread.h"
#include "cmd/cli.h"
#include "cmd/ending.h"
#include "host/instance.h"
#include "host/slots.h"

enum { GRACE_S = 2 };

static struct {
  Run *run;
  pthread_t thread;
  bool running;
  sem_t stopped, ended; /* the run was asked to stop; it has ended */
  volatile sig_atomic_t status;
} dog;

static bool wait_until(sem_t *sem, const struct timespec *deadline)
{
  int result;
  do {
    result = deadline ? sem_clockwait(sem, CLOCK_MONOTONIC, deadline) : sem_wait(sem);
  } while (result && errno == EINTR);
  return result == 0;
}

static void name_stuck(const Instance *at)
{
  cli_put("  why:  ");
  cli_put_name(at->descriptor->name);
  cli_put(" ");
  cli_put_name(at->descriptor->version);
  cli_put(" does not return from a call\n");
}

static void end_it(void)
{
  if (!ending_take()) return;
  ending_remove();
  cli_put("error[RUN-14]: the run did not stop within two seconds\n");
  for (unsigned i = 0; i < SLOTS; i++)
    if (slot_at(i)) name_stuck(slot_at(i));
  cli_put("  help: report it to the author; nothing was written\n");
  process_end(dog.status);
}

static void *watch(void *data)
{
  struct timespec deadline;
  (void)data;
  wait_until(&dog.stopped, NULL);
  if (!dog.status) return NULL;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += GRACE_S;
  if (!wait_until(&dog.ended, &deadline)) end_it();
  return NULL;
}

void watchdog_start(Run *run)
{
  dog.run = run;
  dog.status = 0;
  sem_init(&dog.stopped, 0, 0);
  sem_init(&dog.ended, 0, 0);
  dog.running = thread_start(&dog.thread, watch, NULL) == 0;
}

void watchdog_alarm(int status)
{
  if (!dog.running) return;
  dog.status = status;
  sem_post(&dog.stopped);
}

void watchdog_stop(void)
{
  if (!dog.running) return;
  dog.running = false;
  sem_post(&dog.ended);
  sem_post(&dog.stopped);
  pthread_join(dog.thread, NULL);
}
