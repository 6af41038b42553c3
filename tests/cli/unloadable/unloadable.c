/* A module that does not survive being loaded, in the way that HOW names; by default the loader crashes, as it does at
 * some damaged files. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { CRASHES, EXITS, EXITS_AT_ONCE, HANGS };

#ifndef HOW
#define HOW CRASHES
#endif

__attribute__((constructor)) static void end(void)
{
  switch (HOW) {
  case EXITS: exit(0);
  case EXITS_AT_ONCE: _exit(0);
  case HANGS:
    for (;;) sleep(1);
  default: raise(SIGSEGV);
  }
}
