/* An input: its file, its source and its lane. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/stream.h"
#include "host/instance.h"
#include "input/sources.h"
#include "model/block.h"
#include "model/option.h"

typedef struct InputSpec { /* as the command line named it, or a source found it */
  char *path;
  char *label;
  GPtrArray *tags; /* "name=value" */
  int64_t rank;    /* from a {rank} pattern; -1: none */
  bool folder;     /* to be replaced by what is in it */
  bool optional;   /* found in a folder: skipped when it is empty or no source knows it */
  bool no_file;    /* `path` is but a name: the source has its events from elsewhere */
  char *source;    /* the one that reads it; NULL: whoever knows its bytes */
  GPtrArray *card_tags, *hints; /* "name=value", or NULL: see tags.h */
} InputSpec;
InputSpec *input_spec_new(const char *path);
void input_spec_free(InputSpec *s);

typedef struct InputEnv { /* of the run */
  const HostEnv *host;
  Sources *sources;
  BatchPool *batches;
  BlockPool *blocks, *chunk_blocks;
  const char *rank_regex;    /* or NULL */
  const GPtrArray *settings; /* "NAME.option=value": options of sources, or NULL */
} InputEnv;

typedef struct InputFeed InputFeed;

typedef struct Input {
  const InputEnv *env;
  InputSpec *spec;
  const Descriptor *source;
  OptionValues *options;
  Instance *instance;
  LaneInfo *lane; /* the one that is read; whoever runs it frees it */
  Reader *reader; /* open from the start for standard input, else only while it is read */
  char *tail;     /* the last bytes, while the source describes */
  size_t tail_len;
  uint64_t size_bytes;
  uint64_t device, inode, seen_bytes; /* of a file that is mapped, when it was opened */
  uint64_t text_bytes;                /* decompressed, after reading */
  uint32_t threads;                   /* that may read it */
  _Atomic uint64_t done_bytes;        /* of the file, for progress */
  uint64_t entered_bytes;             /* of files in a folder, those before the one that is open */
  bool is_folder;                     /* the source opens the files in it */
  bool lane_ended;                    /* said with the batch that the source gave last */
  bool follows;                       /* another lane of this input follows */
  uint32_t n_lanes;                   /* so far */
  InputFeed *feed;
} Input;

/* Opens the file, finds the source for it, and lets it describe its lane.  Takes the spec. */
Error *input_open(const InputEnv *env, InputSpec *spec, uint32_t index, Input **out);
void input_free(Input *in); /* not the lane */
/* The lane after the one that ended; reading goes on in it. */
LaneInfo *input_follow(Input *in, uint32_t index);
/* For bases that are reported after the events: lets the source look once more, with the end of a
 * compressed file at hand. */
void input_describe_again(Input *in);

/* Reading, after planning.  *out is NULL at the end. */
Error *input_start(Input *in);
Error *input_next(Input *in, Batch **out);
Error *input_stop(Input *in); /* an error when closing broke a rule */
/* Since it was opened; held events still show the file itself. */
bool input_has_shrunk(const Input *in);
Error *input_shrank(const Input *in);

#endif
