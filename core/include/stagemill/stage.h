/* The stagemill plug-in interface: everything a stage, source or sink needs.
 *
 * A module is a shared object that exports one constant, `mill_module_v1`, and
 * calls the program only through the MillHost table that `open` receives.
 * It links no library of ours.  Read this file from top to bottom once; then
 * docs/write-a-stage.md takes you to a working stage.
 *
 * Three rules make the rest simple:
 *   - An instance is never entered by two threads at once, and sees one lane
 *     (unless its scope is whole).  Keep state in the instance, never in
 *     file-scope variables; then no lock is ever needed.
 *   - Whatever a call hands you is valid until you return from it.
 *   - Every function returns 0 or, after `mill_fail`, its negative status.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_STAGE_H
#define STAGEMILL_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ version
 * A module is refused when the major differs or its minor is newer than the
 * program's.  Structs only grow at their end, and every struct that crosses the
 * border starts with its own size, so that an older module keeps working. */
#define MILL_ABI_MAJOR 0u
#define MILL_ABI_MINOR 2u
#define MILL_ABI (MILL_ABI_MAJOR << 16 | MILL_ABI_MINOR)
#define MILL_MAGIC 0x4c4c494du /* "MILL" as little-endian bytes */

/* ------------------------------------------------------------------- values
 * One tagged value serves table cells, attributes to set, metric values and
 * the named values of a notice. */
enum {
  MILL_NONE = 0, /* absent: an empty cell, a removed attribute */
  MILL_INT = 1,
  MILL_REAL = 2, /* never NaN or infinite; use MILL_NONE */
  MILL_SYM = 3,  /* an interned string, see MillHost.intern */
  MILL_TEXT = 4, /* bytes; copied by whoever receives the value */
  MILL_BOOL = 5,
  MILL_JSON = 6 /* a JSON value as text: objects, nested lists */
};

typedef uint32_t MillSym; /* process-local: never save it, sort by it or print it */

typedef struct MillValue {
  uint32_t type;
  uint32_t len; /* of text or json */
  union {
    int64_t i;
    double r;
    MillSym sym;
    const char *text;
  } u;
} MillValue;

/* -------------------------------------------------------------------- event */
enum { /* MillEvent.kind; the letter is the phase of a Chrome trace */
  MILL_OTHER = 0,        /* a phase we do not know; kept */
  MILL_SLICE = 1,        /* X */
  MILL_BEGIN = 2,        /* B */
  MILL_END = 3,          /* E */
  MILL_INSTANT = 4,      /* i, I, R */
  MILL_COUNTER = 5,      /* C */
  MILL_META = 6,         /* M */
  MILL_ASYNC_BEGIN = 7,  /* b, S */
  MILL_ASYNC_STEP = 8,   /* n, T, p */
  MILL_ASYNC_END = 9,    /* e, F */
  MILL_FLOW_START = 10,  /* s */
  MILL_FLOW_STEP = 11,   /* t */
  MILL_FLOW_END = 12,    /* f */
  MILL_SAMPLE = 13,      /* P */
  MILL_OBJECT = 14,      /* N, O, D */
  MILL_RECORD = 15,      /* an untimed row: a CSV line, a request, a probe record */
  MILL_N_KINDS = 16
};
#define MILL_KIND(kind) (1u << (kind)) /* for masks of kinds */

enum {                       /* MillEvent.flags */
  MILL_FLAG_DROPPED = 1 << 0, /* set by mill_drop; gone before the next stage */
  MILL_FLAG_NO_TS = 1 << 1,   /* the event has no time; ts_ns is 0 and it sorts first */
  MILL_FLAG_OWN_RAW = 1 << 2, /* its text was mended or moved: raw_off points into batch->own */
  MILL_FLAG_INEXACT = 1 << 3, /* time was rounded to a nanosecond on reading */
  MILL_FLAG_BIND_END = 1 << 4 /* flow end bound to the enclosing slice (bp "e") */
};

enum { /* MillEvent.dirty: what differs from the bytes that were read */
  MILL_DIRTY_TS = 1 << 0,
  MILL_DIRTY_DUR = 1 << 1,
  MILL_DIRTY_NAME = 1 << 2,
  MILL_DIRTY_CAT = 1 << 3,
  MILL_DIRTY_TRACK = 1 << 4,
  MILL_DIRTY_ID = 1 << 5,
  MILL_DIRTY_KIND = 1 << 6,
  MILL_DIRTY_ATTRS = 1 << 7
};

enum { /* MillEvent.id_kind */
  MILL_ID_NONE = 0,
  MILL_ID_INT = 1,  /* id holds an int64 */
  MILL_ID_HEX = 2,  /* written as "0x..." */
  MILL_ID_HASH = 3, /* id is a hash of a text that only the raw bytes hold */
  MILL_ID_PAIR = 4  /* made by us from (lane, id) when ranks are merged */
};

