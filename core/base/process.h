/* Which process this is, without asking the system each time. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <sys/types.h>

/* As getpid(), also in a child that was forked past every handler of the C library. */
pid_t process_id(void);

#endif
