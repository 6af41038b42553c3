/* What the files of the nsys-sqlite source share: the database, what is in it, events and groups of kernels, the instance.
 *
 * A database is read in one of two ways.  Where a stage reads rows of a kernel table (record kernel.row) they are given:
 * groups.c and summary.c.  Else its tables become events in order of time: tables.c says which, merge.c merges the
 * statements that read them, events.c makes the events.
 *
 * Processes are parts of the input (MillSourceHost.part): each is read by an instance of its own, so that several are
 * read at once, ranks are known before anything is planned, and no rows of others are held. */
/* SPDX-License-Identifier: MIT */
#ifndef NSYS_SQLITE_H
#define NSYS_SQLITE_H

#include <glib.h>
#include <sqlite3.h>
#include <stagemill/source.h>

#include "base/hash.h"
#include "base/moments.h"
#include "kit/read/record.h"
#include "kit/state/pairmap.h"

enum { /* MillNotice.number */
       NSQL_NO_PATH = 1,
       NSQL_COMPRESSED = 2,
       NSQL_BROKEN = 3,
       NSQL_NOT_NSYS = 4,
       NSQL_NO_KERNELS = 5,
       NSQL_NO_COLUMN = 6,
       NSQL_TOO_MANY = 7,
       NSQL_ABSURD = 8,
       NSQL_CANCELLED = 9,
       NSQL_NO_MEMORY = 10,
       NSQL_PENDING = 11,
       NSQL_UNPACK = 12,
       NSQL_REPORT = 13,
       NSQL_BAD_TIME = 20,
       NSQL_NO_NAME = 21,
       NSQL_NO_DEVICE = 22,
       NSQL_BAD_NAME = 23,
       NSQL_ROW_TIME = 24,
       NSQL_NAMELESS = 25,
       NSQL_BAD_TEXT = 26,
       NSQL_SCHEMA = 27
};
#define NSQL_N_NOTICES 21u
extern const MillNotice nsql_notices[NSQL_N_NOTICES];

/* ----------------------------------------------------------------- groups */
#define ALL_DEVICES INT64_MIN
#define NO_NAME INT64_MIN /* the name of a kernel without one */
#define MAX_GROUPS 200000u

/* The executions of one kernel, on one device or on all of them. */
typedef struct Group {
  int64_t name; /* id of a string */
  int64_t device;
  Moments durations;
  uint64_t n_passed;  /* second pass, by duration: how many came */
  int64_t middles[2]; /* the median is half their sum; the same one for odd numbers */
} Group;

typedef struct Groups {
  const MillSeed *seed;
  GArray *all;     /* of Group */
  uint32_t *slots; /* index + 1, open addressing; 0: free */
  uint32_t mask;
} Groups;

void groups_init(Groups *g, const MillSeed *seed);
void groups_clear(Groups *g);
/* Finds or makes it; NULL when there are too many.  Valid until the next call. */
Group *groups_get(Groups *g, int64_t name, int64_t device);
void group_pass(Group *g, int64_t duration_ns); /* second pass */
double group_median(const Group *g);

/* ----------------------------------------------------------------- tables */
typedef enum Role {
  ROLE_DEVICE,
  ROLE_CALL,
  ROLE_RANGE,
  ROLE_HOST,  /* calls of other libraries */
  ROLE_ASIDE, /* a track of its own */
  ROLE_COUNTER
} Role;

typedef enum NameKind {
  NAME_STRING,
  NAME_CALL,
  NAME_COPY,
  NAME_FILL,
  NAME_RANGE,
  NAME_SYNC, /* from here on labels of an enumeration */
  NAME_OVERHEAD,
  NAME_EVENT,
  NAME_METRIC
} NameKind;

typedef enum AttrKind {
  ATTR_INT,
  ATTR_SUM,
  ATTR_LIST,   /* all of its columns, or nothing */
  ATTR_STRING, /* an id of StringIds */
  ATTR_ANY,    /* the first column that is not NULL */
  ATTR_BYTES   /* and the bandwidth */
} AttrKind;

enum {
  KEY_CORRELATION,
  KEY_DEVICE_ID,
  KEY_STREAM,
  KEY_CONTEXT,
  KEY_GRID,
  KEY_BLOCK,
  KEY_REGISTERS,
  KEY_SHARED,
  KEY_BYTES,
  KEY_BANDWIDTH,
  KEY_GRAPH,
  KEY_NODE,
  KEY_SHORT,
  KEY_MANGLED,
  KEY_RETURNED,
  KEY_DOMAIN,
  KEY_CATEGORY,
  KEY_PAYLOAD,
  KEY_TAG,
  KEY_REMOTE,
  KEY_VALUE,
  KEY_ROW_NAME, /* of a process or a thread */
  KEY_DIMS,
  KEY_TEXT, /* of a range whose event has another name */
  N_EVENT_KEYS
};
extern const char *const nsql_keys[N_EVENT_KEYS];

typedef struct TableAttr {
  int key;
  AttrKind kind;
  const char *columns; /* "a,b" */
} TableAttr;

#define MAX_ATTRS 10
typedef struct TableSpec {
  const char *table, *cat;
  Role role;
  NameKind kind;
  const char *start;   /* NULL: "start" */
  const char *owner;   /* globalPid or globalTid; NULL: of the machine */
  const char *name[3]; /* what the name is made of, by its kind */
  const char *labels,
      *word; /* of an enumeration: its table, and what stands for a label; `word` also names a track */
  const TableAttr *attrs;
  size_t n_attrs;
} TableSpec;

#define N_TABLES 17u
extern const TableSpec nsql_tables[N_TABLES];

