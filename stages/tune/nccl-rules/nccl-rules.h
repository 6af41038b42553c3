/* What the files of nccl-rules share: rows by collective, nodes, ranks and size. */
/* SPDX-License-Identifier: MIT */
#ifndef NCCL_RULES_H
#define NCCL_RULES_H

#include "tune/lib/allreduce-points.h"
#include "tune/lib/allreduce-table.h"

enum {
  NOTICE_NO_TAGS = 1,
  NOTICE_NO_METRIC = 2,
  NOTICE_UNKNOWN = 3,
  NOTICE_NOTHING = 4,
  NOTICE_NO_PAIR = 5,
  NOTICE_SOLE = 6,
  NOTICE_OTHER_TYPE = 7
};
enum { LATENCY, BANDWIDTH };
#define OPEN_END INT64_C(4294967295)

enum { COLLECTIVE, ALGORITHM, PROTOCOL, TYPE, N_NAMES };
enum { BYTES, CHANNELS, NODES, RANKS, PIPE_OPS, REG_BUFF, IN_PLACE, N_INTS };
enum { TIME, BANDWIDTH_OF_ROW, BUSBW, N_REALS };

typedef struct Options {
  int64_t metric;
  const char *dtype; /* "": any */
  bool open_end;
} Options;

typedef struct Row {
  MillSym names[N_NAMES];
  int64_t ints[N_INTS]; /* -1: any */
  double value;         /* the smaller the better */
  size_t place;         /* among all rows as they came */
} Row;

typedef struct Size { /* that was measured on so many nodes and ranks */
  int64_t nodes, ranks, bytes;
} Size;

typedef struct Rules {
  const MillStageHost *host;
  const MillHost *common;
  const Options *options;
  MillSym log_row, log_run, row, type, names[N_NAMES], ints[N_INTS], reals[N_REALS];
  Row *rows;
  size_t n, capacity;
  Size *sizes; /* of all rows, each once */
  size_t n_sizes;
  int64_t n_rules;
  size_t first_of_run; /* of the rows that the end of a run says ranks and nodes of */
} Rules;

enum { TABLE_RULES, TABLE_CANDIDATES };

/* rules.c: sorts the rows, and fills both tables. */
int rules_report(Rules *);
/* Of the rows of one size; of equal ones the first. */
const Row *rules_best(const Row *rows, size_t n);
bool rules_are_alike(const Row *a, const Row *b); /* the same algorithm, protocol and channels */
/* Its place among all sizes; neighbours on as many nodes and ranks are neighbours there. */
size_t rules_range(const Rules *x, const Row *row);
int64_t rules_range_end(const Rules *x, size_t range);

/* candidates.c: what was measured of a collective on so many nodes and ranks, and where the best of it changes. */
int candidates_report(const Rules *x, const Row *rows, size_t n);

typedef struct RuleRow {
  MillSym collective;
  int64_t nodes, ranks, pipe_ops, reg_buff, min_bytes, max_bytes;
  MillSym algorithm, protocol;
  int64_t channels, position;
} RuleRow;

typedef struct CandidateRow {
  MillSym collective;
  int64_t nodes, ranks, pipe_ops, reg_buff, bytes;
  MillText candidate;
  double time_us, bandwidth;
  bool chosen;
  int64_t until_bytes;
  MillText panel;
} CandidateRow;

#endif