/* Frozen at 64 bytes: new knowledge is an attribute, never a field.  Change
 * fields through the mill_set_* helpers below, which keep `dirty` true. */
typedef struct MillEvent {
  int64_t ts_ns;  /* from the lane's base (MillLane.base_ns) */
  int64_t dur_ns; /* -1: none */
  uint64_t id;    /* flow or correlation id, see id_kind */
  uint64_t seq;   /* ordinal in its input; the program numbers what a source gives */
  MillSym name;
  MillSym cat;      /* 0: none */
  uint32_t track;   /* row of the lane, see MillHost.track */
  uint32_t attrs;   /* first attribute in batch->attrs */
  uint32_t raw_off; /* the whole event as read, in batch->raw */
  uint32_t raw_len; /* 0: made by a stage */
  uint16_t n_attrs;
  uint8_t kind;
  uint8_t flags;
  uint8_t dirty;
  uint8_t id_kind;
  uint16_t sub; /* orders events that a stage emitted after their parent */
} MillEvent;

/* One decoded attribute (a member of `args`, a column of a record).  A list is
 * one key repeated in order. */
enum { MILL_ATTR_SET = 1 << 8, MILL_ATTR_OWN = 1 << 9, MILL_ATTR_TYPE = 0xff };
typedef struct MillAttr {
  MillSym key;
  uint32_t type; /* MILL_INT ...; | MILL_ATTR_SET: by a stage; | MILL_ATTR_OWN: see mill_attr_text */
  union {
    int64_t i;
    double r;
    MillSym sym;
    struct {
      uint32_t off;
      uint32_t len;
    } text;
  } u;
} MillAttr;

/* Up to some thousand consecutive events of one lane.  Results must not depend
 * on where one batch ends and the next begins. */
typedef struct MillBatch {
  uint32_t size; /* of this struct */
  uint32_t lane;
  MillEvent *events;
  uint32_t n_events;
  uint32_t max_events; /* room for sources */
  MillAttr *attrs;
  uint32_t n_attrs;
  uint32_t max_attrs;
  const char *raw; /* the bytes that raw_off and texts point into */
  const char *own; /* texts that did not come from raw */
} MillBatch;

/* -------------------------------------------------------- lanes and tracks */
#define MILL_NO_LANE UINT32_MAX
typedef struct MillLane {
  uint32_t size;
  uint32_t index;      /* MILL_NO_LANE in the run-level instance */
  int64_t rank;        /* -1: none */
  int64_t base_ns;     /* absolute time of ts_ns 0; 0 when unknown */
  const char *name;    /* for messages: the input's name */
  const char *label;   /* from label=PATH, or "" */
  const char *dialect; /* as the source calls it, or "" */
  const char *path;    /* of the input; NULL: standard input */
} MillLane;

/* A track is one row of a lane: a pair of process and thread.  Both may be
 * integers or strings in real traces. */
typedef struct MillTrack {
  uint32_t size;
  uint32_t lane;
  MillValue process; /* MILL_NONE, MILL_INT or MILL_SYM */
  MillValue thread;
} MillTrack;

/* ------------------------------------------------------------------ options
 * One row an option.  The default is text, as a user would type it: one parser
 * and one printer serve the command line, profiles and documentation. */
enum {
  MILL_OPT_BOOL = 1,     /* bool */
  MILL_OPT_INT = 2,      /* int64_t */
  MILL_OPT_REAL = 3,     /* double */
  MILL_OPT_STRING = 4,   /* const char * */
  MILL_OPT_CHOICE = 5,   /* int64_t: index into the choices "a|b|c" */
  MILL_OPT_DURATION = 6, /* int64_t, nanoseconds: "10ms" */
  MILL_OPT_SIZE = 7,     /* int64_t, bytes: "4MiB" */
  MILL_OPT_REGEX = 8,    /* const MillPattern *; NULL when the text is empty */
  MILL_OPT_PATH = 9,     /* const char * */
  MILL_OPT_LIST = 10     /* MillList of strings: "a,b" */
};
enum {
  MILL_OPTION_REQUIRED = 1 << 0,  /* no default: the user must give it */
  MILL_OPTION_DEPRECATED = 1 << 1,
  MILL_OPTION_FOLD_BY = 1 << 2, /* a list of tags: one run-level instance, and its results, for each
                                   combination of their values; the program does it all */
  MILL_OPTION_STATS = 1 << 3,   /* a list of statistics to report beside the declared ones: "p99.9" */
  MILL_OPTION_OR_FILE = 1 << 4  /* a string: if a file has that name, the stage gets what is in it */
};
typedef struct MillPattern MillPattern; /* a compiled regular expression */
typedef struct MillList {
  uint32_t n;
  const char *const *items;
} MillList;

