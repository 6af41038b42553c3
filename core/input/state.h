/* What an input is while it lives; what is done with it is in input.h. */
#ifndef INPUT_STATE_H
#define INPUT_STATE_H

#include "base/stream.h"
#include "host/instance.h"
#include "input/sources.h"
#include "model/block.h"
#include "model/option.h"

typedef struct InputSpec { /* as the command line named it, or a source found it */
  char *path;
  char *label;
  GPtrArray *tags;     /* "name=value" */
  int64_t rank;        /* from a {rank} pattern; -1: none */
  int64_t folder_rank; /* of the folder that it lies in, as a source knows it; -1: none */
  bool folder;         /* to be replaced by what is in it */
  char *from;          /* a GRefString: the folder that was named and has it in it; or NULL */
  bool optional;       /* found in a folder: skipped when it is empty or no source knows it */
  uint32_t part;       /* of a file that holds several lanes, each of which reads it; from 0 */
  bool no_file;        /* `path` is but a name: the source has its events from elsewhere */
  char *source;        /* the one that reads it; NULL: whoever knows its bytes */
  GPtrArray *card_tags, *hints; /* "name=value", or NULL: see tags.h */
} InputSpec;

typedef struct InputEnv { /* of the run */
  const HostEnv *host;
  Sources *sources;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks;
  const char *rank_regex;    /* or NULL */
  const GPtrArray *settings; /* "NAME.option=value": options of sources, or NULL */
} InputEnv;

typedef struct InputFeed InputFeed;

typedef struct Input Input;

/* How an input reads that stands for several files. */
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
  LaneInfo *lane;        /* the one that is read; whoever runs it frees it */
  Reader *reader;        /* the same; of what cannot be opened twice from the start */
  char *tail;            /* the last bytes, while the source describes */
  size_t tail_len;
  uint64_t size_bytes;
  FileStamp stamp;     /* of a file that is mapped, when it was opened */
  uint64_t seen_bytes; /* of it; 0: it is not mapped */
  Origin *origin;      /* of a file, since it was first read; NULL: it cannot be read again */
  bool compressed;
  uint64_t text_bytes;         /* decompressed, after reading */
  uint32_t threads;            /* that may read it */
  uint32_t readings;           /* how often it is going to be read */
  _Atomic uint32_t reading;    /* those that have ended */
  _Atomic uint64_t done_bytes; /* of the file, for progress */
  uint64_t entered_bytes;      /* of files in a folder, those before the one that is open */
  bool read;                   /* the source has read while it described */
  bool is_folder;              /* the source opens the files in it */
  bool lane_ended;             /* said with the batch that the source gave last */
  bool follows;                /* another lane of this input follows */
  uint32_t n_lanes;            /* so far */
  uint32_t n_parts;            /* that its source found in the file: this input is one of them */
  InputFeed *feed;
  uint32_t first_lane;  /* its index */
  GPtrArray *files;     /* Input *: of one rank, which this one joins; else NULL.  See join.h */
  const InputOps *ops;  /* of one that joins files */
  struct Join *join;    /* while it reads them */
  bool joined;          /* it is one of such files */
  MillSym job_key, job; /* what its slices say of it, see job.h; 0: nothing */
};

#endif
