/* What the files of the bench-json source share: the instance, and the readers of each format. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_JSON_SOURCE_H
#define BENCH_JSON_SOURCE_H

#include "kit/read/bench-kind.h"
#include "kit/read/json-members.h"
#include "kit/read/record.h"
#include "run.h"

typedef enum { AT_RUN, IN_REQUESTS, AT_TOTALS } Section;

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
  WANT_PEAK,
  WANT_ACCEPT, /* the rates of a run, in their order */
  WANT_DETAILED,
  WANT_STAT_NAME,
  WANT_STAT_VALUE,
  WANT_ERROR_KIND,
  WANT_ERROR_COUNT,
  N_WANTED
} Wanted;

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  Window window;
  Run run;
  GString *scratch; /* a decoded text */

  RecordWriter writer; /* keys by Wanted */
  MillSym request_name, run_name;

  bool started;
  bool has_runs;   /* of this input, before the one at hand */
  bool is_foreign; /* no result, and so no records */
  Section section;
  bool in_list, first_member, first_element; /* between the runs of one object */
  char *beside;    /* the file that says more of the requests that were read; or NULL */
  bool sample_std; /* this producer's standard deviations are those of a sample */

  /* The next request to give. */
  size_t request, gap, big;
  guint error;
  bool going_on; /* some of its gaps are given */
} Source;

void bench_duplicate(Source *s); /* a key was twice */

/* Each reads one run; p is at its first byte. */
bool read_flat(Source *s);
bool read_metrics(Source *s);
bool read_totals(Source *s); /* the same of a run whose requests are known: it is not finished */
bool read_lines(Source *s);  /* all objects up to the end of the input */
bool read_beside(Source *s); /* what a file beside the requests says of their run; none: true */
bool read_report(Source *s);
bool read_responses(Source *s);
bool more_responses(Source *s);     /* whether the object holds one more run; if not it is passed */
bool read_gaps(Source *s, Gaps *g); /* p at the list of lists */
bool read_foreign(Source *s);       /* what is none of these */

/* --------------------------------------------- objects that are in memory */
/* The last value of each of these members, with length 0 where there is none; repeated ones are
 * counted. */
void last_members(Source *s, const JsonToken *object, const char *const *names, size_t n,
                  JsonToken *out);

/* What a statistic's or a value's unit of time is. */
typedef struct Unit {
  int decimals;          /* of a nanosecond */
  double times, divided; /* to milliseconds */
} Unit;
const Unit *find_unit(Source *s, const char *name, const JsonToken *text); /* NULL: a fault */

/* Tags: objects, lists and null are none.  With `replace`, the last one wins, else the first. */
typedef struct TagKey {
  const char *key, *tag;
} TagKey;
void tag_value(Source *s, const char *tag, const JsonToken *t, bool replace);
/* Members of an object and of what it holds, this many levels down; of a list the first element.  The first
 * key of a tag counts; of a key that an object has twice the last value. */
enum { TAG_DEPTH = 3 }; /* at most */
void tag_members(Source *s, const JsonToken *object, const TagKey *keys, uint32_t depth);

/* "type: message" of an error's object, its code or its text; empty: none.  Into s->scratch. */
void error_text(Source *s, const JsonToken *error);

/* Into the batch until it is full: true when the run's requests are all given. */
bool emit_requests(Source *s, MillBatch *b);
bool emit_run(Source *s, MillBatch *b); /* false: the batch is full */
void emit_prepare(Source *s);

#endif
