/* The plug-in interface of a source: a module that turns the bytes of one input
 * into events.  Read types.h first; docs/write-a-source.md takes you to a
 * working source.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_SOURCE_H
#define STAGEMILL_SOURCE_H

#include <stagemill/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MillEntry { /* of a folder */
  const char *name;
  uint64_t size_bytes;
  uint32_t is_folder;
  uint32_t reserved;
} MillEntry;
MILL_ROWS_OF(MillEntry);

typedef struct MillInput { /* found by `expand` */
  uint32_t size;
  const char *path;
  const char *source;       /* the one that reads it; NULL: chosen by its content */
  const char *label;        /* or NULL; one on the command line wins */
  const char *const *tags;  /* "name=value", ending in NULL; win over what the file says */
  const char *const *hints; /* the same, from names: what the file says wins over these */
} MillInput;

/* What a call may ask (MillHost, strict and recover: always; in `close` only log, symbol_text and freeing by
 * resize).  Anything else is refused, and the instance has failed:
 *   expand            list, read_file, read_head, add_input
 *   describe          peek, size_bytes, part, divide, describe, list, read_file, read_head, enter, read, read_why
 *   start             describe, wanted, track, list, read_file, read_head, enter, read, read_why
 *   next, parse       read, read_why, describe, wanted, track, add_attr, grow_attrs, own_text, member,
 *                     list, read_file, read_head, enter
 *   fork, and parse in a fork    wanted, track, add_attr, grow_attrs, own_text, list, read_file, read_head */
typedef struct MillSourceHost MillSourceHost;
struct MillSourceHost {
  uint32_t size;
  const MillHost *common;

  /* Bytes, decompressed.  read: `max` of them, fewer only where the input ends or fails, then 0, or negative when
   * it has failed; read_why then says why, and so does the error if the source returns that status without `fail`.
   * peek: the length, 0 when it is not possible. */
  int64_t (*read)(const MillSourceHost *, void *buffer, size_t max);
  const char *(*read_why)(const MillSourceHost *);
  int64_t (*peek)(const MillSourceHost *, bool from_end, const char **out_bytes);

  /* "rank", "rank_hint" (which the name of the file wins over), "base_ns" (integers), "dialect", "fact" (texts; a fact
   * is one that the source declares); until the lane ends also "tag" (a text "name=value") and "skipped" (a bool: no
   * group or mean counts the lane).  Other keys do nothing; --verify refuses them. */
  void (*describe)(const MillSourceHost *, const char *key, MillValue);
  /* Finds the row of the lane or makes it; a lane that follows in the same input has rows of its own. */
  uint32_t (*track)(const MillSourceHost *, MillValue process, MillValue thread);
  MillReadRows (*wanted)(const MillSourceHost *); /* the union of all `reads` */

  /* Adds to the last event of the batch, which n_events counts already, and sets its attrs and n_attrs: they must
   * have been 0.  Texts are copied. */
  int (*add_attr)(const MillSourceHost *, MillBatch *, MillSym key, MillValue);
  /* The same by hand, where speed counts: room for more attributes, and the offset for MILL_ATTR_OWN. */
  bool (*grow_attrs)(const MillSourceHost *, MillBatch *);
  uint32_t (*own_text)(const MillSourceHost *, MillBatch *, const char *text, size_t len);

  /* Members around the events (of the whole document), kept for the sink in order. */
  void (*member)(const MillSourceHost *, bool after_events, const char *key, size_t key_len,
                 const char *json, size_t len);
  bool (*strict)(const MillSourceHost *);
  bool (*recover)(const MillSourceHost *);

  /* Files.  Paths may begin with the input's own, as given.  list: 0 and the names in a folder, sorted; read_file:
   * the length of a whole one, decompressed.  Both give -1 when they cannot; read_file then says why in *out. */
  int (*list)(const MillSourceHost *, const char *folder, MillEntryRows *out);
  int64_t (*read_file)(const MillSourceHost *, const char *path, size_t max,
                       const char **out_bytes);
  int (*add_input)(const MillSourceHost *, const MillInput *);
  int (*enter)(const MillSourceHost *, const char *path,
               const char **out_why);            /* `read` goes on at its start */
  int64_t (*size_bytes)(const MillSourceHost *); /* of a plain file; -1: not known */
  /* The first bytes of a file, decompressed, 64 KiB at most; -1 as of read_file. */
  int64_t (*read_head)(const MillSourceHost *, const char *path, const char **out_bytes);
  /* An input that holds several lanes with their events mixed is read once for each of them, by an instance that
   * passes over what is of others.  part: which one this is, from 0; -1: the input can be read only once.
   * divide: there are so many. */
  int64_t (*part)(const MillSourceHost *);
  void (*divide)(const MillSourceHost *, uint32_t n_parts);
};

