/* The state of an input; its functions are in input.h. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_STATE_H
#define INPUT_STATE_H

#include "base/stream.h"
#include "host/instance.h"
#include "input/sources.h"
#include "model/block.h"
#include "model/option.h"

typedef struct InputSpec { /* an input as the command line names it, or a source finds it */
  char *path;
  char *label;
  GPtrArray *tags;     /* "name=value" */
  int64_t rank;        /* from a {rank} pattern; -1: none */
  int64_t folder_rank; /* of the folder that it is in, if a source knows it; -1: none */
  bool folder;         /* the inputs in it replace it */
  char *from;          /* a GRefString: the folder that was named and contains it; or NULL */
  bool optional;       /* found in a folder: skipped if it is empty or no source knows it */
  uint32_t
      part; /* number of the lane in a file of several lanes, from 0; each lane has an input of its own */
  bool no_file; /* `path` is only a name: the source has its events from elsewhere */
  char *source; /* the source that reads it; NULL: any that knows its bytes */
  GPtrArray *card_tags, *hints; /* "name=value", or NULL: see tags.h */
} InputSpec;

typedef struct InputEnv { /* of the run */
  const HostEnv *host;
  Sources *sources;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks;
  uint32_t chunk_bytes;      /* 0: the default, of large files */
  const char *rank_regex;    /* or NULL */
  const GPtrArray *settings; /* "NAME.option=value": options of sources, or NULL */
} InputEnv;

typedef struct InputFeed InputFeed;

typedef struct Input Input;

/* How an input of several files reads. */
typedef struct InputOps {
  Error *(*start)(Input *in);
  Error *(*next)(Input *in, struct Batch **out);
  Error *(*stop)(Input *in);
} InputOps;

struct Input {
  const InputEnv *env;
  InputSpec *spec;
  const Descriptor *source;
  OptionValues *options; /* of the instance */
  Instance *instance;    /* only while it describes or reads; see attach.h */
  LaneInfo *lane;        /* the one that is read; the run frees it */
  Reader *reader; /* the same; for an input that cannot be opened twice, from the beginning on */
  char *tail;     /* the last bytes, while the source describes */
  size_t tail_len;
  uint64_t size_bytes;
  char *known_hash;    /* of its file, as another process had it; NULL: that is not known */
  FileStamp stamp;     /* of a file that is mapped, when it was opened */
  uint64_t seen_bytes; /* its size then; 0: it is not mapped */
  Origin *origin;      /* of a file, since it was first read; NULL: it cannot be reread */
  bool compressed;
  uint32_t threads;            /* number of threads that may read it */
  uint32_t readings;           /* how often it will be read */
  _Atomic uint32_t reading;    /* readings that have ended */
  _Atomic uint64_t done_bytes; /* of the file, for progress */
  uint64_t entered_bytes;      /* of files in a folder, those before the open one */
  bool read;                   /* the source has read while it described */
  bool started;                /* its lanes are read, or were */
  Notices found;               /* what the source counted meanwhile; counts NULL: nothing */
  bool is_folder;              /* the source opens the files in it */
  bool lane_ended;             /* the lane ended with the last batch */
  uint32_t n_idle;             /* calls of `next` that gave and read nothing, one after the other */
  uint64_t idle_bytes;         /* that were read before the last of them */
  bool follows;                /* another lane of this input follows */
  uint32_t n_lanes;            /* so far */
  uint32_t n_parts;            /* number of lanes in the file of this input */
  InputFeed *feed;
  uint32_t first_lane;  /* its index */
  GPtrArray *files;     /* Input *: the files of one rank that it joins, or NULL; see join.h */
  const InputOps *ops;  /* of an input that joins files */
  struct Join *join;    /* while it reads them */
  bool joined;          /* it is one of such files */
  MillSym job_key, job; /* the job of its slices, see job.h; 0: none */
};

#endif