typedef struct MillOption {
  uint32_t size;
  uint32_t type;
  uint32_t offset; /* in the author's options struct */
  uint32_t flags;
  const char *name;     /* kebab-case */
  const char *fallback; /* the default as text */
  const char *range;    /* "min:max", either may be missing; choices "a|b|c"; or NULL */
  const char *unit;     /* shown in help: "ns", "MHz"; or NULL */
  const char *help;
} MillOption;

/* The C type of the field is checked when the module is compiled. */
#ifdef __cplusplus
#define MILL_FIELD(S, field, T) ((uint32_t)offsetof(S, field))
#else
#define MILL_FIELD(S, field, T) ((uint32_t)offsetof(S, field) + _Generic(((S *)0)->field, T : 0u))
#endif
#define MILL_OPTION_ROW(type, offset, flags, name, def, range, unit, help) \
  { (uint32_t)sizeof(MillOption), type, offset, flags, name, def, range, unit, help }
#define MILL_BOOL_OPTION(S, f, name, def, help) \
  MILL_OPTION_ROW(MILL_OPT_BOOL, MILL_FIELD(S, f, bool), 0, name, def, NULL, NULL, help)
#define MILL_INT_OPTION(S, f, name, def, range, unit, help) \
  MILL_OPTION_ROW(MILL_OPT_INT, MILL_FIELD(S, f, int64_t), 0, name, def, range, unit, help)
#define MILL_REAL_OPTION(S, f, name, def, range, unit, help) \
  MILL_OPTION_ROW(MILL_OPT_REAL, MILL_FIELD(S, f, double), 0, name, def, range, unit, help)
#define MILL_STRING_OPTION(S, f, name, def, help) \
  MILL_OPTION_ROW(MILL_OPT_STRING, MILL_FIELD(S, f, const char *), 0, name, def, NULL, NULL, help)
#define MILL_CHOICE_OPTION(S, f, name, def, choices, help) \
  MILL_OPTION_ROW(MILL_OPT_CHOICE, MILL_FIELD(S, f, int64_t), 0, name, def, choices, NULL, help)
#define MILL_DURATION_OPTION(S, f, name, def, range, help) \
  MILL_OPTION_ROW(MILL_OPT_DURATION, MILL_FIELD(S, f, int64_t), 0, name, def, range, "ns", help)
#define MILL_SIZE_OPTION(S, f, name, def, range, help) \
  MILL_OPTION_ROW(MILL_OPT_SIZE, MILL_FIELD(S, f, int64_t), 0, name, def, range, "bytes", help)
#define MILL_REGEX_OPTION(S, f, name, def, help) \
  MILL_OPTION_ROW(MILL_OPT_REGEX, MILL_FIELD(S, f, const MillPattern *), 0, name, def, NULL, NULL, help)
#define MILL_PATH_OPTION(S, f, name, def, help) \
  MILL_OPTION_ROW(MILL_OPT_PATH, MILL_FIELD(S, f, const char *), 0, name, def, NULL, NULL, help)
#define MILL_LIST_OPTION(S, f, name, def, help) \
  MILL_OPTION_ROW(MILL_OPT_LIST, MILL_FIELD(S, f, MillList), 0, name, def, NULL, NULL, help)
#define MILL_BY_OPTION(S, f) \
  MILL_OPTION_ROW(MILL_OPT_LIST, MILL_FIELD(S, f, MillList), MILL_OPTION_FOLD_BY, "by", "", NULL, NULL, \
                  "Tags whose values get rows of their own; none: all lanes together")

/* ------------------------------------------------------- what a stage reads
 * Attributes are decoded only when some stage asks for them. */
enum { /* MillRead.as */
  MILL_AS_ANY = 0,
  MILL_AS_INT = 1, /* also decimal and 0x texts; a flat list repeats the key */
  MILL_AS_REAL = 2,
  MILL_AS_TEXT = 3
};
typedef struct MillRead {
  const char *name; /* "*" for all; "$option": the one that this option (string) names, if any */
  uint32_t as;
  uint32_t kinds; /* mask of MILL_KIND(); 0: every kind */
} MillRead;

/* ------------------------------------------------------------------ notices
 * Oddities in the data are counted per kind, not printed one by one.  `what`, `effect` and `help` may
 * hold {count}, {lane}, {a name given to MillHost.note}, and [one|many]: "{count} event[|s] [has|have]". */
