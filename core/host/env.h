/* What instances may reach of the world around them: pieces of the run, and callbacks for the rest. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ENV_H
#define HOST_ENV_H

#include <stagemill/source.h>

#include "base/file-memory.h"
#include "base/folder.h"
#include "base/stream.h"
#include "model/budget.h"
#include "model/error.h"
#include "model/lane-info.h"
#include "model/pool.h"
#include "model/summary.h"
#include "model/symbol.h"

/* One for all instances of a run. */
typedef struct HostEnv {
  Symbols *symbols;
  Budget *budget;
  FileMemory *rows_file; /* NULL: rows stay in memory */
  BatchPool *batches;
  bool strict, recover, verify;
  int64_t isolate_limit_ns; /* of a call of a stage in a process of its own */
  bool with_raw; /* a sink reads the bytes of events */
  uint32_t
      n_lead; /* columns before those that a stage declares, in a table of lanes; see collect_n_lead */
  void *run;                                          /* what the callbacks get */
  const LaneInfo *(*lane)(void *run, uint32_t index); /* NULL: there are not so many */
  uint32_t (*n_lanes)(void *run);
  bool (*cancelled)(void *run);
  MillReadRows (*wanted)(void *run); /* none before planning */
  bool (*move_base)(void *run, LaneInfo *lane, int64_t base_ns);
  bool (*planned)(void *run); /* dialects and facts were used */
  void (*saved)(void *run, const Summary *state); /* of any instance; NULL: nobody looks */
} HostEnv;

/* Of the instances of one source that work on one input. */
typedef struct SourceEnv {
  void *input; /* what the callbacks get; NULL: there is none, as in `expand` */
  Reader *(*reader)(void *input);
  int64_t (*peek)(void *input, bool from_end, const char **out_bytes);
  int64_t (*size_bytes)(void *input); /* of a plain file, else -1 */
  int (*enter)(void *input, const char *path, char **out_why);
  int64_t (*part)(void *input); /* -1: it can be read only once */
  void (*divide)(void *input, uint32_t n_parts);
  void *finder; /* of `expand` */
  void (*add_input)(void *finder, const MillInput *found);
  FolderListing *listing; /* of the folder that is looked through */
  Error *unseen;          /* while looking through a folder: what could not be seen of it */
} SourceEnv;

/* Of an instance of a sink. */
typedef struct SinkEnv {
  void *output;
  int position; /* of what it writes, in every file */
  Error *(*write)(void *output, const char *name, int position, const char *join, const void *bytes,
                  size_t len);
  Error *(*place)(void *output, const char *name, const char **out_path); /* NULL: nowhere */
} SinkEnv;

#endif
