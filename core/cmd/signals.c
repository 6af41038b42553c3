/* Signals from outside, and the time limit: they end a run in good order, and the program at once where there is
 * none. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <unistd.h>

#include "base/process.h"
#include "base/stream.h"
#include "base/thread.h"
#include "cmd/cli.h"
#include "cmd/ending.h"
#include "cmd/signals.h"
#include "cmd/watchdog.h"

static volatile sig_atomic_t caught;
static void *stack; /* for handlers, when that of the main thread is full */

static void stop(Run *run, int status)
{
  run_cancel(run, status);
  stream_cancel_all();
  watchdog_alarm(status);
}

/* The second time the user means it. */
static void on_end(int sig)
{
  int status = 128 + sig;
  Run *run = ending_watched();
  if (run && !caught) {
    caught = sig;
    stop(run, status);
  } else if (run && atomic_load(&run->control.delicate)) {
    return; /* that takes a moment, or the watchdog ends it */
  } else if (ending_take()) {
    ending_remove();
    process_end(status);
  }
}

static void on_time(int sig)
{
  Run *run = ending_watched();
  (void)sig;
  if (run) {
    stop(run, EXIT_LIMIT);
  } else if (ending_take()) {
    cli_put("error[RUN-10]: the time limit was reached\n  why:  the inputs were not open yet (a "
            "pipe may be silent), or a report was not complete\n");
    ending_remove();
    cli_put("  help: give more time with --timeout\n");
    process_end(EXIT_LIMIT);
  }
}

static void handle(int sig, void (*handler)(int))
{
  struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_ONSTACK };
  sigaction(sig, &action, NULL);
}

/* Who started us in the background, or with nohup, wants these to be ignored. */
static void handle_unless_ignored(int sig, void (*handler)(int))
{
  struct sigaction before;
  if (sigaction(sig, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
  handle(sig, handler);
}

void signals_install(void)
{
  static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU };
  ending_init();
  stack = signal_stack_begin();
  handle(SIGPIPE, SIG_IGN); /* what cannot be written is an error of the one who writes it */
  handle(SIGXFSZ, SIG_IGN);
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) handle_unless_ignored(ends[i], on_end);
  handle(SIGALRM, on_time);
  crash_install();
}

void signals_limit(int64_t seconds) { alarm((unsigned)MIN(seconds, 1 << 30)); }

void signals_watch(Run *run)
{
  if (run) watchdog_start(run);
  ending_watch(run);
  if (run) return;
  alarm(0);
  watchdog_stop();
}

void signals_end(int status)
{
  ending_take();
  ending_decide(status);
  signal_stack_end(stack);
}