enum { MILL_LEVEL_ERROR = 1, MILL_LEVEL_WARNING, MILL_LEVEL_INFO, MILL_LEVEL_DEBUG, MILL_LEVEL_TRACE };
typedef struct MillNotice {
  uint32_t size;
  uint32_t number; /* the code is TAG-NN */
  uint32_t level;
  const char *what;
  const char *effect; /* or NULL */
  const char *help;   /* or NULL */
  const char *explain; /* causes, consequences, remedies: a paragraph */
} MillNotice;
typedef struct MillNamed {
  const char *name;
  MillValue value;
} MillNamed;

/* ------------------------------------------------------------------ results */
enum { MILL_PER_RUN = 0, MILL_PER_LANE = 1 };
enum { /* MillColumn.flags */
  MILL_COLUMN_KEY = 1 << 0,  /* rows are ordered by keys, and keys are unique */
  MILL_COLUMN_BRIEF = 1 << 1 /* shown in the text summary */
};
typedef struct MillColumn {
  const char *name; /* snake_case, without the unit */
  const char *unit; /* "ns", "bytes", "percent", "count"; NULL for text */
  uint32_t type;    /* MILL_INT, MILL_REAL, MILL_TEXT or MILL_BOOL */
  uint32_t flags;
  const char *help;
} MillColumn;
typedef struct MillTable {
  uint32_t size;
  uint32_t per;
  const char *name; /* kebab-case */
  const char *help;
  const MillColumn *columns;
  uint32_t n_columns;
  uint32_t brief_rows; /* rows in the text summary; 0: none */
  const char *order;   /* "-total,name": order of rows before their keys; or NULL */
} MillTable;

enum { MILL_NEITHER = 0, MILL_LOWER = 1, MILL_HIGHER = 2 }; /* which is better */
typedef struct MillMetric {
  uint32_t size;
  uint32_t per;
  const char *name; /* snake_case */
  const char *unit;
  uint32_t better;
  uint32_t kind;       /* MILL_REAL, MILL_INT, or MILL_JSON for an object */
  const char *stats;   /* "mean,p50,p99": the first is the default; "p*": any percentile, see
                          MILL_OPTION_STATS; NULL: the metric is its own value */
  const char *aliases; /* comma separated, or NULL */
  const char *help;    /* the definition, in a sentence */
  uint32_t inputs;     /* MILL_INPUTS_ANY ... */
} MillMetric;
enum { /* MillMetric.inputs: what the command `metric` takes */
  MILL_INPUTS_ANY = 0,
  MILL_INPUTS_ONE = 1, /* exactly one */
  MILL_INPUTS_PAIR = 2 /* exactly off=PATH on=PATH */
};

enum {
  MILL_FIGURE_LINE = 1, MILL_FIGURE_BAR, MILL_FIGURE_STACKED_BAR, MILL_FIGURE_BOX, MILL_FIGURE_VIOLIN,
  MILL_FIGURE_HEATMAP, MILL_FIGURE_DENSITY, MILL_FIGURE_SCATTER, MILL_FIGURE_TIMELINE, MILL_FIGURE_PARETO
};
typedef struct MillFigure { /* a declared view of a table; renderers draw it */
  uint32_t size;
  uint32_t kind;
  const char *name;
  const char *title;
  const char *table;
  const char *x, *y, *series, *facet, *annotation; /* columns, or NULL */
  const char *scale; /* "linear", "log", or NULL */
} MillFigure;

/* Why an instance cannot go on: shown to the user as error[TAG-NN]. */
enum { MILL_BAD_INPUT = 3, MILL_STAGE_FAILED = 5, MILL_OUTPUT_FAILED = 6, MILL_LIMIT = 8 };
typedef struct MillFailure {
  uint32_t size;
  uint32_t status; /* MILL_BAD_INPUT ...: the exit status */
  uint32_t number; /* of a notice row of level error, or 0 */
  uint32_t line;   /* of the author's source, with file: shown under -vv */
  const char *file;
  const char *what;
  const char *where; /* place in the input, or NULL */
  const char *why;   /* or NULL */
  const char *help;  /* what to do, or NULL */
} MillFailure;

/* --------------------------------------------------------------------- host
 * What a stage may ask of the program.  The first argument is always the host
 * that `open` received.  New calls are added at the end. */
typedef struct MillHost MillHost;
typedef struct MillResults MillResults; /* a view for sinks, below */
typedef struct MillEntry { /* of a folder */
  const char *name;
  uint64_t size_bytes;
  uint32_t is_folder;
  uint32_t reserved;
} MillEntry;
typedef struct MillInput { /* found by `expand` */
  uint32_t size;
  const char *path;
  const char *source;       /* the one that reads it; NULL: whoever knows its bytes */
  const char *label;        /* or NULL; one on the command line wins */
  const char *const *tags;  /* "name=value", ending in NULL; win over what the file says */
  const char *const *hints; /* the same, from names: what the file says wins over these */
} MillInput;
#define MILL_AT_END UINT32_MAX   /* emit: after all events of the batch */
#define MILL_NO_EVENT UINT32_MAX /* note: no example event */

