/* Endings that nobody asked for: SIGINT and SIGTERM end the run in good order; a crash, or a call
 * of exit in a module, names the stage that was at work. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stream.h"
#include "base/thread.h"
#include "base/window.h"
#include "cmd/setup.h"
#include "cmd/watchdog.h"
#include "output/output.h"

static Run *volatile watched;
static volatile sig_atomic_t caught;
static pid_t program; /* a child that a module forked is another one */
static bool over;     /* the program itself ends */
static void *stack;   /* for handlers, when that of the main thread is full */

static void remove_unfinished(void)
{
  if (watched && watched->output && getpid() == program) output_remove_after_crash(watched->output);
}

/* The second time the user means it. */
static void on_end(int sig)
{
  int status = 128 + sig;
  Run *run = watched;
  if (caught) remove_unfinished();
  if (caught || !run) _exit(status);
  caught = sig;
  run_cancel(run, status);
  reader_cancel_all();
  watchdog_alarm(status);
}

static void on_time(int sig)
{
  Run *run = watched;
  (void)sig;
  if (!run) return;
  run_cancel(run, EXIT_LIMIT);
  reader_cancel_all();
  watchdog_alarm(EXIT_LIMIT);
}

static void put_stage(const Descriptor *s)
{
  cli_put("error[");
  cli_put(s->tag);
  cli_put("-00]: the program crashed inside \"");
  cli_put(s->name);
  cli_put("\" ");
  cli_put(s->version);
  cli_put("\n");
}

/* Only calls that are safe in a signal handler; the signal is raised again with its default
 * action. */
static void on_crash(int sig)
{
  const Instance *at = instance_current;
  if (at)
    put_stage(at->descriptor);
  else
    cli_put("error[RUN-99]: the program crashed outside of any stage\n");
  cli_put("  help: please report it with the command line, the output of \"stagemill doctor\",\n"
          "        run.json of an earlier run if there is one, and the core dump or a backtrace\n");
  remove_unfinished();
  raise(sig);
}

/* An input may shrink while it is read: that is an error of the run, not a crash. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
  (void)context;
  if (window_repair(info->si_addr)) return;
  signal(sig, SIG_DFL);
  on_crash(sig);
}

static void on_exit_of_module(void)
{
  const Instance *at = instance_current;
  if (over || getpid() != program) return;
  progress_hide();
  Error *e = at ? error_new(EXIT_STAGE, "STG-71", "%s \"%s\" ended the program",
                            module_kind_name(at->descriptor->kind), at->id)
                : error_new(EXIT_STAGE, "STG-71", "a module ended the program");
  error_help(e, "report it to the author: a module returns an error and never calls exit");
  remove_unfinished();
  _exit(cli_fail(NULL, e));
}

static void handle(int sig, void (*handler)(int), int flags)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(sig, &action, NULL);
}

void signals_install(void)
{
  static const int crashes[] = { SIGSEGV, SIGFPE, SIGABRT, SIGILL };
  program = getpid();
  stack = signal_stack_begin();
  atexit(on_exit_of_module);
  handle(SIGPIPE, SIG_IGN, 0);
  handle(SIGINT, on_end, SA_RESTART);
  handle(SIGTERM, on_end, SA_RESTART);
  handle(SIGALRM, on_time, SA_RESTART);
  for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++)
    handle(crashes[i], on_crash, (int)(SA_RESETHAND | SA_NODEFER | SA_ONSTACK));
  struct sigaction bus = { .sa_sigaction = on_bus,
                           .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
  sigaction(SIGBUS, &bus, NULL);
}

void signals_watch(Run *run)
{
  if (run) watchdog_start(run);
  watched = run;
  alarm(run ? (unsigned)MIN(run->options.timeout_s, 1 << 30) : 0);
  if (!run) watchdog_stop();
}

void signals_end(void)
{
  over = true;
  signal_stack_end(stack);
}
