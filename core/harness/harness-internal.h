/* The harness from inside: a case, its lines, the ends of a run in memory, and what comes out. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HARNESS_HARNESS_INTERNAL_H
#define TESTS_HARNESS_HARNESS_INTERNAL_H

#include <pthread.h>
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
/* Values of lines own their text, which ends in NUL; symbols of the host become texts. */
MillValue harness_value_copy(const MillHost *host, MillValue v);
char *harness_value_format(const MillValue *v);
char *harness_list_json(const HarnessAttr *attrs, guint n); /* "[1,2]" */

/* ---- complain.c: what is wrong, with its place in the test (file may be NULL); fails the test */
void harness_complain(const char *file, int line, const char *format, ...) G_GNUC_PRINTF(3, 4);
unsigned harness_complaints(void);
extern GString *harness_said; /* if any, complaints and verdicts go here, not to standard output */
void harness_say(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* ---- case.c: one at a time, as a test program is one thread */
typedef struct HarnessLane { /* also an input */
  int64_t rank;              /* -1: none */
  bool has_rank;             /* by the test, not by order */
  int64_t base_ns;           /* MILL_NO_BASE: none */
  char *name, *label, *dialect;
  GPtrArray *tags;    /* char *, "name=value" */
  GPtrArray *facts;   /* char *: hold beside what the stage needs */
  GPtrArray *members; /* char *, "key=json": of the document around its events */
  GPtrArray *lines;   /* HarnessLine */
  GBytes *bytes;      /* of a source under test, or NULL */
  char *path;         /* the same: a file or folder that is there */
} HarnessLane;

typedef struct HarnessCase {
  const MillModule *module;
  const Descriptor *descriptor; /* the same as the program copies it, names without vendor */
  const MillStage *with_stage;  /* or NULL */
  GPtrArray *options;           /* "name=text" */
  GPtrArray *lanes;             /* HarnessLane */
  char *folder;                 /* temporary, or NULL */
  void (*forget)(void); /* what came of it, before it changes: a failure that nothing expected is a
                                   complaint; NULL: nothing has run */
} HarnessCase;

HarnessCase *harness_case(void);
void harness_add_option(const char *file, int line, const char *text);
/* False, with a complaint: the module is given no events. */
bool harness_begin_events(const char *file, int line);
void harness_add_event(const char *file, int line, const char *text);
/* NULL with a complaint when the program would not take it. */
const Descriptor *harness_describe(const MillModule *module);
/* Words such as "rank=3 tag.x=y", checked; `set` gives false for a fact that it does not know. */
void harness_each_fact(const char *facts,
                       bool (*set)(void *context, const char *key, const char *value),
                       void *context, const char *file, int line);

/* ---- files.c: inputs and outputs of a case on disk */
char *harness_input_path(HarnessCase *c, const HarnessLane *lane, guint index); /* written now */
char *harness_output_path(HarnessCase *c);
char *harness_state_path(HarnessCase *c);
typedef struct HarnessFile {
  char *name;
  GString *text;
} HarnessFile;
/* HarnessFile, by name; the record of the run is left out. */
GPtrArray *harness_read_files(const char *folder);
void harness_remove_folder(const char *path);

/* ---- source.c, sink.c: modules in memory */
typedef struct HarnessManner { /* ways to run a case that must not change what comes out */
  uint32_t batch_events, jobs;
  uint32_t max_events;  /* of each lane */
  uint32_t chunk_bytes; /* pieces of a file that threads read; 0: the default */
  bool backwards, replay, other_symbols;
  bool is_again;     /* the plain run has made all checks that take long */
  bool no_events;    /* nothing asks for events, only for results */
  const char *state; /* a folder that processes share, or NULL */
  Shard shard;
} HarnessManner;

typedef struct HarnessEnds { /* what source and sink share */
  const HarnessCase *test;
  const HarnessManner *manner;
  const char *const *needs; /* facts that the source describes of every lane */
  GPtrArray *may_provide;   /* char *, ending in NULL: these, and those of single lanes */
  bool with_lines;          /* events carry the address of their HarnessLine as raw bytes */
  bool all_attrs;           /* decoded, whatever is wanted */
  pthread_mutex_t lock;
  GPtrArray *lanes; /* what came out: a GPtrArray of HarnessLine per lane */
} HarnessEnds;

#define HARNESS_SOURCE "harness.given"
#define HARNESS_SINK "harness.lines"
#define HARNESS_READER "harness.reader"
MillSource harness_source(HarnessEnds *ends);
MillSink harness_sink(HarnessEnds *ends);
extern const MillStage harness_reader; /* asks for all attributes */

/* ---- run.c: a case through the engine */
typedef struct HarnessRun {
  HarnessCase *test;
  HarnessManner manner;
  HarnessEnds ends;
  MillSource source;
  MillSink sink;
  MillModule modules_in_memory[3]; /* source, sink, stage beside the module under test */
  Modules *modules;
  RunOptions options;
  Run *run;          /* NULL: it could not be opened */
  Error *error;      /* or NULL */
  GPtrArray *files;  /* HarnessFile: of a sink under test */
  GByteArray *saved; /* all states that instances saved, in order; by several jobs in any */
  char *outside;     /* what it touched outside of the run, or NULL */
} HarnessRun;

extern const HarnessManner harness_plain, harness_again;
HarnessRun *harness_run(HarnessCase *c, const HarnessManner *manner);
void harness_run_free(HarnessRun *r);

/* ---- expect.c: the plain run of the case at hand, made when something first asks for it */
const HarnessRun *harness_outcome(void);
/* The array ends in NULL. */
void harness_expect_events(const char *file, int line, uint32_t lane_index,
                           const char *const *lines);
char *harness_attr_text(const HarnessLine *e, const char *key); /* NULL: it has none */

/* ---- result.c: what came out of a run */
typedef struct HarnessReport { /* what one instance of the stage left */
  const Reported *reported;
  const Notices *notices;
  const LaneInfo *lane; /* NULL: merged, or of the run */
  char *const *group;   /* values of the tags, or NULL */
} HarnessReport;
GArray *harness_reports(const HarnessRun *r); /* HarnessReport: lanes in order, merged, groups */
/* The run's value, or that of the first lane; stat NULL: any.  NULL: there is none. */
const MetricValue *harness_metric(const HarnessRun *r, uint32_t metric, const char *stat);
guint harness_n_lanes(const HarnessRun *r);
const GPtrArray *harness_events(const HarnessRun *r, guint lane); /* HarnessLine; NULL: none */
GPtrArray *harness_rows(const HarnessRun *r, uint32_t table);     /* char * */
uint64_t harness_notices(const HarnessRun *r, uint32_t row);
uint32_t harness_status(const HarnessRun *r); /* 0: it did not fail */
/* What the user would be shown, without the chain of causes. */
char *harness_error_text(const Error *e);
/* The first error that says that a rule was broken, or NULL. */
const Error *harness_broken_rule(const Error *e);
char *harness_run_text(const HarnessRun *r); /* all of it */
void harness_report_text(GString *out, const Descriptor *d, const HarnessReport *report);

/* ---- compare.c: of two texts of runs that must be the same */
void harness_compare_texts(const char *text, const char *reference, const char *what,
                           GPtrArray *broken);

/* ---- laws.c, properties.c, shards.c: texts that say what does not hold are added */
void harness_check_merging(const HarnessRun *r, GPtrArray *broken);
void harness_check_shards(HarnessCase *c, const HarnessRun *plain, GPtrArray *broken);
GPtrArray *harness_broken_properties(HarnessCase *c);
/* ---- harness.c: the case at hand in all manners; each that gives something else is a complaint */
void harness_check_properties(void);

#endif