struct MillHost {
  uint32_t size;
  uint32_t abi; /* of the program */

  /* Symbols. [any]  Symbol 0 is the empty string. */
  MillSym (*intern)(const MillHost *, const char *text, size_t len);
  const char *(*symbol_text)(const MillHost *, MillSym, size_t *out_len); /* ends in NUL; lives as long as the run */
  bool (*match)(const MillHost *, const MillPattern *, const char *text, size_t len);
  bool (*match_sym)(const MillHost *, const MillPattern *, MillSym); /* remembers its answers */

  /* Lanes and tracks. [any] */
  void (*lane)(const MillHost *, uint32_t index, MillLane *out); /* set out->size first; MILL_NO_LANE: own lane (in expand: only the folder's label) */
  const char *(*tag)(const MillHost *, uint32_t lane, const char *name); /* or NULL */
  uint32_t (*n_lanes)(const MillHost *);
  uint32_t (*track)(const MillHost *, MillValue process, MillValue thread); /* finds or makes it */
  void (*track_info)(const MillHost *, uint32_t track, MillTrack *out);     /* set out->size first */
  uint32_t (*track_lane)(const MillHost *, uint32_t track);

  /* Changing events. [process, flush]  An index is that of an event in the
   * batch or one that emit returned.  `set` replaces all values of the key. */
  MillEvent *(*event)(const MillHost *, MillBatch *, uint32_t index);
  int (*set)(const MillHost *, MillBatch *, uint32_t index, MillSym key, MillValue);
  uint32_t (*emit)(const MillHost *, MillBatch *, uint32_t after, const MillEvent *);
  /* Raw bytes and attributes die with the batch; keep makes a copy that lasts. */
  uint64_t (*keep)(const MillHost *, const MillBatch *, uint32_t index); /* 0: failed */
  uint32_t (*emit_kept)(const MillHost *, MillBatch *, uint32_t after, uint64_t kept);
  void (*drop_kept)(const MillHost *, uint64_t kept);

  /* Telling. [any] */
  void (*note)(const MillHost *, uint32_t number, const MillBatch *, uint32_t index, const MillNamed *, uint32_t n);
  void (*log)(const MillHost *, uint32_t level, const char *text);
  int (*fail)(const MillHost *, const MillFailure *); /* returns the status to return */
  bool (*cancelled)(const MillHost *);

  /* Summaries. [save: put, merge and adopt: get]  Read in the order written. */
  void (*put_int)(const MillHost *, int64_t);
  void (*put_real)(const MillHost *, double);
  void (*put_text)(const MillHost *, const char *, size_t len);
  int64_t (*get_int)(const MillHost *);
  double (*get_real)(const MillHost *);
  const char *(*get_text)(const MillHost *, size_t *out_len);
  bool (*get_more)(const MillHost *); /* false at the end */

  /* Results. [report]  Cells in the order of the columns. */
  int (*row)(const MillHost *, uint32_t table, const MillValue *cells, uint32_t n_cells);
  int (*metric)(const MillHost *, uint32_t metric, const char *stat, MillValue, uint64_t n);
  int (*no_metric)(const MillHost *, uint32_t metric, const char *stat, const char *reason);

  void *(*scratch)(const MillHost *, size_t bytes); /* freed when the call returns */

  /* Sources. [describe, next, parse] */
  int64_t (*read)(const MillHost *, void *buffer, size_t max); /* decompressed bytes; 0 at the end; negative: see read_why */
  int64_t (*peek)(const MillHost *, bool from_end, const char **out_bytes); /* length; 0: cannot */
  void (*describe)(const MillHost *, const char *key, MillValue); /* "rank", "base_ns", "dialect", "fact"; until the lane ends: "tag" ("name=value"), "passed_by" (a bool: no group or mean counts it) */
  bool (*grow_attrs)(const MillHost *, MillBatch *);
  uint32_t (*own_text)(const MillHost *, MillBatch *, const char *text, size_t len); /* offset for MILL_ATTR_OWN */
  uint32_t (*wanted)(const MillHost *, const MillRead **out); /* the union of all `reads` */
  /* Members around the events (of the whole document), kept for the sink in order. */
  void (*member)(const MillHost *, bool after_events, const char *key, size_t key_len, const char *json, size_t len);
  bool (*strict)(const MillHost *);
  bool (*recover)(const MillHost *);

