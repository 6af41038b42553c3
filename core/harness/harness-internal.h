/* The harness from inside: a case, its lines, the host that a stage sees, and what a run leaves. */
#ifndef HARNESS_INTERNAL_H
#define HARNESS_INTERNAL_H

#include <glib.h>
#include <stagemill/harness.h>

#include "model/batch.h"
#include "model/option.h"
#include "model/summary.h"
#include "model/symbol.h"
#include "model/track.h"

/* ---- line.c: events as text */
typedef struct HarnessValue {
  uint32_t type;
  int64_t i;
  double r;
  char *text; /* of MILL_TEXT and MILL_JSON */
} HarnessValue;

typedef struct HarnessAttr {
  char *key;
  HarnessValue value;
} HarnessAttr;

typedef struct HarnessLine {
  uint8_t kind, flags, id_kind;
  char *name, *cat; /* cat may be NULL */
  int64_t ts_ns, dur_ns;
  uint64_t id;
  HarnessValue process, thread;
  GArray *attrs; /* HarnessAttr; a list is its key repeated */
  char *source;  /* the text it was read from, or NULL */
} HarnessLine;

HarnessLine *harness_line_parse(const char *text, char **out_why);
char *harness_line_format(const HarnessLine *line);
void harness_line_free(HarnessLine *line);
void harness_value_parse(const char *text, bool quoted, HarnessValue *out);
char *harness_value_format(const HarnessValue *value);
char *harness_list_format(const HarnessAttr *attrs, guint n); /* "[1,2]" */

/* ---- a case */
typedef struct HarnessLane {
  int64_t rank, base_ns;
  char *name, *label, *dialect;
  GHashTable *tags;
  GPtrArray *lines; /* HarnessLine */
} HarnessLane;

typedef struct HarnessCase {
  const MillStage *stage;
  GPtrArray *options; /* "name=text" */
  GPtrArray *lanes;   /* HarnessLane */
} HarnessCase;

/* ---- what a run leaves */
typedef struct HarnessRow {
  uint32_t table, lane;
  GPtrArray *cells; /* char *, without the rank */
} HarnessRow;

typedef struct HarnessMetric {
  uint32_t metric, lane;
  char *stat, *value; /* value NULL: not applicable */
} HarnessMetric;

typedef struct HarnessResult {
  GPtrArray *events;   /* a GPtrArray of HarnessLine per output lane */
  GPtrArray *rows;     /* HarnessRow */
  GPtrArray *metrics;  /* HarnessMetric */
  GHashTable *notices; /* number -> count, both as pointers */
  GPtrArray *states;   /* Summary: what every lane saved as its RESULT */
  GPtrArray *broken;   /* promises that the stage broke, char * */
  uint32_t status;
  char *failure;
} HarnessResult;

HarnessResult *harness_result_new(void);
void harness_result_free(HarnessResult *r);
char *harness_result_text(const HarnessCase *c, const HarnessResult *r);

/* ---- host.c: one instance's view of the program */
typedef struct HarnessHost {
  MillHost table; /* first */
  const HarnessCase *test;
  HarnessResult *result;
  Symbols *symbols; /* of the whole run */
  Tracks *tracks;   /* of the lane, or run-wide */
  uint32_t lane;
  Summary *put, *get;
  GHashTable *kept; /* handle -> Batch of one event */
  uint64_t next_kept;
  GPtrArray *scratch;
  uint64_t next_seq; /* of events emitted in flush */
} HarnessHost;

HarnessHost *harness_host_new(const HarnessCase *c, HarnessResult *r, Symbols *symbols,
                              Tracks *tracks, uint32_t lane);
void harness_host_free(HarnessHost *h);
void harness_host_end_call(HarnessHost *h); /* frees scratch */
void harness_break(HarnessResult *r, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- drive.c: the life of a stage */
typedef struct HarnessManner { /* ways to run a case that must not change what comes out */
  uint32_t batch_size;
  bool reverse_lanes; /* instances are served in reverse */
  bool shuffle_symbols;
  uint32_t max_events; /* of each lane */
} HarnessManner;

HarnessResult *harness_drive(const HarnessCase *c, const HarnessManner *manner);
/* Merges states in order into one fresh run-level instance and saves it; false if the stage
 * failed. */
bool harness_fold(const HarnessCase *c, const Summary *const *states, uint32_t n, Summary *out,
                  HarnessResult *r);

#endif
