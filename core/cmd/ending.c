/* Which thread ends the process; see ending.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/ending.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "base/child.h"
#include "cmd/cli.h"
#include "host/remote.h"
#include "output/output.h"

static pid_t program;
static Run *_Atomic watched;
static _Atomic int decided; /* the status, once the program ends */
static atomic_int ender; /* a thread; 0: nobody ends the process */

void ending_init(void) { program = getpid(); }
bool ending_is_child(void) { return getpid() != program; }
void ending_watch(Run *run) { watched = run; }
Run *ending_watched(void) { return watched; }

bool ending_take(void)
{
  int before = 0, own = gettid();
  if (atomic_compare_exchange_strong(&ender, &before, own)) return true;
  while (before != own) pause();
  return false;
}

void ending_decide(int status) { decided = status; }
int ending_status(void) { return decided; }

void ending_remove(void)
{
  if (!ending_is_child()) {
    children_kill();
    remote_kill_all();
  }
  const char *kept = ending_is_child() ? NULL : output_remove_after_crash();
  if (!kept) return;
  cli_put("  why:  the results were being moved into place; the files that were there before are "
          "in\n        ");
  cli_put_name(kept);
  cli_put("\n");
}
