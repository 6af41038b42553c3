/* What the program's own error codes mean, at length; those of stages are in their notice tables. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_CODES_H
#define MODEL_CODES_H

#include <stddef.h>

typedef struct Code {
  const char *code;    /* "PRF-03" */
  const char *title;   /* a short sentence without a full stop */
  const char *explain; /* causes, consequences, remedies: a paragraph */
} Code;

const Code *codes_find(const char *code); /* in either case of letters; NULL when unknown */
const Code *codes_all(size_t *out_n);     /* ordered by tag, then by number */

#endif
