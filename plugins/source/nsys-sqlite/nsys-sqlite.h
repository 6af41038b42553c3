/* What the files of the nsys-sqlite source share: the database, the groups of kernels, the instance. */
#ifndef NSYS_SQLITE_H
#define NSYS_SQLITE_H

#include <glib.h>
#include <sqlite3.h>
#include <stagemill/source.h>

#include "base/hash.h"
#include "base/moments.h"
#include "kit/read/record.h"

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
       NSQL_BAD_TIME = 20,
       NSQL_NO_NAME = 21,
       NSQL_NO_DEVICE = 22,
       NSQL_BAD_NAME = 23
};
#define NSQL_N_NOTICES 15u
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

typedef struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  RecordWriter writer;
  MillSym record;
  sqlite3 *db;
  char *kernels;        /* SELECT name, device, duration FROM ..., without order */
  sqlite3_stmt *string; /* of an id */
  Groups groups;
  bool summed;
  int failed; /* status of the first name that could not be read while sorting */
  guint n_given;
  int64_t device; /* whose groups are given now, and the sum of their times */
  __int128 device_ns;
} Source;

/* database.c: 0, or it has failed. */
int database_open(Source *s);
void database_close(Source *s);
int database_fail(Source *s, uint32_t number, const char *what, const char *why);
int database_broken(Source *s); /* after a failed call of SQLite */
/* The text of a string id, until the next call: 1, 0 when there is none, negative when it has failed. */
int database_string(Source *s, int64_t id, const char **out_text, size_t *out_len);

/* pending.c: fails when changes lie beside the file that are not in it yet. */
int pending_check(Source *s, const char *path);

/* summary.c */
int summary_make(Source *s);
int summary_next(void *instance, MillBatch *batch);

#endif
