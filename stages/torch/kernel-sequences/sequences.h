/* Operators of a lane, the device work below each, and which sequences of names they are. */
/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_SEQUENCES_SEQUENCES_H
#define KERNEL_SEQUENCES_SEQUENCES_H

#include "kit/text/fields.h"
#include "kit/state/keyed.h"

typedef struct Sequence {
  int64_t calls, device_ns, host_ns;
  uint32_t place; /* from 1 on, the most frequent first; 0: not among those that are marked */
} Sequence;

typedef struct Op {
  int64_t start_ns, end_ns;
  uint32_t track;
  MillSym name;
  bool is_inner;              /* within another one */
  const KeyedEntry *sequence; /* NULL: it launched nothing */
} Op;

typedef struct Piece { /* of device work */
  int64_t launch_ns, start_ns, dur_ns;
  uint32_t track; /* of the host, where it was launched */
  MillSym name;
  uint32_t op; /* NO_OP: of none */
} Piece;

#define NO_OP UINT32_MAX

typedef struct Sequences { /* { .common = common } is empty */
  const MillHost *common;
  Op *ops;
  Piece *pieces; /* both in order of the events */
  size_t n_ops, n_pieces, ops_capacity, pieces_capacity;
  Keyed *found; /* Sequence, by the name of the operator and those of its device work */
  Buffer names, key;
} Sequences;

/* Here and below false means that memory was refused. */
bool sequences_open(Sequences *, const MillHost *common);
bool sequences_add_op(Sequences *, const Op *);
bool sequences_add_piece(Sequences *, const Piece *);
/* After all of both: the sequences, of which the first `top` get a place. */
bool sequences_find(Sequences *, uint32_t top);

#endif
