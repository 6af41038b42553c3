/* What stages, sources and sinks of stagemill share: values, events, batches,
 * lanes, options, notices, tables, and the calls that every module may make.
 *
 * A module is a shared object that exports one constant, `mill_module_v1`, and
 * calls the program only through the host table that `open` receives.  It links
 * no library of ours.  Read this file, then the one of your kind: stage.h,
 * source.h or sink.h.
 *
 * Three rules make the rest simple:
 *   - An instance is never entered by two threads at once, and sees one lane.
 *     Keep state in the instance, never in file-scope variables; then no lock
 *     is ever needed.
 *   - Whatever a call hands you is valid until you return, unless its comment says more.
 *   - Every function returns 0 or, after `fail`, the negative status it gave.
 *
 * The order of events, which the fact order.lane promises of the events of a lane, and order.run of those of all:
 *   1. by time; events without one come first
 *   2. of one time the longest first, so that a slice comes before those inside it; without a duration last
 *   3. by lane, then by `seq`, then by `sub`: as they were read, and what a stage emitted behind its parent
 * So an instant that belongs to a slice does not come right behind it when another slice begins at the same
 * time.  MILL_IN_PLACE puts it where it belongs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_TYPES_H
#define STAGEMILL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stagemill/rows.h>

/* A member that a descriptor leaves out is zero; C++ is not to warn of each. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ version
 * A module is refused when the major differs or its minor is newer than the
 * program's.  An older module keeps working, because structs only grow at their
 * end: what a module fills begins with its size, rows of a descriptor have a
 * stride, and what the program fills may be longer than the module knows.
 * Not yet released: until then 1.0 may still change.  Then frozen forever: MillEvent, MillAttr, MillValue, MillNamed,
 * MillList, MillText, Mill...Rows. */
#define MILL_ABI_MAJOR 1u
#define MILL_ABI_MINOR 0u
#define MILL_ABI (MILL_ABI_MAJOR << 16 | MILL_ABI_MINOR)
#define MILL_MAGIC 0x4c4c494du /* "MILL" as little-endian bytes */

/* ------------------------------------------------------------------- values
 * One tagged value serves table cells, attributes to set, metric values and
 * the named values of a notice. */