/* Bytes at an offset of an input.  When none of these rows match, `probe` is not called; without rows it always is. */
typedef struct MillMagic {
  uint32_t offset;
  uint32_t len;
  const char *bytes;
} MillMagic;
MILL_ROWS_OF(MillMagic);

typedef struct MillBlock {
  const char *bytes; /* 64 bytes of 0xFF follow; offsets of raw and text count from here */
  size_t len;
  size_t pos;        /* in: start here; out: first byte not consumed */
  size_t stop;       /* begin no event at or after this position */
  uint64_t offset;   /* of bytes[0] in the decompressed input */
  uint64_t n_before; /* events of the input before this call; 0 in a fork */
  bool at_end;       /* nothing follows */
} MillBlock;

enum { /* what `next` gives */
       MILL_NEXT_END = 0,
       MILL_NEXT_MORE = 1, /* more may follow */
       MILL_NEXT_LANE = 2  /* end of this lane; another one follows in the same input */
};
enum {                      /* what `parse` gives; negative: failed, and so is any other number.  FULL gives an event
                               or consumes a byte, STOP has moved to `stop` */
       MILL_PARSE_MORE = 0, /* the rest of the block is an unfinished event */
       MILL_PARSE_FULL = 1, /* the batch is full */
       MILL_PARSE_STOP = 2, /* reached `stop` */
       MILL_PARSE_DONE = 3  /* the events have ended (fork) or the input has */
};

typedef struct MillSource MillSource;
/* A source has `next`, or `parse` when its input can be read in blocks (and,
 * with in_events, sync and fork, by several threads), or `expand`, or both; what
 * it does not need is NULL.  Without `probe` it reads only what is given to it by name. */
typedef struct MillSourceOps {
  uint32_t size;
  int (*probe)(const MillSource *self, const char *bytes, size_t len,
               const char *name); /* 0 no .. 95 sure */
  /* A folder that is laid out in a way this source knows: adds the inputs in it and returns 1; else 0.  The own
   * lane is the folder. */
  int (*expand)(const MillSource *self, const MillSourceHost *host, const char *folder);
  int (*open)(const MillSource *self, const MillSourceHost *host, const void *options,
              void **out_instance);
  /* Before planning: rank, dialect, facts from peek; once more if the base may be at the end of the file.  Between
   * the looks and `start` the instance may be closed: then a fresh one describes again, and reads. */
  int (*describe)(void *instance);
  int (*start)(void *instance); /* after planning: `wanted` is known */
  int (*next)(void *instance, MillBatch *batch);
  int (*parse)(void *instance, MillBlock *block, MillBatch *batch);
  bool (*in_events)(void *instance);              /* parse may go on in a fork from here */
  int64_t (*sync)(const char *bytes, size_t len); /* likely start of an event, or -1 */
  int (*fork)(void *instance, const MillSourceHost *host, void **out_instance);
  void (*close)(void *instance); /* also after an `open` that failed, if it gave an instance */
} MillSourceOps;

struct MillSource {
  uint32_t size;
  uint32_t flags;        /* none so far */
  uint32_t options_size; /* sizeof your options struct */
  const char *name;      /* kebab-case; from outside of stagemill with the vendor: "acme.csv" */
  const char *version;
  const char *tag;   /* 2 to 6 capitals: in logs and in notice codes */
  const char *title; /* one line */
  const char *help;  /* a paragraph */
  /* Facts, each list ending in NULL (or NULL): of every input of this format; and those that `describe` may
   * give of one. */
  const char *const *provides;
  const char *const *may_provide;
  /* The label of the inputs that it reads beside the traces, such as "log"; NULL: it reads traces.  Such an input is
   * seen by the stages alone that need one of its facts. */
  const char *side;
  MillOptionRows options;
  MillNoticeRows notices;
  MillMagicRows magic;
  const MillSourceOps *ops;
  const void
      *user; /* yours: for descriptors that are made at run time; `open` gets the descriptor */
  const void *(*extension)(const char *id); /* MILL_EXAMPLES; NULL for what you do not know */
  /* With `side`: names of files and folders beside a trace that are such inputs, ending in NULL (or NULL); `*` is any
   * text.  They are taken where a stage needs what they say and no input has it. */
  const char *const *beside;
};

/* Once per module: MILL_SOURCE_MODULE(source, "vendor", "MIT"); */
#define MILL_SOURCE_MODULE(source_, vendor_, licence_) \
  MILL_MODULE_OF(MILL_KIND_SOURCE, MillSource, source_, vendor_, licence_)

#ifdef __cplusplus
}
#endif
#endif
