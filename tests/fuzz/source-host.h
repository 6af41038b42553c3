/* A minimal host for one source instance: enough to parse a document held in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SOURCE_HOST_H
#define TESTS_SOURCE_HOST_H

#include "../unit/fake-memory.h"
#include "../unit/module-under-test.h"

typedef struct SourceHost {
  MillHost common; /* first: a MillHost pointer is a SourceHost pointer */
  MillSourceHost source;
  const char *text; /* the whole input */
  size_t len;
  void (*on_lane)(void *user); /* with SourceRun.user, where `next` ends a lane; or NULL */
  const struct SourceRun *run; /* says how the input is cut */
  size_t pos;                  /* what was given of the input */
  bool is_strict, is_recover;
  const MillRead *reads;
  uint32_t n_reads;

  GHashTable *symbols; /* char * to symbol */
  GPtrArray *names;    /* symbol to GBytes-like text */
  GArray *tracks;      /* of MillTrack */
  GString *own;
  uint64_t n_events;
  uint64_t notes[64]; /* by number */
  GString
      *members; /* "<key>=json" before the events, ">key=json" behind, each ending in a newline */
  GString *described; /* "key=value;", but for facts */
  GString *facts;     /* "name;" */
  FakeMemory memory;
  char *failure; /* "number: what | where | why" */
} SourceHost;

SourceHost *source_host_new(const char *text, size_t len);
void source_host_free(SourceHost *h);

/* Called for every batch that holds events. */
typedef void (*OnBatch)(void *user, const MillBatch *batch);

typedef struct SourceRun {
  size_t block_size; /* bytes read at a time */
  uint32_t max_events;
  uint32_t max_attrs; /* 0: grows */
  bool describe;
  OnBatch on_batch;
  void *user;
  const size_t *cuts; /* places in order where reading stops, besides */
  uint32_t n_cuts;
} SourceRun;
/* Open, describe, start, parse (or next) to the end, close: 0 or a negative status. */
int source_run(SourceHost *h, const SourceRun *run);

/* One block of `text` with padding behind it, as parse wants it. */
char *source_block(const char *text, size_t len); /* g_free */
const char *source_symbol(const SourceHost *h, MillSym sym);

#endif
