/* What a stage asks of the environment while a case runs; what else it changes of the process is the matter of --verify. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_OUTSIDE_H
#define HARNESS_OUTSIDE_H

/* One at a time. */
void outside_watch(void);
/* What is wrong with what it did, to be freed; NULL: nothing. */
char *outside_seen(void);

#endif
