/* Endings that nobody asked for: a crash, memory that is not to be had.  Each says what was at work, and leaves
 * nothing half written. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "base/file-memory.h"
#include "base/guard.h"
#include "base/process.h"
#include "base/window.h"
#include "cmd/cli.h"
#include "cmd/ending.h"
#include "host/instance.h"
#include "plan/module.h"
#include "plan/modules.h"
#include "plan/outside.h"

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

static bool is_from_outside(const Descriptor *d)
{
  const OutsideModule *m;
  for (unsigned i = 0; (m = outside_at(i)); i++)
    if (!strcmp(m->name, d->name)) return true;
  return false;
}

/* A module that wrote where it must not is gone when the program meets what it left. */
static void put_outside(void)
{
  const OutsideModule *m;
  for (unsigned i = 0; (m = outside_at(i)); i++) {
    cli_put(
        i ? "        "
          : "  why:  modules from outside are loaded, and one of them may have done it:\n        ");
    cli_put_name(m->name);
    cli_put(" ");
    cli_put_name(m->version);
    cli_put(" (");
    cli_put_name(m->path);
    cli_put(")\n");
  }
  if (outside_at(0)) cli_put("  help: try --verify, which looks for what modules may not do\n");
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
  if (!at || !is_from_outside(at->descriptor)) put_outside();
  cli_put("  help: please report it with the command line, the output of \"stagemill doctor\",\n"
          "        run.json of an earlier run if there is one, and the core dump or a backtrace\n");
}

static void end_without_memory(void)
{
  cli_put("error[RUN-15]: out of memory\n"
          "  help: use fewer threads with -j, hold less with --max-memory, or cut the input with "
          "--from and --to\n");
  ending_remove();
  process_end(EXIT_LIMIT);
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

/* Under --verify what a module may touch ends at pages that nobody may. */
static void end_in_guard(const Instance *at)
{
  cli_put("error[STG-70]: ");
  cli_put(module_kind_name(at->descriptor->kind));
  cli_put(" \"");
  cli_put_name(at->id);
  cli_put("\" ");
  cli_put_name(at->descriptor->version);
  cli_put(" broke its contract: touched memory past the end of what it was given, or that was "
          "freed [past-the-end]\n"
          "  help: report it to its author; without --verify nobody may notice, or the program "
          "crashes later\n");
  ending_remove();
  process_end(EXIT_INTERNAL);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
  (void)context;
  const Instance *at = instance_current;
  if (at && guard_has(info->si_addr) && !ending_is_child() && ending_take()) end_in_guard(at);
  on_crash(sig);
}

static void end_without_disk(void)
{
  cli_put("error[RUN-08]: rows beyond the memory limit could not be read back or put aside: the "
          "disk failed\n"
          "  help: give more memory with --max-memory, or an output folder on another disk\n");
  ending_remove();
  process_end(EXIT_OUTPUT);
}

/* An input may shrink while it is read, and a disk may fail: these are errors of the run, not crashes. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
  (void)context;
  if (window_repair(info->si_addr)) return;
  if (file_memory_holds(info->si_addr) && !ending_is_child() && ending_take()) end_without_disk();
  on_crash(sig);
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

void crash_install(void)
{
  static const int crashes[] = { SIGFPE, SIGABRT, SIGILL, SIGTRAP, SIGSYS };
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_NODEFER | SA_ONSTACK };
  for (size_t i = 0; i < G_N_ELEMENTS(crashes); i++) sigaction(crashes[i], &action, NULL);
  struct sigaction fault = { .sa_sigaction = on_fault,
                             .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
  sigaction(SIGSEGV, &fault, NULL);
  struct sigaction bus = { .sa_sigaction = on_bus,
                           .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
  sigaction(SIGBUS, &bus, NULL);
  g_log_set_default_handler(on_glib_message, NULL);
  module_exit_install();
  module_exec_install();
}