enum {
  MILL_NONE = 0, /* absent: an empty cell, a removed attribute */
  MILL_INT = 1,
  MILL_REAL = 2, /* NaN and infinite are refused; use MILL_NONE */
  MILL_SYM = 3,  /* an interned string, see MillHost.intern; a cell of type MILL_TEXT may be given as one */
  MILL_TEXT = 4, /* UTF-8 bytes; copied by whoever receives the value */
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

typedef struct MillNamed {
  const char *name;
  MillValue value;
} MillNamed;

/* -------------------------------------------------------------------- event */
enum { /* MillEvent.kind; the letter is the phase of a Chrome trace */
  MILL_OTHER = 0,        /* a phase that is not known; kept */
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

enum {                        /* MillEvent.flags */
  MILL_FLAG_DROPPED = 1 << 0, /* set by mill_drop; gone before the next stage */
  MILL_FLAG_NO_TS = 1 << 1,   /* the event has no time; ts_ns is 0 and it sorts first */
  MILL_FLAG_OWN_RAW = 1 << 2, /* raw_off is from own_text: of a source that repaired the bytes */
  MILL_FLAG_INEXACT = 1 << 3, /* time was rounded to a nanosecond on reading */
  MILL_FLAG_BIND_END = 1 << 4, /* flow end bound to the enclosing slice (bp "e") */
  MILL_FLAG_LEFT_OUT = 1 << 5 /* set by `note`: a notice says that results are without the event */
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
  MILL_ID_PAIR = 4  /* one of all lanes, such as a stage of the whole gives: never renamed */
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
  uint32_t track;   /* row of the lane, see `track` of the host */
  uint32_t attrs;   /* first attribute in batch->attrs */
  uint32_t raw_off; /* the whole event as read, see mill_raw */
  uint32_t raw_len; /* 0: made by a stage */
  uint16_t n_attrs;
  uint8_t kind;
  uint8_t flags;
  uint8_t dirty;
  uint8_t id_kind;
  uint16_t sub; /* orders events that a stage emitted after their parent */
} MillEvent;

/* A member of `args`, a column of a record.  A list is one key repeated in order. */
enum { MILL_ATTR_SET = 1 << 8, MILL_ATTR_OWN = 1 << 9, MILL_ATTR_ALL = 1 << 11, MILL_ATTR_TYPE = 0xff };
typedef struct MillAttr {
  MillSym key;
  uint32_t type; /* MILL_INT ...; | MILL_ATTR_SET: by a stage; | MILL_ATTR_OWN: see mill_attr_text;
                    | MILL_ATTR_ALL: by a stage of the whole, an id in it is one of all lanes */
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
 * on where one batch ends and the next begins.  Everybody reads `events` and `attrs`; who may write them has
 * a batch that is not const: mill_events, mill_attrs. */
typedef struct MillBatch {
  uint32_t size;
  uint32_t lane;
  union {
    const MillEvent *events;
    MillEvent *events_; /* the program's own, as all that ends in _: ask mill_events */
  };
  uint32_t n_events;   /* a source counts up what it adds */
  uint32_t max_events; /* a source adds up to this many; each is garbage until it is zeroed */
  union {
    const MillAttr *attrs;
    MillAttr *attrs_; /* ask mill_attrs */
  };
  uint32_t n_attrs;
  uint32_t max_attrs;
  const char *raw_; /* ask mill_raw and mill_attr_text */
  const char *own_;
} MillBatch;

/* -------------------------------------------------------- lanes and tracks */
#define MILL_NO_LANE UINT32_MAX
#define MILL_NO_BASE INT64_MIN /* nobody knows when it was */
typedef struct MillLane {
  uint32_t size;
  uint32_t index;      /* MILL_NO_LANE on the run level */
  int64_t rank;        /* -1: none */
  int64_t base_ns;     /* absolute time of ts_ns 0, or MILL_NO_BASE; only sinks add it.  A source may find it after the
                          events: ask in `decide`, save_observed, `flush` or a sink's `finish`, where it is final */
  const char *name;    /* for messages: the input's name */
  const char *label;   /* from label=PATH, or "" */
  const char *dialect; /* as the source calls it, or "" */
  const char *path;    /* of the input; NULL: standard input */
} MillLane;

/* One row of a lane: a pair of process and thread, integers or strings. */
typedef struct MillTrack {
  uint32_t size;
  uint32_t lane;
  MillValue process; /* MILL_NONE, MILL_INT or MILL_SYM */
  MillValue thread;
} MillTrack;

enum { /* what an instance of a stage or sink works on; given to `open` */
  MILL_LANE = 1,  /* one lane */
  MILL_RUN = 2,   /* what all lanes, or a group of them, add up to */
  MILL_MERGED = 3 /* the merged stream of all lanes */
};

/* Rows of a descriptor, and lists that the program hands out: they are `stride`
 * bytes apart, which may be more than the size that you know. */

/* ------------------------------------------------------------------ options
 * One row per option.  The default is text, as a user would type it: one parser
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
  MILL_OPTION_REQUIRED = 1 << 0,   /* no default: the user must give it */
  MILL_OPTION_DEPRECATED = 1 << 1,
  MILL_OPTION_GROUP_BY = 1 << 2, /* a list of tags: one run-level instance, and its results, for each
                                    combination of their values; the program does it all */
  MILL_OPTION_STATS = 1 << 3,    /* a list of statistics to report besides the declared ones: "p99.9" */
  MILL_OPTION_OR_FILE = 1 << 4   /* a string: if a file has that name, you get what is in it */
};
typedef struct MillPattern MillPattern; /* a compiled regular expression */
typedef struct MillList {
  uint32_t n;
  const char *const *items;
} MillList;

typedef struct MillOption {
  uint32_t type;
  uint32_t offset; /* in the author's options struct */
  uint32_t flags;
  const char *name;         /* kebab-case */
  const char *default_text; /* as a user would type it */
  const char *range;        /* "min:max", either may be missing; of a list: of its numbers, "1,3-7"; choices "a|b|c" */
  const char *unit;         /* shown in help: "ns"; or NULL.  Of a duration "ms|s": what a refused bare number may be */
  const char *help;
} MillOption;
MILL_ROWS_OF(MillOption);

/* Rows are filled by MILL_INT_OPTION and its like, see rows.h: the C type of the field is checked. */

/* ---------------------------------------------------- what a module reads
 * Attributes are decoded only when some module asks for them. */
enum { /* MillRead.as */
  MILL_AS_ANY = 0,
  MILL_AS_INT = 1, /* also decimal and 0x texts; a flat list repeats the key */
  MILL_AS_REAL = 2,
  MILL_AS_TEXT = 3,
  MILL_AS_RAW = 4 /* only in `wanted`: a sink writes it; nothing to decode where mill_raw gives the bytes */
};
typedef struct MillRead {
  const char *name; /* "*": all; "$option": the one this option (string) names; "$.option": where its path begins */
  uint32_t as;
  uint32_t kinds; /* mask of MILL_KIND(); 0: every kind */
} MillRead;
MILL_ROWS_OF(MillRead);

/* ------------------------------------------------------------------ notices
 * Oddities in the data are counted per kind, not printed one by one.  `what`, `effect` and `help` may
 * hold {count}, {lane}, {a name given to `note`}, and [one|many]: "{count} event[|s] [has|have]". */
enum { MILL_LEVEL_ERROR = 1, MILL_LEVEL_WARNING, MILL_LEVEL_INFO, MILL_LEVEL_DEBUG, MILL_LEVEL_TRACE };
typedef struct MillNotice {
  uint32_t number; /* the code is TAG-NN */
  uint32_t level;
  const char *what;
  const char *effect;  /* or NULL */
  const char *help;    /* or NULL */
  const char *explain; /* causes, consequences, remedies: a paragraph */
  uint32_t flags;      /* MILL_NOTICE_LEFT_OUT: what is counted are events that results are without */
} MillNotice;
#define MILL_NOTICE_LEFT_OUT 1u
MILL_ROWS_OF(MillNotice);

/* ------------------------------------------------------------------ results */
enum { MILL_PER_RUN = 0, MILL_PER_LANE = 1 };
enum { /* MillColumn.flags */
  MILL_COLUMN_KEY = 1 << 0,  /* rows are ordered by keys, and keys are unique */
  MILL_COLUMN_BRIEF = 1 << 1,   /* shown in the text summary */
  MILL_COLUMN_LOWER = 1 << 2,  /* lower is better */
  MILL_COLUMN_HIGHER = 1 << 3,   /* higher is better */
  MILL_COLUMN_FINDING = 1 << 4   /* a text that says what was found, as a sentence */
};
typedef struct MillText {
  const char *text; /* UTF-8, need not end in NUL; NULL: none */
  size_t len;
} MillText;

/* What a field of a row may be, and how it says that its cell is empty. */
enum { /* MillColumn.field */
  MILL_FIELD_NONE = 0, /* the table has no struct of rows; `cells` fills it */
  MILL_FIELD_INT = 1,  /* int64_t; MILL_NO_INT */
  MILL_FIELD_REAL = 2, /* double; NaN, infinite */
  MILL_FIELD_BOOL = 3, /* bool; never */
  MILL_FIELD_STRING = 4, /* const char *; NULL */
  MILL_FIELD_TEXT = 5,   /* MillText; text NULL */
  MILL_FIELD_SYM = 6,    /* MillSym; 0 */
  MILL_FIELD_MAYBE = 7   /* int8_t, a truth that may not be known: 0, 1; -1 */
};
/* A number that nobody measures.  The ends of the range are sums that were too large. */
#define MILL_NO_INT (-INT64_C(8029476409473655662))
#ifdef __cplusplus /* for MILL_COLUMN */
extern "C++" {
template <class T> struct MillCell;
template <> struct MillCell<int64_t> { enum { type = MILL_INT, field = MILL_FIELD_INT }; };
template <> struct MillCell<double> { enum { type = MILL_REAL, field = MILL_FIELD_REAL }; };
template <> struct MillCell<bool> { enum { type = MILL_BOOL, field = MILL_FIELD_BOOL }; };
template <> struct MillCell<int8_t> { enum { type = MILL_BOOL, field = MILL_FIELD_MAYBE }; };
template <> struct MillCell<const char *> { enum { type = MILL_TEXT, field = MILL_FIELD_STRING }; };
template <> struct MillCell<MillText> { enum { type = MILL_TEXT, field = MILL_FIELD_TEXT }; };
template <> struct MillCell<MillSym> { enum { type = MILL_TEXT, field = MILL_FIELD_SYM }; };
}
#endif

typedef struct MillColumn { /* see MILL_COLUMN */
  const char *name; /* snake_case, without the unit */
  const char *unit; /* "ns", "bytes", "percent", "count"; NULL for text */
  uint32_t type;    /* MILL_INT, MILL_REAL, MILL_TEXT or MILL_BOOL */
  uint32_t flags;
  const char *help;
  uint32_t field;    /* MILL_FIELD_INT ... */
  uint32_t offset;   /* of the field in the row */
  uint32_t row_size; /* one for all columns of a table */
} MillColumn;
MILL_ROWS_OF(MillColumn);

typedef struct MillTable {
  uint32_t per;
  uint32_t brief_rows; /* rows in the text summary; 0: none */
  const char *name;    /* kebab-case */
  const char *help;
  const char *order; /* "-total,name": order of the rows of one lane or group, before their keys; or NULL */
  MillColumnRows columns;
} MillTable;
MILL_ROWS_OF(MillTable);

enum { MILL_NEITHER = 0, MILL_LOWER = 1, MILL_HIGHER = 2 }; /* which is better */
enum { /* MillMetric.inputs: what the command `metric` takes */
  MILL_INPUTS_ANY = 0,
  MILL_INPUTS_ONE = 1, /* exactly one */
  MILL_INPUTS_PAIR = 2 /* exactly off=PATH on=PATH */
};
#define MILL_HEADLINE_VALUE "value" /* MillMetric.headline: of a metric that is its own value */
typedef struct MillMetric {
  uint32_t per;
  uint32_t better;
  uint32_t kind;   /* MILL_REAL, MILL_INT, or MILL_JSON for an object */
  uint32_t inputs; /* MILL_INPUTS_ANY ... */
  const char *name; /* snake_case */
  const char *unit;
  const char *stats;   /* "mean,p50,p99": the first is the default; "p*": any percentile, see
                          MILL_OPTION_STATS; NULL: the metric is its own value */
  const char *aliases; /* comma separated, or NULL */
  const char *help;    /* the definition, in a sentence */
  const char *headline; /* "p50,p99": statistics by which a comparison judges runs, or MILL_HEADLINE_VALUE; NULL:
                           none.  One of a metric of which neither is better is refused. */
} MillMetric;
MILL_ROWS_OF(MillMetric);

#include <stagemill/figure.h>

/* Why an instance cannot go on: shown to the user as error[TAG-NN].  A rejected option is MILL_STAGE_FAILED. */
enum {
  MILL_BAD_INPUT = 3,
  MILL_STAGE_FAILED = 5,
  MILL_OUTPUT_FAILED = 6,
  MILL_HELPER_MISSING = 7, /* a sink lacks a program, or the table that it writes: an error when its format was
                              asked for by name, else a warning, and the other sinks write theirs */
  MILL_LIMIT = 8
};
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
 * What every module may ask, at any time; `host->common` of each kind.  Helpers
 * and libraries take this one.  The first argument is always the table itself. */
#define MILL_FAILED UINT32_MAX         /* emit, emit_kept, track: refused; return any negative status */
#define MILL_NO_EVENT (UINT32_MAX - 1) /* note: no example event */
#define MILL_AT_END (UINT32_MAX - 2)   /* emit: after all events of the batch */
#define MILL_AT_START (UINT32_MAX - 3) /* emit: before the first event of the batch; of equal times, after it */
#define MILL_IN_PLACE (UINT32_MAX - 4) /* emit: where the order of events has it, in this batch or a later one; only
                                          where a stage `needs` order.lane or order.run.  See MillStageHost */

/* For hashes of what an input names: without it nobody can write names of one hash.  Each process has its own, so
 * no result may depend on it, nor on the order of a table that has it. */
typedef struct MillSeed {
  uint64_t start, left, right;
} MillSeed;

#define MILL_MAX_TEXT ((size_t)1 << 30) /* bytes of one name */

typedef struct MillHost MillHost;
struct MillHost {
  uint32_t size;
  uint32_t abi; /* of the program */
  const MillSeed *seed;