  /* Sinks. [open, write, results, finish] */
  bool (*lane_member)(const MillHost *, uint32_t lane, uint32_t index, bool *out_after, MillValue *out_key,
                      MillValue *out_json);
  int (*output)(const MillHost *, const char *name, const char *join, const void *bytes, size_t len);

  const void *(*extension)(const MillHost *, const char *id); /* NULL when unknown */

  /* Sources, looking for files. [expand: all; describe, start, next: list, load and enter]
   * Paths may begin with `path`, as given.  `list`: names in the folder, sorted; `load`: a whole file, decompressed. */
  int64_t (*list)(const MillHost *, const char *folder, const MillEntry **out); /* -1: cannot be read */
  int64_t (*load)(const MillHost *, const char *path, size_t max, const char **out_bytes); /* -1: unreadable or larger, *out says why */
  int (*add_input)(const MillHost *, const MillInput *);
  int (*enter)(const MillHost *, const char *path, const char **out_why); /* `read` goes on at its start */
  const char *(*read_why)(const MillHost *); /* why `read` failed; told to the user if the source then fails without a word */
};

/* ------------------------------------------------------------------- stages */
typedef struct MillStage MillStage;
enum { MILL_KIND_STAGE = 1, MILL_KIND_SOURCE = 2, MILL_KIND_SINK = 3 };
enum { /* how far a stage must see */
  MILL_SCOPE_EVENT = 1, /* no state between events */
  MILL_SCOPE_LANE = 2,  /* one rank */
  MILL_SCOPE_RUN = 3,   /* something small from all ranks, then on within each */
  MILL_SCOPE_WHOLE = 4  /* one merged stream */
};
enum {                        /* MillStage.flags: claims, enforced by --verify */
  MILL_READ_ONLY = 1 << 0,    /* changes no event */
  MILL_MAY_DROP = 1 << 1,
  MILL_MAY_EMIT = 1 << 2,
  MILL_MERGES = 1 << 3,       /* save and merge give per-run results */
  MILL_EXPERIMENTAL = 1 << 4,
  MILL_ANY_ORDER = 1 << 5     /* merging in any order gives the same state */
};
enum { /* what `save` and `merge` are about */
  MILL_OBSERVED = 1, /* lane to run, before settle */
  MILL_SETTLED = 2,  /* run to lane, read by adopt */
  MILL_RESULT = 3    /* lane to run, before report */
};

/* Life of an instance: open, [observe..., settle, adopt], process..., flush,
 * save, report, close.  A stage with `observe` is two-phase: it sees its whole
 * scope before the first `process`.  Leave out what you do not need.
 *
 * Scope run, and lane stages that merge, also get one run-level instance
 * (MillLane.index is MILL_NO_LANE):
 *     lane: observe.. save(OBSERVED) > run: merge.. settle save(SETTLED) > lane: adopt process..
 *     lane: save(RESULT) > run: merge.. report
 * Folding is always in lane order.  `report` is called on lane instances too:
 * write rows of per-lane tables there, of per-run tables in the run instance. */
typedef struct MillStageOps {
  uint32_t size;
  int (*open)(const MillStage *self, const MillHost *host, const void *options, void **out_instance);
  int (*observe)(void *instance, const MillBatch *batch);
  int (*settle)(void *instance);
  int (*adopt)(void *instance);
  int (*process)(void *instance, MillBatch *batch);
  int (*flush)(void *instance, MillBatch *batch); /* end of the lane: emit what was held */
  int (*save)(void *instance, uint32_t what);
  int (*merge)(void *instance, uint32_t what);
  int (*report)(void *instance);
  void (*close)(void *instance);
} MillStageOps;

/* A source turns the bytes of one input into events.  It implements `next`, or
 * `parse` when its input can be read in blocks (and, with sync and fork, by
 * several threads). */
