/* A run over time: how many requests are in flight, and when tokens come out.  All sums are
 * integers, so that the order of requests does not matter. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_LOAD_TIMELINE_H
#define SERVE_LOAD_TIMELINE_H

#include <stagemill/types.h>

#define TIMELINE_WINDOW_NS INT64_C(1000000000)
#define TIMELINE_LAST_NS (INT64_MAX / 4)
#define TIMELINE_MAX_WINDOWS (INT64_C(1) << 20) /* twelve days */

/* Equal parts of the time from `first_ns` on; whatever is later belongs to the last. */
typedef struct Cells {
  int64_t first_ns, width_ns;
  int64_t n;
  int64_t *tokens; /* of each cell */
} Cells;

typedef struct Bucket {
  __int128 partial_ns;          /* requests in flight for a part of the bucket: their times in it */
  int64_t full_begin, full_end; /* requests in flight for whole buckets from, and up to, this one */
  int64_t started, finished;
} Bucket;

typedef struct BucketRow {
  int64_t start_ns, len_ns; /* start from the first request; len 0: the run took no time */
  double running;           /* requests in flight, mean over the bucket's time */
  int64_t started, finished, tokens;
} BucketRow;

typedef struct Timeline {
  int64_t first_ns, last_ns;
  Cells buckets, windows; /* windows.n 0: the run is too long for them */
  Bucket *in_bucket;
  int64_t *starts, *ends; /* of requests */
  size_t n, max;
} Timeline;

/* Space for max_requests between two times, 0 <= first <= last <= TIMELINE_LAST_NS; it lives as long
 * as the instance.  False: memory was refused. */
bool timeline_open(Timeline *t, const MillHost *common, int64_t first_ns, int64_t last_ns,
                   size_t max_requests, int64_t n_buckets);

/* Times of one request, within those of the timeline. */
void timeline_add(Timeline *t, int64_t start_ns, int64_t end_ns);
void timeline_tokens(Timeline *t, int64_t at_ns, int64_t tokens);
/* Tokens at equal distances, the first at first_ns and the last at last_ns. */
void timeline_spread(Timeline *t, int64_t first_ns, int64_t last_ns, int64_t tokens);

/* Once all were added.  Rows in order: bucket 0 first, `io_full` begins as 0. */
BucketRow timeline_bucket(const Timeline *t, int64_t bucket, int64_t *io_full);
int64_t timeline_most_running(Timeline *t);
int64_t timeline_peak_tokens(const Timeline *t); /* of a window of a second */

#endif
