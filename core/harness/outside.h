/* What a stage touches outside of the run while a case runs: standard output, and the environment. */
#ifndef HARNESS_OUTSIDE_H
#define HARNESS_OUTSIDE_H

/* One at a time. */
void outside_watch(void);
/* What is wrong with what it did, to be freed; NULL: nothing. */
char *outside_seen(void);

#endif
