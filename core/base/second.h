/* A second thread for whoever has one piece of work after the other: it does the last one while the next is
 * prepared. */
#ifndef BASE_SECOND_H
#define BASE_SECOND_H

#include <stdint.h>

typedef struct Second Second;

/* So many at once, in the whole program; none before this was called. */
void second_allow(uint32_t n);
/* NULL: there are enough, or no thread can be had. */
Second *second_new(void (*work)(void *data), void *data);
/* One more call of `work`, after the one before has ended. */
void second_start(Second *s);
/* Until the last one has ended. */
void second_wait(Second *s);
void second_free(Second *s); /* waits; NULL is fine */

#endif
