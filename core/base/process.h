/* Which process this is, without asking the system each time; and how it ends. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <sys/types.h>

/* As getpid(), also in a child that was forked past every handler of the C library. */
pid_t process_id(void);
/* As _exit, which modules may have replaced by what the program does about their calls of it. */
_Noreturn void process_end(int status);

#endif
