/* What the files of the coll-bench source share: a log in memory, its readers, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef COLL_BENCH_H
#define COLL_BENCH_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/record.h"

enum { /* MillNotice.number */
       CB_NO_ROWS = 1,
       CB_NO_FOOTER = 2,
       CB_WRONG = 3,
       CB_BAD_TEXT = 4,
       CB_TOO_LONG = 5,
       CB_KEPT = 20,
       CB_COUNTED = 21,
       CB_SHORT_HEADER = 22,
       CB_BROKEN = 23,
       CB_RANKS = 24,
       CB_AVERAGE = 25
};
#define CB_N_NOTICES 11u
extern const MillNotice coll_bench_notices[CB_N_NOTICES];

typedef struct CollRow {
  const char *collective, *type, *redop; /* of Log.names; NULL: not said */
  int64_t bytes, count;                  /* count -1: not said */
  bool in_place;
  double time_us, algbw, busbw; /* NaN: not said */
  int64_t wrong;                /* -1: not checked */
} CollRow;

typedef struct Run {                /* of one program */
  guint end;                        /* of its rows */
  const char *collective;           /* of all rows that do not say; NULL: nobody does */
  const char *algorithm, *protocol; /* that NCCL was told to take; NULL: not said */
  int64_t ranks, nodes;             /* 0: not said */
  int64_t local;                    /* GPUs of a process, by its header; 0: not said */
  double avg_busbw;                 /* NaN: not said */
  int64_t out_of_bounds;            /* -1: not said */
  bool failed, complete;            /* it says FAILED; it has its end */
} Run;

typedef struct Log {
  GArray *rows; /* CollRow */
  GArray *runs; /* Run; those that have ended */
  GStringChunk *names;
  Run run;           /* that goes on */
  bool lacks_nodes;  /* rows of rccl-tests with a column more than the header */
  uint64_t n_broken; /* rows that end in the middle */
} Log;

/* Each adds what the text holds; false: it is not of this form.  *out_why (g_free) is set, with the line, where it is
 * and cannot be read. */
bool log_read_text(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);
bool log_read_json(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);
bool log_read_csv(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);

void log_init(Log *log);
void log_clear(Log *log);
/* The run that goes on ends, and another one begins. */
void log_next_run(Log *log);
/* Devices are what NCCL calls ranks; a rank of rccl-tests is a process of some.  -1: not said. */
int64_t log_ranks(int64_t gpus, int64_t processes, int64_t per_process);
/* A row of so many ranks and nodes, 0 of which is not said, comes next: other ones are another run. */
void log_on_ranks(Log *log, int64_t ranks, int64_t nodes);
/* Whether bandwidths of the rows from first on are those of so many ranks. */
bool log_ranks_fit(const Log *log, const Run *run, guint first, int64_t ranks);
/* The mean of busbw of the rows from first on; NaN: no row has one. */
double log_mean_busbw(const Log *log, const Run *run, guint first);
/* The ranks that the largest bandwidth is of; 0: it does not say. */
int64_t log_fitting_ranks(const Log *log, const Run *run, guint first);

/* "all_reduce_perf" is "allreduce"; NULL for none of them. */
const char *log_collective(Log *log, const char *name);
bool log_is_text(const char *text, size_t len);
bool log_is_json(const char *text, size_t len);
bool log_is_csv(const char *text, size_t len);
double log_number(const char *text); /* NaN: "N/A", "nan" and other words */

#endif
