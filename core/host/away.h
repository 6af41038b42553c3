/* The two seams of an instance whose stage works in another process: what the program does instead of calling it, and
 * what the host asks the program for over there. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_AWAY_H
#define HOST_AWAY_H

#include "model/batch.h"
#include "model/error.h"

typedef struct Instance Instance;

typedef enum BatchCall { CALL_OBSERVE, CALL_PROCESS, CALL_FLUSH } BatchCall;

/* In the program. */
typedef struct AwayOps {
  Error *(*open)(Instance *i, const void *options);
  Error *(*call)(Instance *i, uint32_t phase, const char *doing, int (*op)(void *self));
  Error *(*batch)(Instance *i, BatchCall call, Batch *b);
  Error *(*close)(Instance *i);
} AwayOps;

/* In the process of the stage. */
typedef struct FarOps {
  MillSym (*intern)(Instance *i, const char *text, size_t len);
  uint32_t (*track)(Instance *i, uint32_t lane, MillValue process, MillValue thread);
  void (*lane)(Instance *i, uint32_t index, MillLane *out); /* all of its fields */
  const char *(*tag)(Instance *i, uint32_t lane, const char *name);
  bool (*member)(Instance *i, uint32_t index, bool *out_after, MillValue *out_key,
                 MillValue *out_json);
} FarOps;

#endif
