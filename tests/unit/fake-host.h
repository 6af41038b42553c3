/* A host for one sink under test: symbols, lanes, tracks, notices, outputs, results in memory. */
#ifndef TESTS_UNIT_FAKE_HOST_H
#define TESTS_UNIT_FAKE_HOST_H

#include <glib.h>
#include <stagemill/stage.h>

/* Of the module that the test is built with. */
extern const MillModule mill_module_v1;

typedef struct FakeMember {
  bool after;
  const char *key, *json;
} FakeMember;

typedef struct FakeLane {
  int64_t rank, base_ns;
  const char *name, *label, *dialect;
  const char *tag_name, *tag_value; /* one tag, or NULL */
  const FakeMember *members;
  uint32_t n_members;
} FakeLane;

typedef struct FakeOutput {
  char *name, *join;
  GString *bytes;
} FakeOutput;

#define FAKE_NOTES 16
typedef struct FakeHost {
  MillHost host; /* first: a MillHost pointer is a FakeHost pointer */
  uint32_t own_lane;
  const FakeLane *lanes;
  uint32_t n_lanes;
  GPtrArray *symbols; /* GString */
  GArray *tracks;     /* MillTrack */
  GPtrArray *outputs; /* FakeOutput, by name */
  uint32_t output_calls;
  uint32_t notes[FAKE_NOTES]; /* count by number */
  int fail_output;            /* what output returns */
} FakeHost;

void fake_host_init(FakeHost *f, const FakeLane *lanes, uint32_t n_lanes, uint32_t own_lane);
void fake_host_clear(FakeHost *f);
MillSym fake_symbol(FakeHost *f, const char *text);
const char *fake_output(const FakeHost *f, const char *name); /* NULL when nothing was written */

typedef struct FakeTable {
  const MillTable *table;
  const char *name;
  const MillColumn *columns;
  uint32_t n_columns;
  const MillValue *cells; /* row by row */
  uint64_t n_rows;
} FakeTable;

typedef struct FakeMetric {
  const MillMetric *metric;
  const char *stat;
  MillValue value;
  uint64_t n;
  uint32_t lane;
  const char *reason;
  const char *group; /* NULL: none */
} FakeMetric;

typedef struct FakeNotice {
  const MillNotice *notice;
  const char *code;
  uint64_t count;
} FakeNotice;

typedef struct FakeResults {
  MillResults results;
  const FakeTable *tables;
  const FakeMetric *metrics;
  const FakeNotice *notices;
  const char *const *info; /* key, value, ..., NULL */
} FakeResults;

/* After the arrays and their numbers are set: fills the calls in. */
void fake_results_init(FakeResults *r);

#endif
