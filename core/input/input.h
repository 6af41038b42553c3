/* An input: its file, its source and its lane. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/stream.h"
#include "sched/run.h"

struct Input {
  InputSpec *spec;
  const MillStage *source;
  OptionValues *options;
  Instance *instance;
  Lane *lane;
  Reader *reader; /* open from the start for standard input, else only while it is read */
  char *tail;     /* the last bytes, while the source describes */
  size_t tail_len;
  uint64_t size_bytes;
  uint64_t device, inode, seen_bytes; /* of a file that is mapped, when it was opened */
  uint64_t text_bytes;         /* decompressed, after reading */
  uint32_t threads;            /* that may read it */
  _Atomic uint64_t done_bytes; /* of the file, for progress */
  uint64_t entered_bytes;      /* of files in a folder, those before the one that is open */
  bool is_folder;              /* the source opens the files in it */
  bool lane_ended;             /* said with the batch that the source gave last */
  bool follows;                /* another lane of this input follows */
  uint32_t n_lanes; /* so far */
  struct Feed *feed;
};

/* Opens the file, finds the source for it, and lets it describe its lane. */
Error *input_open(Run *run, InputSpec *spec, uint32_t index, Input **out);
void input_free(Input *in);
Reader *input_reader(Input *in);
int64_t input_peek(Input *in, bool from_end, const char **out_bytes);
void input_set_rank(Input *in, int64_t rank, const char *origin);
/* Reading goes on with another file; for inputs that are folders. */
int input_enter(Input *in, const char *path, char **out_why);
/* The lane behind the one that ended; reading goes on in it. */
Lane *input_follow(Input *in, uint32_t index);

/* Reading, after planning.  *out is NULL at the end. */
Error *input_start(Input *in);
Error *input_next(Input *in, Batch **out);
void input_stop(Input *in);
/* Since it was opened; held events still show the file itself. */
bool input_has_shrunk(const Input *in);
Error *input_shrank(const Input *in);

#endif
