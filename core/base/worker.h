/* A second thread for whoever has one piece of work after the other: it does the last one while the next is
 * prepared. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include <stdint.h>

typedef struct Worker Worker;

/* So many at once, in the whole program; none before this was called. */
void worker_allow(uint32_t n);
/* NULL: there are enough, or no thread can be had. */
Worker *worker_new(void (*work)(void *data), void *data);
/* One more call of `work`, after the one before has ended. */
void worker_start(Worker *s);
/* Until the last one has ended. */
void worker_wait(Worker *s);
void worker_free(Worker *s); /* waits; NULL is fine */

#endif
