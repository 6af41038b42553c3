/* Inside the rocprof-json source: where it is in a document, and what it knows of the process at hand. */
/* SPDX-License-Identifier: MIT */
#ifndef ROCPROF_JSON_H
#define ROCPROF_JSON_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/json-window.h"
#include "kit/read/record.h"

enum { /* MillNotice.number */
       ROC_NOT_JSON = 1,
       ROC_CUT = 2,
       ROC_HUGE = 3,
       ROC_NO_TOOL = 4,
       ROC_CHANGED = 5,
       ROC_RECOVERED = 20,
       ROC_BAD_RECORD = 21,
       ROC_NEGATIVE = 22,
       ROC_NAMES = 23,
       ROC_TEXT = 24,
       ROC_NO_OPERATORS = 25,
       ROC_OTHER = 26,
       ROC_ODD = 27
};
#define ROC_N_NOTICES 13u
extern const MillNotice roc_notices[ROC_N_NOTICES];
extern const WindowNotices roc_window_notices;

typedef enum Section { /* what is open */
                       AT_DOCUMENT,
                       IN_ROOT,
                       IN_TOOL,    /* the list of processes */
                       IN_PROCESS, /* the members of one */
                       IN_BUFFERS, /* its lists of records */
                       IN_LIST,
                       AT_END,
                       N_SECTIONS
} Section;

typedef enum ListKind {
  LIST_OTHER,
  LIST_DISPATCHES,
  LIST_COPIES,
  LIST_RUNTIME, /* HIP */
  LIST_DRIVER,  /* HSA */
  LIST_RCCL,
  LIST_MARKERS,
  N_LISTS
} ListKind;

typedef struct Agent {
  uint64_t node;   /* as the process numbers them */
  uint64_t device; /* among those of its type */
  bool is_gpu;
} Agent;

/* What a process says once, by numbers: kept as long as its records are read. */
typedef struct Names {
  GTree *kernels, *markers; /* uint64_t to a symbol */
  GTree *agents;            /* uint64_t to an Agent */
  GPtrArray *kinds;         /* of GArray of MillSym: operations by the number of their kind */
  bool has_pid, has_metadata, has_kernels, has_strings, has_agents;
  int64_t pid;
} Names;

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  Window window;
  bool started;
  Section section;
  bool first[N_SECTIONS]; /* nothing of it was read so far */
  ListKind list;
  uint64_t n_processes;
  bool has_tool;
  bool next_process; /* its lane has begun, and the window is at its bracket */

  Names own;        /* of the process at hand */
  bool is_surveyed; /* names stood after records, and the document was read to its end for them */
  GPtrArray *surveyed; /* of Names by process, or NULL */

  RecordWriter writer;
  MillSym cats[N_LISTS];
  GString *scratch;
} Source;

int roc_probe(const MillSource *self, const char *bytes, size_t len, const char *name);

/* names.c; false: the window has failed */
void names_init(Names *);
void names_clear(Names *);
/* The window is at the value of that member of a process, which is read if it is one of the tables; *out_known false:
 * it is none, and still to be read. */
bool names_take(Source *, Names *, const char *member, bool *out_known);
bool names_complete(const Names *);
const Names *names_now(const Source *);
/* A symbol, 0: not known. */
MillSym names_kernel(const Names *, uint64_t id);
MillSym names_operation(const Names *, uint64_t kind, uint64_t operation);
MillSym names_marker(const Names *, uint64_t correlation);
const Agent *names_agent(const Names *, uint64_t handle);
bool roc_number(const JsonToken *, uint64_t *out); /* whole, from 0; false: *out is 0 */
/* A value that fits in memory; what is no JSON in it but could be read is counted. */
bool roc_value(Window *, JsonToken *out);
/* A member that is passed, lists of any length in it, piece by piece.  roc_pass_odd: it is not what it should be, which
 * is counted. */
bool roc_pass(Window *);
bool roc_pass_odd(Source *, const char *member);

/* Reads the input once more for the names of all processes, and goes back; where it cannot be read again nothing
 * is found.  Negative: failed. */
int survey_names(Source *);

/* A record of the list at hand as an event; false: the batch is full. */
bool event_add(Source *, MillBatch *, const JsonToken *record);
void event_prepare(Source *);

int roc_next(void *instance, MillBatch *);

#endif