typedef struct MillMagic {
  uint32_t offset;
  uint32_t weight;
  const char *bytes;
  uint32_t len;
} MillMagic;
typedef struct MillBlock {
  const char *bytes; /* 64 bytes of 0xFF follow */
  size_t len;
  size_t pos;      /* in: start here; out: first byte not consumed */
  size_t stop;     /* begin no event at or after this place */
  uint64_t offset; /* of bytes[0] in the decompressed input */
  uint64_t n_before; /* events of the input before this call; 0 in a fork */
  bool at_end;       /* nothing follows */
} MillBlock;
enum {
  MILL_PARSE_MORE = 0, /* the rest of the block is an unfinished event */
  MILL_PARSE_FULL = 1, /* the batch is full */
  MILL_PARSE_STOP = 2, /* reached `stop` */
  MILL_PARSE_DONE = 3  /* the events have ended (fork) or the input has */
};
typedef struct MillSourceOps {
  uint32_t size;
  int (*probe)(const MillStage *self, const char *bytes, size_t len, const char *name); /* 0 no .. 95 sure */
  int (*open)(const MillStage *self, const MillHost *host, const void *options, void **out_instance);
  int (*describe)(void *instance); /* before planning: rank, dialect, facts from peek */
  int (*start)(void *instance);    /* after planning: `wanted` is known */
  int (*next)(void *instance, MillBatch *batch); /* 1: more may follow, 0: end, 2: end of this lane, another follows */
  int (*parse)(void *instance, MillBlock *block, MillBatch *batch);
  bool (*in_events)(void *instance); /* parse may go on in a fork from here */
  int64_t (*sync)(const char *bytes, size_t len); /* likely start of an event, or -1 */
  int (*fork)(void *instance, const MillHost *host, void **out_instance);
  void (*close)(void *instance);
  /* A folder that is laid out in a way this source knows: adds the inputs in it and returns 1; else 0. */
  int (*expand)(const MillStage *self, const MillHost *host, const char *folder);
} MillSourceOps;

/* A sink writes.  Lane instances get `write`; the run-level instance gets
 * `results`.  Each `output` name is one file, made of what the run instance
 * wrote in `begin`, then every lane in order, then what it wrote in `finish`;
 * `join` goes between the parts of two lanes when both wrote something.  Writing
 * nothing (len 0) closes the file until it is written again: for sinks of many. */
typedef struct MillSinkOps {
  uint32_t size;
  int (*open)(const MillStage *self, const MillHost *host, const void *options, void **out_instance);
  int (*begin)(void *instance);
  int (*write)(void *instance, const MillBatch *batch);
  int (*results)(void *instance, const MillResults *results);
  int (*finish)(void *instance);
  void (*close)(void *instance);
} MillSinkOps;

struct MillResults {
  uint32_t size;
  uint32_t n_tables;
  uint32_t n_metrics;
  uint32_t n_notices;
  const void *impl;
  const MillTable *(*table)(const MillResults *, uint32_t index, const char **out_name, uint64_t *out_rows);
  /* Cells of one row; lane tables have rank, label and tags before the declared columns. */
  uint32_t (*columns)(const MillResults *, uint32_t table, const MillColumn **out);
  const MillValue *(*row)(const MillResults *, uint32_t table, uint64_t row);
  const MillMetric *(*metric)(const MillResults *, uint32_t index, const char **out_name, const char **out_stat,
                              MillValue *out_value, uint64_t *out_n, uint32_t *out_lane, const char **out_reason);
  const MillNotice *(*notice)(const MillResults *, uint32_t index, const char **out_code, uint64_t *out_count,
                              const char **out_what, const char **out_effect, const char **out_help);
  const char *(*info)(const MillResults *, const char *key); /* "program", "version", "profile", "title", ... or NULL */
  const char *(*group)(const MillResults *, uint32_t metric); /* "tag=value" lines with MILL_OPTION_FOLD_BY, or "" */
};

struct MillStage {
  uint32_t size;
  uint32_t kind;
  uint32_t scope;
  uint32_t flags;
  const char *name;    /* kebab-case; third parties prefix theirs: "acme.heat" */
  const char *family;  /* "clock", "comm", ...; the format's name for sources and sinks */
  const char *version;
  const char *tag;     /* 2 to 6 capitals: in logs and in notice codes */
  const char *title;   /* one line */
  const char *help;    /* a paragraph */
  /* Facts, each list ending in NULL (or NULL).  The planner inserts what
   * order.* needs; any other missing fact is an error it explains. */
  const char *const *needs;
  const char *const *wants;    /* used when present */
  const char *const *provides;
  const char *const *spoils;
  const char *const *private_attrs; /* removed after the last stage that reads them */
  const MillOption *options;
  const MillNotice *notices;
  const MillRead *reads;
  const MillTable *tables;
  const MillMetric *metrics;
  const MillFigure *figures;
  const MillMagic *magic; /* sources */
  uint32_t n_options, n_notices, n_reads, n_tables, n_metrics, n_figures, n_magic;
  uint32_t options_size; /* sizeof the author's options struct */
  const void *ops;       /* MillStageOps, MillSourceOps or MillSinkOps by kind */
  const void *(*extension)(const char *id);
};

typedef struct MillModule {
  uint32_t magic;
  uint32_t size;
  uint32_t abi; /* MILL_ABI of the header the module was built with */
  uint32_t n_stages;
  const MillStage *const *stages;
  const char *vendor;
  const char *licence;
} MillModule;

