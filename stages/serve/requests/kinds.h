/* Kinds of errors and how many requests each hit, in bounded memory.
 *
 * Kept are the KINDS_KEPT kinds whose texts come first in byte order; the others are counted
 * together.  A kind that is among the first of all is among the first of every part, so its count
 * is exact, and neither order nor grouping of what is added matters. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_REQUESTS_KINDS_H
#define SERVE_REQUESTS_KINDS_H

#include "kit/state/state.h"

#define KINDS_KEPT 4096u
#define KINDS_OTHER "other" /* the name of all the others */

typedef struct Kind {
  MillText text;
  int64_t count;
} Kind;

typedef struct Kinds { /* { .common = common } is empty */
  const MillHost *common;
  Kind *items; /* by text */
  uint32_t n;
  size_t capacity;
  int64_t other;
} Kinds;
extern const StateType kinds_state;

/* What an error says in a line: the last one of a Python traceback, else the first; cut at a
 * length that suits a table. */
const char *kind_of_error(const char *error, size_t len, size_t *out_len);

/* Here and below false means that memory was refused. */
bool kinds_add(Kinds *kinds, const char *text, size_t len, int64_t count);
void kinds_clear(Kinds *kinds); /* empty again */

/* Leaves the `most` most frequent, in order of their counts, and adds the rest to `other`. */
void kinds_reduce(Kinds *kinds, uint32_t most);

#endif
