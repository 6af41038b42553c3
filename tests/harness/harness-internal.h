/* The harness from inside: a case, its lines, the part of a run that a stage sees, and what comes out. */
#ifndef TESTS_HARNESS_HARNESS_INTERNAL_H
#define TESTS_HARNESS_HARNESS_INTERNAL_H

#include <stagemill/harness.h>

#include "sched/run.h"

/* ---- line.c: events as text */
typedef struct HarnessAttr {
  char *key;
  MillValue value;
} HarnessAttr;

typedef struct HarnessLine {
  uint8_t kind, flags, id_kind;
  char *name, *cat; /* cat may be NULL */
  int64_t ts_ns, dur_ns;
  uint64_t id;
  MillValue process, thread;
  GArray *attrs; /* HarnessAttr; a list is its key repeated */
} HarnessLine;

HarnessLine *harness_line_new(void);
HarnessLine *harness_line_parse(const char *text, char **out_why);
char *harness_line_format(const HarnessLine *line);
void harness_line_free(HarnessLine *line);
/* Values of lines own their text, which ends in NUL; symbols become texts. */
MillValue harness_value_copy(const Symbols *symbols, MillValue v);
char *harness_value_format(const MillValue *v);
char *harness_list_format(const HarnessAttr *attrs, guint n); /* "[1,2]" */

/* ---- a case */
typedef struct HarnessLane {
  Lane lane;        /* first: what the stage is told of it */
  GPtrArray *lines; /* HarnessLine */
} HarnessLane;

typedef struct HarnessCase {
  const MillStage *stage;
  GPtrArray *options; /* "name=text" */
  GPtrArray *lanes;   /* HarnessLane */
} HarnessCase;

/* ---- host.c: of a run, what the program's own host asks for */
void harness_run_init(Run *run, GPtrArray *lanes);
void harness_run_clear(Run *run);

/* ---- drive.c: the life of a stage */
typedef struct HarnessReport { /* of one instance */
  uint32_t lane;
  Reported *reported;
} HarnessReport;

typedef struct HarnessResult {
  GPtrArray *events;  /* a GPtrArray of HarnessLine per output lane */
  GPtrArray *reports; /* HarnessReport, in the order of lanes, the run-level one last */
  Notices notices;
  GPtrArray *states; /* Summary: what every lane saved as its RESULT */
  GPtrArray *broken; /* promises that the stage broke, char * */
  uint32_t status;
  char *failure;
} HarnessResult;

void harness_result_free(HarnessResult *r);

typedef struct HarnessManner { /* ways to run a case that must not change what comes out */
  uint32_t batch_size;
  bool reverse_lanes; /* instances are served in reverse */
  bool shuffle_symbols;
  uint32_t max_events; /* of each lane */
} HarnessManner;

HarnessResult *harness_drive(const HarnessCase *c, const HarnessManner *manner);
/* Merges states in order into one fresh run-level instance and saves it. */
void harness_fold(const HarnessCase *c, const Summary *const *states, uint32_t n, Summary *out,
                  HarnessResult *r);

/* ---- properties.c */
char *harness_result_text(const HarnessResult *r);
/* Promises that every stage must keep, whatever it does: texts that say which are broken. */
GPtrArray *harness_broken_properties(const HarnessCase *c);

/* ---- stream.c, batches.c: what one instance will see */
typedef struct HarnessItem {
  const HarnessLine *line;
  uint32_t lane;
  uint64_t seq;
} HarnessItem;

typedef struct HarnessStream {
  Instance *instance;
  const void *options; /* its struct */
  GArray *items;       /* HarnessItem, in order */
} HarnessStream;

HarnessStream *harness_stream_new(const HarnessCase *c, uint32_t max_events, Instance *instance);
void harness_stream_free(HarnessStream *s);
Batch *harness_batch(HarnessStream *s, guint from, guint n);
void harness_batch_free(Batch *b);
HarnessLine *harness_line_of(const HarnessStream *s, const MillBatch *b, const MillEvent *e);

#endif