  /* Symbols.  Symbol 0 is the empty string.  `intern` always gives a symbol: a run that has too many names
   * ends with MILL_LIMIT, and a length of more than MILL_MAX_TEXT fails the instance.  Texts end in NUL and live as
   * long as the run; "" for no symbol. */
  MillSym (*intern)(const MillHost *, const char *text, size_t len);
  const char *(*symbol_text)(const MillHost *, MillSym, size_t *out_len);
  bool (*match)(const MillHost *, const MillPattern *, const char *text, size_t len);
  bool (*match_sym)(const MillHost *, const MillPattern *, MillSym); /* remembers its answers */

  /* Lanes and tracks.  Set out->size first.  MILL_NO_LANE: your own.  Texts of a lane live as long as the run. */
  void (*lane)(const MillHost *, uint32_t index, MillLane *out);
  const char *(*tag)(const MillHost *, uint32_t lane, const char *name); /* or NULL */
  uint32_t (*n_lanes)(const MillHost *);
  void (*track_info)(const MillHost *, uint32_t track, MillTrack *out);
  uint32_t (*track_lane)(const MillHost *, uint32_t track);

  /* Notices, log, failure.  `fail` returns the status to return; the log is for developers: 1,000 lines per lane. */
  void (*note)(const MillHost *, uint32_t number, const MillBatch *, uint32_t index, const MillNamed *, uint32_t n);
  void (*log)(const MillHost *, uint32_t level, const char *text);
  int (*fail)(const MillHost *, const MillFailure *);
  bool (*cancelled)(const MillHost *);