/* A table that is read: its statement stands at a row that was not given yet. */
typedef struct Stream {
  const TableSpec *spec;
  sqlite3_stmt *rows;
  MillSym cat;
  int64_t start_ns, dur_ns; /* -1: it has none */
  struct {
    const TableAttr *attr;
    int column;
  } attrs[MAX_ATTRS];
  size_t n_attrs;
  bool has_device, has_stream;
} Stream;

enum { /* columns of its statement */
       AT_START,
       AT_END,
       AT_OWNER,
       AT_NAME,
       AT_DEVICE = AT_NAME + 3,
       AT_STREAM,
       AT_ATTRS
};

typedef struct Process { /* one that has device work or calls */
  int64_t key;           /* globalPid >> 24 */
  int64_t device;        /* the lowest; INT64_MAX: no device work */
} Process;

/* --------------------------------------------------------------- instance */
enum {
  KEY_NAME,
  KEY_TOTAL,
  KEY_COUNT,
  KEY_AVG,
  KEY_MED,
  KEY_MIN,
  KEY_MAX,
  KEY_STD,
  KEY_PCT,
  KEY_DEVICE,
  N_KEYS
};

typedef struct Options {
  const MillPattern *steps;
} Options;

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  const Options *options;
  RecordWriter writer;
  MillSym record;
  sqlite3 *db;
  char *unpacked;       /* the file that SQLite is about to open */
  bool is_unpacked;     /* it has opened one */
  GTree *columns;       /* "TABLE" and "TABLE.COLUMN" */
  char *kernels;        /* SELECT name, device, duration FROM ..., without order */
  sqlite3_stmt *string; /* of an id */
  Groups groups;
  bool summed;
  int failed; /* status of the first name that could not be read while sorting */
  guint n_given;
  /* Events: */
  bool gives_events, began;
  GArray *processes; /* of Process, in the order of their lanes */
  uint32_t part;     /* which of them */
  Stream streams[N_TABLES];
  Stream *order[N_TABLES]; /* those that have a row, by their rows */
  size_t n_order;
  PairMap names, tracks;
  MillSym driver_cat, operator_cat;
  PairMap ends; /* the last time of a thread + 1, where a range has no end */
  /* Groups: */
  int64_t device; /* whose groups are given now, and the sum of their times */
  __int128 device_ns;
} Source;

/* database.c: 0, or it has failed. */
int database_open(Source *s);         /* and reads what tables it has */
int database_check_events(Source *s); /* the pages of what events are made of */
int database_prepare_groups(Source *s);
int database_check_foreign(
    Source *s); /* fails where there are no kernels or no names, and says which */
void database_close(Source *s);
int database_fail(Source *s, uint32_t number, const char *what, const char *why);
bool database_is_report(const char *path); /* by its name */
int database_broken(Source *s); /* after a failed call of SQLite */
int database_prepare(Source *s, const char *sql, sqlite3_stmt **out);
int database_step(Source *s, sqlite3_stmt *rows); /* 1: there is a row; 0: no more */
/* The text of a string id, until the next call: 1, 0 when there is none, negative when it has failed. */
int database_string(Source *s, int64_t id, const char **out_text, size_t *out_len);

/* pending.c: fails when changes lie beside the file that are not in it yet. */
int pending_check(Source *s, const char *path);

/* unpack.c: to s->unpacked; then SQLite opens it, and it is forgotten. */
int unpack_file(Source *s);
void unpack_forget(Source *s);

/* schema.c */
int schema_read(Source *s);
bool schema_has_table(const Source *s, const char *table);
bool schema_has(const Source *s, const char *table, const char *column);
char **schema_having(const Source *s, const char *table,
                     const char *columns); /* those of "a,b" that are there */

/* tables.c */
bool table_is_there(const Source *s, const TableSpec *t);

/* lanes.c: what is said of the input before it is read */
int lanes_describe(Source *s);
void lanes_note_schema(Source *s); /* where its version is not known */
/* A condition on the owner of rows, or NULL: all are of this lane. */
char *lanes_condition(const Source *s, const char *owner);

/* names.c: symbols; once s->failed, of nothing */
MillSym names_text(Source *s, const char *text, size_t len); /* mended, if it is none */
bool names_is_text(const char *text, size_t len);
MillSym names_string(Source *s, int64_t id);
MillSym names_call(Source *s, int64_t id, bool *out_is_driver);
MillSym names_label(Source *s, const TableSpec *spec, int64_t id);
MillSym names_metric(Source *s, int64_t id, int64_t type);
MillSym names_copy(Source *s, int64_t kind, int64_t from, int64_t to);
MillSym names_fill(Source *s, int64_t kind);

/* ranges.c: what a range of NVTX is */
typedef struct Range {
  MillSym name;
  MillSym step_text; /* of a step that was renamed, or 0 */
  bool is_operator;
  const char *whole, *dims; /* of an operator, in the text that was read, or NULL */
  size_t whole_len, dims_len;
} Range;
Range range_of(Source *s, const char *text, size_t len);
int ranges_find_ends(
    Source *s); /* so that the SQL function thread_end knows those of all threads */

/* merge.c */
int merge_open(Source *s);
void merge_close(Source *s);
/* The stream whose row comes first, or NULL: no more, or s->failed. */
Stream *merge_first(Source *s);
void merge_pass(Source *s); /* its row was given */

/* events.c */
void events_prepare(Source *s);
int events_next(Source *s, MillBatch *batch);

/* summary.c */
int summary_make(Source *s);
int summary_next(Source *s, MillBatch *batch);

#endif
