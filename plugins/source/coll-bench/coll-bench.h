/* What the files of the coll-bench source share: a log in memory, its readers, the instance. */
#ifndef COLL_BENCH_H
#define COLL_BENCH_H

#include <glib.h>
#include <stagemill/source.h>

#include "lib/record.h"

enum { /* MillNotice.number */
       CB_NO_ROWS = 1,
       CB_NO_FOOTER = 2,
       CB_WRONG = 3,
       CB_BAD_TEXT = 4,
       CB_TOO_LONG = 5,
       CB_KEPT = 20,
       CB_COUNTED = 21,
       CB_SHORT_HEADER = 22,
       CB_BROKEN = 23
};
#define CB_N_NOTICES 9u
extern const MillNotice coll_bench_notices[CB_N_NOTICES];

typedef struct CollRow {
  const char *collective, *type, *redop; /* of Log.names; NULL: not said */
  int64_t bytes, count;                  /* count -1: not said */
  bool in_place;
  double time_us, algbw, busbw; /* NaN: not said */
  int64_t wrong;                /* -1: not checked */
} CollRow;

typedef struct Log {
  GArray *rows; /* CollRow */
  GStringChunk *names;
  const char *collective; /* of all rows that do not say; NULL: nobody does */
  int64_t ranks, nodes;   /* 0: not said */
  double avg_busbw;       /* NaN: not said */
  int64_t out_of_bounds;  /* -1: not said */
  bool failed, complete;  /* it says FAILED; it has its end */
  bool lacks_nodes;       /* rows of rccl-tests with a column more than the header */
  uint64_t n_broken;      /* rows that end in the middle */
} Log;

/* Each adds what the text holds; false: it is not of this form.  *out_why (g_free) is set, with the line, where it is
 * and cannot be read. */
bool log_read_text(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);
bool log_read_json(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);
bool log_read_csv(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line);

/* "all_reduce_perf" is "allreduce"; NULL for none of them. */
const char *log_collective(Log *log, const char *name);
bool log_is_text(const char *text, size_t len);
bool log_is_json(const char *text, size_t len);
bool log_is_csv(const char *text, size_t len);
double log_number(const char *text); /* NaN: "N/A", "nan" and other words */

#endif
