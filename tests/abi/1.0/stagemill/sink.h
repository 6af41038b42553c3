/* The plug-in interface of a sink: a module that writes events, results or both.
 * Read types.h first; docs/write-a-sink.md takes you to a working sink.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_SINK_H
#define STAGEMILL_SINK_H

#include <stagemill/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { /* MillSink.flags */
  MILL_READS_RAW = 1 << 0, /* asks mill_raw; else no stage in between has to hold the bytes */
  /* What the program takes the sink for where nobody names a format.  Of two with one role the one without a vendor. */
  MILL_USUAL = 1 << 1,    /* a run writes it; a sink of events only where a stage changes events */
  MILL_SUMMARY = 1 << 2,  /* its summary.txt is what a run prints; options width, lines and rows */
  MILL_DOCUMENT = 1 << 3, /* its summary.json is what --json prints and report reads; option most-rows */
  MILL_PAGE = 1 << 4,     /* report writes it */
  MILL_DRAWS = 1 << 5,    /* it draws figures: on the terminal with the options type=text, columns, lines and figures */
  MILL_CONVERTS = 1 << 6  /* convert writes it: to its option file; options layout, split-size and split-time */
};

/* What was reported.  Set `size` of what you pass: it stays; each call gives false when there is no such index. */
typedef struct MillTableResult {
  uint32_t size;
  const MillTable *table;
  const char *name;
  uint64_t n_rows;
  MillColumnRows columns; /* all; before the declared ones rank, label and tags of a table per lane, or those of `by` */
} MillTableResult;
typedef struct MillMetricResult {
  uint32_t size;
  uint32_t lane; /* MILL_NO_LANE: of the run */
  const MillMetric *metric;
  const char *name;
  const char *stat; /* "" for none */
  MillValue value;  /* MILL_NONE: not applicable, see reason */
  uint64_t n;       /* samples */
  const char *reason; /* NULL unless value is MILL_NONE */
  const char *group; /* "tag=value" lines with MILL_OPTION_GROUP_BY, or "".  A backslash stands before what would be
                        read otherwise: \\ is a backslash, \n a newline, and in a tag \= is "=" */
} MillMetricResult;
typedef struct MillNoticeResult {
  uint32_t size;
  const MillNotice *notice;
  const char *code;
  uint64_t count;
  const char *what, *effect, *help; /* with their values filled in; effect and help may be NULL */
} MillNoticeResult;

typedef struct MillFigureResult {
  uint32_t size;
  uint32_t table; /* index of the table that it shows */
  const MillFigure *figure;
  const char *name;
} MillFigureResult;

enum { MILL_FINDING_NOTE = 1, MILL_FINDING_WARNING, MILL_FINDING_CRITICAL }; /* from a share of 5, 10, 20 percent on */
/* What a rule found; the most costly first. */
typedef struct MillFindingResult {
  uint32_t size;
  uint32_t severity;
  const char *name; /* of the rule */
  const char *text; /* one sentence, with numbers */
  MillValue cost_ns; /* MILL_NONE: the rule has none */
  double share;      /* percent of the time that was looked at */
  const char *where_json;    /* an object: "rank", "step", "kernel", ... */
  const char *evidence_json; /* a list of {"table": NAME, "keys": {COLUMN: VALUE}} */
  const char *advice;
} MillFindingResult;

typedef struct MillResults MillResults;
struct MillResults {
  uint32_t size;
  uint32_t n_tables;
  uint32_t n_metrics;
  uint32_t n_notices;
  bool (*table)(const MillResults *, uint32_t index, MillTableResult *out);
  const MillValue *(*row)(const MillResults *, uint32_t table, uint64_t row); /* cells, one per column */
  bool (*metric)(const MillResults *, uint32_t index, MillMetricResult *out);
  bool (*notice)(const MillResults *, uint32_t index, MillNoticeResult *out);
  const char *(*info)(const MillResults *, const char *key); /* "program", "version", "profile", "title", ... or NULL */
  uint32_t n_figures;
  bool (*figure)(const MillResults *, uint32_t index, MillFigureResult *out);
  uint32_t n_findings;
  bool (*finding)(const MillResults *, uint32_t index, MillFindingResult *out);
};

