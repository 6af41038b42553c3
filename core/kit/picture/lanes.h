/* Leading columns that a figure does not use: which lane or group a row is of, and its shortest name. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_PICTURE_LANES_H
#define KIT_PICTURE_LANES_H

#include "kit/picture/source.h"

typedef struct Lanes {
  const Source *source;
  GArray *columns; /* int: those that tell lanes apart */
  Names *names;    /* by all of them */
} Lanes;

/* `used` has a flag for each leading column that separates rows already; `named` for each that is
 * shown in another way. */
void lanes_open(Lanes *l, const Source *s, const Rows *rows, const bool *used, const bool *named);
void lanes_close(Lanes *l);
/* 0 or 1: nothing to tell apart. */
static inline uint32_t lanes_count(const Lanes *l) { return names_len(l->names); }
uint32_t lanes_of(const Lanes *l, Row row);
/* Adds what is the same for all rows of a lane, and for no others. */
void lanes_put_key(const Lanes *l, Row row, GString *out);

#endif
