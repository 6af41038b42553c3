/* Threads in which a full stack can be detected: signal handlers have a stack of their own. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* As pthread_create; the stack for signals lives as long as the thread works.  Signals from outside that end the
 * program are not delivered to it. */
int thread_start(pthread_t *out, void *(*work)(void *data), void *data);

/* The same stack for the thread that calls this, until it gives it back; NULL: it has one already,
 * or there is no memory. */
void *signal_stack_begin(void);
void signal_stack_end(void *stack); /* may be NULL */

#endif