/* What a call may ask (MillHost: always; in `close` only log, symbol_text and freeing by resize).  Anything else
 * is refused, and the instance has failed:
 *   begin_run, write, finish, results, finish_run      lane_member, output
 *   results, finish_run                                place */
typedef struct MillSinkHost MillSinkHost;
struct MillSinkHost {
  uint32_t size;
  const MillHost *common;
  /* Members around the events, as the source of the lane found them; false: no more. */
  bool (*lane_member)(const MillSinkHost *, uint32_t lane, uint32_t index, bool *out_after, MillValue *out_key,
                      MillValue *out_json);
  /* Each name is one file, made of what the run level wrote in begin_run, then every lane in order, then what
   * the run level wrote in `results` and finish_run; `join` (or NULL) goes between the parts of two lanes when both
   * wrote something.  Writing nothing (len 0) closes the file until it is written again: for sinks of many. */
  int (*output)(const MillSinkHost *, const char *name, const char *join, const void *bytes, size_t len);
  /* For libraries that write files themselves: a path for the output of that name; NULL: results go nowhere, or it
   * was refused.  The file is written and closed when the call returns in which it was asked for. */
  const char *(*place)(const MillSinkHost *, const char *name);
};

/* Which call comes on which level:
 *   lane, merged   open  write..  finish  close          when the sink has `write`
 *   run            open  begin_run  results  finish_run  close
 * What is not needed is NULL: a sink of results alone leaves out write, finish and begin_run. */
typedef struct MillSink MillSink;
typedef struct MillSinkOps {
  uint32_t size;
  int (*open)(const MillSink *self, const MillSinkHost *host, uint32_t level, const void *options,
              void **out_instance);
  int (*write)(void *instance, const MillBatch *batch);
  int (*finish)(void *instance); /* the lane has ended */
  int (*begin_run)(void *run_instance); /* before anything of the first lane is written */
  int (*results)(void *run_instance, const MillResults *results);
  int (*finish_run)(void *run_instance);
  void (*close)(void *instance); /* also after an `open` that failed, if it gave an instance */
} MillSinkOps;

struct MillSink {
  uint32_t size;
  uint32_t flags;
  uint32_t options_size; /* sizeof your options struct */
  const char *name;      /* kebab-case; from outside of stagemill with the vendor: "acme.trace" */
  const char *format;    /* the word for --format; the program adds the vendor */
  const char *version;
  const char *tag;   /* 2 to 6 capitals: in logs and in notice codes */
  const char *title; /* one line */
  const char *help;  /* a paragraph */
  MillOptionRows options;
  MillNoticeRows notices;
  MillReadRows reads; /* attributes that it looks at; with mill_raw none are needed */
  const MillSinkOps *ops;
  const void *user; /* yours: for descriptors that are made at run time; `open` gets the descriptor */
  const void *(*extension)(const char *id); /* MILL_EXAMPLES; NULL for what you do not know */
  const char *files; /* names of the files that it writes, with blanks between; "{table}" is each table; or NULL */
};

/* The event as it was read; NULL when a stage made it, or without MILL_READS_RAW. */
static inline const char *mill_raw(const MillBatch *b, const MillEvent *e, size_t *out_len)
{
  const char *bytes = e->flags & MILL_FLAG_OWN_RAW ? b->own_ : b->raw_;
  *out_len = bytes ? e->raw_len : 0;
  return *out_len ? bytes + e->raw_off : NULL;
}

/* Once per module: MILL_SINK_MODULE(sink, "vendor", "MIT"); */
#define MILL_SINK_MODULE(sink_, vendor_, licence_) \
  MILL_MODULE_OF(MILL_KIND_SINK, MillSink, sink_, vendor_, licence_)

#ifdef __cplusplus
}
#endif
#endif
