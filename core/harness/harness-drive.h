/* Between the files that drive a stage: the stream of one instance. */
#ifndef HARNESS_DRIVE_H
#define HARNESS_DRIVE_H

#include "harness-internal.h"

typedef struct HarnessStream { /* what one instance will see */
  const MillStage *stage;
  const void *options; /* its struct */
  Symbols *symbols;
  Tracks *tracks;
  uint32_t lane;    /* MILL_NO_LANE: the merged stream */
  GPtrArray *lines; /* HarnessLine, borrowed, in order */
  GArray *lanes;    /* uint32_t, of each line */
  GArray *seqs;     /* uint64_t */
} HarnessStream;

Batch *harness_batch(HarnessStream *s, guint from, guint n);
void harness_batch_free(Batch *b);
HarnessLine *harness_line_of(const HarnessStream *s, const MillBatch *b, const MillEvent *e,
                             HarnessResult *r);

HarnessStream *harness_stream_new(const HarnessCase *c, const HarnessManner *manner,
                                  Symbols *symbols, uint32_t lane);
void harness_stream_free(HarnessStream *s);

#endif
