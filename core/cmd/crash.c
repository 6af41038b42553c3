/* Endings that nobody asked for: a crash, memory that is not to be had, a call of exit in a module.  Each says
 * what was at work, and leaves nothing half written. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/window.h"
#include "cmd/cli.h"
#include "cmd/ending.h"
#include "cmd/progress.h"
#include "host/instance.h"
#include "plan/module.h"
#include "plan/modules.h"

#define PROBE ((size_t)1 << 20)

static void put_stage(const Descriptor *s)
{
  cli_put("error[");
  cli_put_name(s->code);
  cli_put("-00]: the program crashed inside \"");
  cli_put_name(s->name);
  cli_put("\" ");
  cli_put_name(s->version);
  cli_put("\n");
}

static void put_loading(const char *path)
{
  cli_put("error[RUN-99]: the program crashed while it loaded a module\n  file: ");
  cli_put_name(path);
  cli_put("\n  help: rebuild the file or copy it once more; if it is complete, report it to its "
          "author\n");
}

static void put_crash(void)
{
  const Instance *at = instance_current;
  if (!at && modules_loading) {
    put_loading(modules_loading);
    return;
  }
  if (at)
    put_stage(at->descriptor);
  else
    cli_put("error[RUN-99]: the program crashed outside of any stage\n");
  cli_put("  help: please report it with the command line, the output of \"stagemill doctor\",\n"
          "        run.json of an earlier run if there is one, and the core dump or a backtrace\n");
}

static void end_without_memory(void)
{
  cli_put("error[RUN-15]: out of memory\n"
          "  help: use fewer threads with -j, hold less with --max-memory, or cut the input with "
          "--from and --to\n");
  ending_remove();
  _exit(EXIT_LIMIT);
}

/* Libraries crash where they get none. */
static bool memory_is_gone(void)
{
  void *probe = mmap(NULL, PROBE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return true;
  munmap(probe, PROBE);
  return false;
}

/* Only calls that are safe in a signal handler; the signal is raised again with its default
 * action. */
static void on_crash(int sig)
{
  if (ending_is_child()) {
    put_crash();
  } else if (ending_take()) {
    if (memory_is_gone()) end_without_memory();
    put_crash();
    ending_remove();
  }
  signal(sig, SIG_DFL);
  raise(sig);
}

/* An input may shrink while it is read: that is an error of the run, not a crash. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
  (void)context;
  if (!window_repair(info->si_addr)) on_crash(sig);
}

/* No more than there is, or than can be counted. */
static bool is_of_memory(const char *text)
{
  return strstr(text, "failed to allocate") || strstr(text, "overflow allocating") ||
         strstr(text, "would overflow");
}

/* GLib gives up where it gets no memory, and says so here before. */
static void on_glib_message(const char *domain, GLogLevelFlags level, const char *text, void *data)
{
  bool fatal = level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL);
  if (!fatal || !text || !is_of_memory(text)) {
    g_log_default_handler(domain, level, text, data);
    return;
  }
  if (ending_take()) end_without_memory();
}

/* The program itself takes the ending before it returns from main. */
static void on_exit_of_module(void)
{
  const Instance *at = instance_current;
  if (ending_is_child() || !ending_take()) return;
  progress_hide();
  cli_put("error[STG-71]: ");
  if (at) {
    cli_put(module_kind_name(at->descriptor->kind));
    cli_put(" \"");
    cli_put_name(at->id);
    cli_put("\" ended the program\n");
  } else {
    cli_put("a module ended the program\n");
  }
  if (!at && modules_loading) {
    cli_put("  while it was loaded: ");
    cli_put_name(modules_loading);
    cli_put("\n");
  }
  cli_put("  help: report it to the author: a module returns an error and never calls exit\n");
  ending_remove();
  _exit(EXIT_STAGE);
}

void crash_install(void)
{
  static const int crashes[] = { SIGSEGV, SIGFPE, SIGABRT, SIGILL, SIGTRAP, SIGSYS };
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_NODEFER | SA_ONSTACK };
  for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++) sigaction(crashes[i], &action, NULL);
  struct sigaction bus = { .sa_sigaction = on_bus,
                           .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
  sigaction(SIGBUS, &bus, NULL);
  g_log_set_default_handler(on_glib_message, NULL);
  atexit(on_exit_of_module);
  at_quick_exit(on_exit_of_module);
}
