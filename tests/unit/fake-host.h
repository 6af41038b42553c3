/* A host for one sink under test: symbols, lanes, tracks, notices, outputs, results in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_FAKE_HOST_H
#define TESTS_UNIT_FAKE_HOST_H

#include <stagemill/sink.h>

#include "fake-memory.h"
#include "module-under-test.h"

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
  char *name, *join, *path; /* path: that it was placed at */
  GString *bytes;
} FakeOutput;

#define FAKE_NOTES 16
typedef struct FakeHost {
  MillHost common; /* first: a MillHost pointer is a FakeHost pointer */
  MillSinkHost sink;
  uint32_t own_lane; /* MILL_NO_LANE: level run; n_lanes: level merged */
  const FakeLane *lanes;
  uint32_t n_lanes;
  FakeMemory memory;
  GPtrArray *symbols; /* GString */
  GArray *tracks;     /* MillTrack */
  GPtrArray *outputs; /* FakeOutput, by name */
  uint32_t output_calls;
  uint32_t notes[FAKE_NOTES]; /* count by number */
  int fail_output;            /* what output returns */
  char *folder;               /* of what is placed; NULL until something is */
  bool nowhere, no_place;     /* results go nowhere; a folder that nothing can be written into */
  char *failed;               /* what and why of the last failure */
} FakeHost;


void fake_host_init(FakeHost *f, const FakeLane *lanes, uint32_t n_lanes, uint32_t own_lane);
void fake_host_clear(FakeHost *f);
/* Opens the sink under test on the level of its own lane; what `open` returns. */
int fake_host_open(FakeHost *f, const void *options, void **out_instance);
void fake_host_close(void *instance);
MillSym fake_symbol(FakeHost *f, const char *text);
uint32_t fake_track(FakeHost *f, MillValue process, MillValue thread);
const char *fake_output(const FakeHost *f, const char *name); /* NULL when nothing was written */
/* Takes in what the sink wrote by its paths: outputs as others. */
void fake_host_take_placed(FakeHost *f);
const GString *fake_output_bytes(const FakeHost *f,
                                 const char *name); /* the same, with NULs; or NULL */

/* Rows of a program that knows more than the sink: they stand further apart than its own would. */
typedef struct FakeColumn {
  MillColumn column;
  uint64_t newer;
} FakeColumn;
#define FAKE_COLUMNS(array)                                   \
  {                                                           \
    &(array)[0].column, MILL_COUNT(array), sizeof((array)[0]) \
  }

typedef struct FakeTable {
  const MillTable *table;
  const char *name;
  MillColumnRows columns;
  const MillValue *cells; /* row by row */
  uint64_t n_rows;
} FakeTable;

typedef struct FakeMetric {
  const MillMetric *metric;
  const char *stat; /* NULL: none */
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
  MillResults results; /* first: a MillResults pointer is a FakeResults pointer */
  const FakeTable *tables;
  const FakeMetric *metrics;
  const FakeNotice *notices;
  const char *const *info; /* key, value, ..., NULL */
  const MillFigureResult *figures;
} FakeResults;

/* After the arrays and their numbers are set: fills the calls in. */
void fake_results_init(FakeResults *r);

#endif
