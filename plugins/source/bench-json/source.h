/* What the files of the bench-json source share: the instance, and the readers of each format. */
#ifndef BENCH_JSON_SOURCE_H
#define BENCH_JSON_SOURCE_H

#include "run.h"

typedef enum {
  FORMAT_NONE,
  FORMAT_FLAT,      /* one object of totals, statistics and columns */
  FORMAT_METRICS,   /* one object, with an object for each metric */
  FORMAT_LINES,     /* an object for each request */
  FORMAT_RESPONSES, /* raw times of requests and responses */
  FORMAT_REPORT     /* totals in groups */
} Format;

/* What the keys at the beginning of an object tell. */
typedef struct Kind {
  Format format;
  int sure; /* 0 to 100 */
  const char *dialect;
} Kind;
#define KIND_BYTES (8u * 1024) /* that are looked at */
Kind kind_of(const char *bytes, size_t len);

typedef enum { AT_RUN, IN_REQUESTS, AT_TOTALS } Place;

typedef enum {
  WANT_START,
  WANT_TTFT,
  WANT_E2E,
  WANT_INPUT,
  WANT_OUTPUT,
  WANT_TPOT, /* the columns of a run, in their order */
  WANT_ERROR,
  WANT_OK,
  WANT_GAPS,
  WANT_COMPLETED,
  WANT_FAILED,
  WANT_DURATION,
  WANT_INPUT_TOTAL, /* the same attributes as of requests */
  WANT_OUTPUT_TOTAL,
  WANT_REACHED,
  WANT_GPUS, /* the totals of a run, in their order */
  WANT_REQUEST_RATE,
  WANT_INPUT_RATE,
  WANT_OUTPUT_RATE,
  WANT_TOTAL_RATE,
  WANT_GOODPUT,
  WANT_USER_RATE,
  WANT_PEAK, /* the rates of a run, in their order */
  WANT_DETAILED,
  WANT_STAT_NAME,
  WANT_STAT_VALUE,
  WANT_ERROR_KIND,
  WANT_ERROR_COUNT,
  N_WANTED
} Wanted;

typedef struct Source {
  const MillHost *host;
  Window window;
  Run run;
  GString *scratch; /* a decoded text */

  bool wanted[N_WANTED];
  MillSym symbols[N_WANTED];
  MillSym request_name, run_name;
  uint32_t track;

  bool started;
  Place place;
  bool is_lines; /* all objects of the input are one run */

  /* The next request to give. */
  size_t request, gap, big, error;
  bool going_on; /* some of its gaps are given */
} Source;

void bench_duplicate(Source *s); /* a key stood twice */

/* Each reads one run; p stands at its first byte. */
bool read_flat(Source *s);
bool read_gaps(Source *s, Gaps *g); /* p at the list of lists */

/* Into the batch until it is full: true when the run's requests are all given. */
bool emit_requests(Source *s, MillBatch *b);
bool emit_run(Source *s, MillBatch *b); /* false: no room */
void emit_prepare(Source *s);

#endif