#if defined(__GNUC__)
#define MILL_EXPORT __attribute__((visibility("default")))
#else
#define MILL_EXPORT
#endif
#ifdef __cplusplus
#define MILL_DECLARE extern "C" MILL_EXPORT const MillModule
#else
#define MILL_DECLARE MILL_EXPORT extern const MillModule mill_module_v1; MILL_EXPORT const MillModule
#endif
/* Once per module: MILL_MODULE(stage, "vendor", "MIT") */
#define MILL_MODULE(stage_, vendor_, licence_)                                                      \
  static const MillStage *const mill_stages_[] = { &(stage_) };                                     \
  MILL_DECLARE mill_module_v1 = { MILL_MAGIC, (uint32_t)sizeof(MillModule), MILL_ABI, 1,            \
                                  mill_stages_, vendor_, licence_ }
#define MILL_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* ------------------------------------------------------------------ helpers
 * Compiled into modules for ever: only a handful, and nothing clever. */
static inline MillValue mill_none(void) { MillValue v; v.type = MILL_NONE; v.len = 0; v.u.i = 0; return v; }
static inline MillValue mill_int(int64_t i) { MillValue v; v.type = MILL_INT; v.len = 0; v.u.i = i; return v; }
static inline MillValue mill_bool(bool b) { MillValue v; v.type = MILL_BOOL; v.len = 0; v.u.i = b; return v; }
static inline MillValue mill_real(double r) { MillValue v; v.type = MILL_REAL; v.len = 0; v.u.r = r; return v; }
static inline MillValue mill_sym(MillSym s) { MillValue v; v.type = MILL_SYM; v.len = 0; v.u.i = 0; v.u.sym = s; return v; }
static inline MillValue mill_text(const char *text, size_t len)
{ MillValue v; v.type = MILL_TEXT; v.len = (uint32_t)len; v.u.text = text; return v; }

/* return mill_fail(host, MILL_STAGE_FAILED, "what", "what to do"); */
#define mill_fail(host, status, what, help) mill_fail_at((host), (status), (what), (help), __FILE__, __LINE__)
static inline int mill_fail_at(const MillHost *host, uint32_t status, const char *what, const char *help,
                               const char *file, uint32_t line)
{
  MillFailure f = { (uint32_t)sizeof(MillFailure), status, 0, line, file, what, NULL, NULL, help };
  return host->fail(host, &f);
}

static inline void mill_set_ts(MillEvent *e, int64_t ts_ns)
{ e->ts_ns = ts_ns; e->flags = (uint8_t)(e->flags & ~MILL_FLAG_NO_TS); e->dirty |= MILL_DIRTY_TS; }
static inline void mill_set_dur(MillEvent *e, int64_t dur_ns) { e->dur_ns = dur_ns; e->dirty |= MILL_DIRTY_DUR; }
static inline void mill_set_name(MillEvent *e, MillSym name) { e->name = name; e->dirty |= MILL_DIRTY_NAME; }
static inline void mill_set_cat(MillEvent *e, MillSym cat) { e->cat = cat; e->dirty |= MILL_DIRTY_CAT; }
static inline void mill_set_track(MillEvent *e, uint32_t track) { e->track = track; e->dirty |= MILL_DIRTY_TRACK; }
static inline void mill_set_kind(MillEvent *e, uint8_t kind) { e->kind = kind; e->dirty |= MILL_DIRTY_KIND; }
static inline void mill_set_id(MillEvent *e, uint8_t id_kind, uint64_t id)
{ e->id = id; e->id_kind = id_kind; e->dirty |= MILL_DIRTY_ID; }
static inline void mill_drop(MillEvent *e) { e->flags |= MILL_FLAG_DROPPED; }

/* The first attribute of that name, or NULL; further list values follow it. */
static inline const MillAttr *mill_attr(const MillBatch *b, const MillEvent *e, MillSym key)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if (a->key == key && (a->type & MILL_ATTR_TYPE) != MILL_NONE) return a;
  }
  return NULL;
}
static inline bool mill_attr_int(const MillBatch *b, const MillEvent *e, MillSym key, int64_t *out)
{
  const MillAttr *a = mill_attr(b, e, key);
  if (!a || (a->type & MILL_ATTR_TYPE) != MILL_INT) return false;
  *out = a->u.i;
  return true;
}
/* The bytes of a text or json attribute. */
static inline const char *mill_attr_text(const MillBatch *b, const MillAttr *a, size_t *out_len)
{
  uint32_t type = a->type & MILL_ATTR_TYPE;
  if (type != MILL_TEXT && type != MILL_JSON) return NULL;
  *out_len = a->u.text.len;
  return (a->type & MILL_ATTR_OWN ? b->own : b->raw) + a->u.text.off;
}

#ifdef __cplusplus
}
#endif
#endif
