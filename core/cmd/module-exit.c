/* Calls of exit in a module.  Modules find these functions before those of the C library, so that no call ends the
 * program with a status of its own, on whatever thread it comes. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "cmd/cli.h"
#include "cmd/ending.h"
#include "cmd/progress.h"
#include "host/instance.h"
#include "plan/module.h"
#include "plan/modules.h"

#define FOR_MODULES __attribute__((visibility("default")))

/* caller: an address in the code that called; NULL: unknown. */
static void put_exit(const char *what, void *caller)
{
  const Instance *at = instance_current;
  Dl_info file;
  cli_put("error[STG-71]: ");
  if (at) {
    cli_put(module_kind_name(at->descriptor->kind));
    cli_put(" \"");
    cli_put_name(at->id);
    cli_put("\" ");
  } else {
    cli_put("a module ");
  }
  cli_put(what);
  cli_put("\n");
  if (!at && modules_loading) {
    cli_put("  while it was loaded: ");
    cli_put_name(modules_loading);
    cli_put("\n");
  } else if (caller && dladdr(caller, &file) && file.dli_fname) {
    cli_put("  file: ");
    cli_put_name(file.dli_fname);
    cli_put("\n");
  }
  cli_put("  help: report it to the author: a module returns an error and never calls exit\n");
}

static _Noreturn void end_taken(const char *what, void *caller)
{
  progress_hide();
  put_exit(what, caller);
  ending_remove();
  process_end(EXIT_STAGE);
}

void module_end(const char *what, void *caller)
{
  if (!ending_take()) process_end(ending_status());
  end_taken(what, caller);
}

static _Noreturn void end_for_module(void *caller) { module_end("ended the program", caller); }

/* Of the C library's own calls, as in err(): the program takes the ending before it returns from main. */
static void on_exit_of_library(void)
{
  if (!ending_is_child() && ending_take()) end_taken("ended the program", NULL);
}

void module_exit_install(void)
{
  atexit(on_exit_of_library);
  at_quick_exit(on_exit_of_library);
}

/* A child that a module forked goes its own way. */
static void end_child(const char *name, int status)
{
  void (*of_library)(int);
  *(void **)&of_library = dlsym(RTLD_NEXT, name);
  if (of_library) of_library(status);
  process_end(status);
}

FOR_MODULES void exit(int status)
{
  if (ending_is_child()) end_child("exit", status);
  end_for_module(__builtin_return_address(0));
}

FOR_MODULES void quick_exit(int status)
{
  if (ending_is_child()) end_child("quick_exit", status);
  end_for_module(__builtin_return_address(0));
}

FOR_MODULES void _exit(int status)
{
  if (ending_is_child()) process_end(status);
  end_for_module(__builtin_return_address(0));
}

FOR_MODULES void _Exit(int status)
{
  if (ending_is_child()) process_end(status);
  end_for_module(__builtin_return_address(0));
}