  /* Memory: filled with zeros, aligned for any type, counted against --max-memory.  NULL: refused, and the
   * instance has failed with MILL_LIMIT.  scratch is freed when the call returns; resize when the instance closes. */
  void *(*scratch)(const MillHost *, size_t bytes);
  void *(*resize)(const MillHost *, void *old, size_t bytes); /* old NULL: new; bytes 0: frees, gives NULL */

  const void *(*extension)(const MillHost *, const char *id); /* NULL when unknown */
};

/* Extensions are asked for by name, in both directions; a name ends in its revision. */
#define MILL_PROGRAM "mill.program/1" /* of the host: const MillProgram * */
typedef struct MillProgram {
  uint32_t size;
  const char *name;
  const char *version;
} MillProgram;
#define MILL_EXAMPLES "mill.examples/1" /* of a module: const char *, lines that `stagemill show` ends with */

/* ------------------------------------------------------------------ modules */
enum { MILL_KIND_STAGE = 1, MILL_KIND_SOURCE = 2, MILL_KIND_SINK = 3 };
typedef struct MillModule {
  uint32_t magic;
  uint32_t size;
  uint32_t abi; /* MILL_ABI of the header that the module was built with */
  uint32_t kind;
  const void *descriptor; /* MillStage, MillSource or MillSink by kind */
  const char *vendor;
  const char *licence;
} MillModule;

/* ------------------------------------------------------------------ helpers
 * Compiled into modules forever: only a handful, and nothing clever. */
static inline MillValue mill_none(void) { MillValue v; v.type = MILL_NONE; v.len = 0; v.u.i = 0; return v; }
static inline MillValue mill_int(int64_t i) { MillValue v; v.type = MILL_INT; v.len = 0; v.u.i = i; return v; }
static inline MillValue mill_bool(bool b) { MillValue v; v.type = MILL_BOOL; v.len = 0; v.u.i = b; return v; }
static inline MillValue mill_real(double r) { MillValue v; v.type = MILL_REAL; v.len = 0; v.u.r = r; return v; }
static inline MillValue mill_sym(MillSym s)
{ MillValue v; v.type = MILL_SYM; v.len = 0; v.u.i = 0; v.u.sym = s; return v; }
static inline MillValue mill_json(const char *text, size_t len)
{ MillValue v; v.type = MILL_JSON; v.len = (uint32_t)len; v.u.text = text; return v; }
static inline MillValue mill_text(const char *text, size_t len)
{ MillValue v; v.type = MILL_TEXT; v.len = (uint32_t)len; v.u.text = text; return v; }

/* Zeroed memory that lives as long as the instance; NULL: return -MILL_LIMIT. */
static inline void *mill_new(const MillHost *common, size_t bytes) { return common->resize(common, NULL, bytes); }

/* Counts a notice that needs neither example nor values. */
static inline void mill_note(const MillHost *common, uint32_t number)
{ common->note(common, number, NULL, MILL_NO_EVENT, NULL, 0); }

/* return mill_fail(host->common, MILL_STAGE_FAILED, "what", "what to do"); */
#define mill_fail(common, status, what, help) mill_fail_at((common), (status), (what), (help), __FILE__, __LINE__)
static inline int mill_fail_at(const MillHost *common, uint32_t status, const char *what, const char *help,
                               const char *file, uint32_t line)
{
  MillFailure f = { (uint32_t)sizeof(MillFailure), status, 0, line, file, what, NULL, NULL, help };
  return common->fail(common, &f);
}

/* The events of a batch, to be changed; a batch that is only shown is const. */
static inline MillEvent *mill_events(MillBatch *b) { return b->events_; }
static inline MillAttr *mill_attrs(MillBatch *b) { return b->attrs_; }

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

/* Absolute time of a ts_ns in the lane; false when its base is unknown or the sum does not fit. */
static inline bool mill_abs_ts(const MillLane *lane, int64_t ts_ns, int64_t *out_ns)
{
  int64_t base = lane->base_ns;
  if (base == MILL_NO_BASE) return false;
  if (base > 0 ? ts_ns > INT64_MAX - base : ts_ns < INT64_MIN - base) return false;
  *out_ns = base + ts_ns;
  return true;
}

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
  return (a->type & MILL_ATTR_OWN ? b->own_ : b->raw_) + a->u.text.off;
}

#ifdef __cplusplus
}
#endif
#endif
