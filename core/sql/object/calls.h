/* What the shared object of SQL gives to the program: one table of calls.  It alone is linked with SQLite. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_OBJECT_CALLS_H
#define SQL_OBJECT_CALLS_H

#include <glib.h>
#include <stagemill/sink.h>

#include "sql/table.h"

typedef enum SqlFaultKind {
  SQL_FAULT_WRONG,   /* SQLite does not take it */
  SQL_FAULT_REFUSED, /* it would do more than read */
  SQL_FAULT_VALUE,   /* it went wrong on a row */
  SQL_FAULT_STEPS,   /* more steps than it may have */
  SQL_FAULT_BYTES,   /* more memory than it may have */
  SQL_FAULT_FILE,    /* rows could not be put into a temporary file */
  SQL_FAULT_STOPPED, /* `stopped` said so */
  SQL_FAULT_TABLE    /* a table failed, and knows why */
} SqlFaultKind;

typedef struct SqlFault {
  SqlFaultKind kind;
  char *message; /* g_free */
  char *word;    /* at fault, or NULL; g_free */
  int64_t offset; /* of it in the text; -1: unknown */
} SqlFault;

typedef struct SqlLimits {
  uint64_t max_steps;      /* of SQLite; 0: any number */
  uint64_t max_bytes;      /* that SQLite holds; 0: any number */
  uint64_t max_kept_bytes; /* of rows that are kept; beyond it they lie in a temporary file */
  const char *folder;      /* for that file */
  bool (*stopped)(void *context); /* asked now and then; NULL: it is never stopped */
  void *context;
} SqlLimits;

typedef enum SqlNames { SQL_NAMES_TABLES, SQL_NAMES_COLUMNS, SQL_NAMES_FUNCTIONS } SqlNames;

typedef struct SqlRun { /* results of one run, with the host that says what their lanes are */
  const char *name; /* what their tables have in the column `run`, which comes first; NULL: there is none */
  const MillHost *common;
  const MillResults *results;
} SqlRun;

typedef struct SqlDb SqlDb;
typedef struct SqlStatement SqlStatement;

/* What can fail gives false, or NULL, and fills the fault. */
typedef struct SqlCalls {
  uint32_t size;
  SqlDb *(*open)(const SqlLimits *limits, SqlFault *out);
  void (*close)(SqlDb *db);
  bool (*add_table)(SqlDb *db, const SqlTable *table, SqlFault *out);
  /* Rows of tables of one name are one table.  What the runs point to lives as long as the connection. */
  bool (*add_runs)(SqlDb *db, const SqlRun *runs, uint32_t n, SqlFault *out);
  /* Without rows, and only where no table has the name. */
  bool (*add_empty)(SqlDb *db, const char *name, const MillColumn *const *columns, uint32_t n, SqlFault *out);
  GPtrArray *(*names)(SqlDb *db, SqlNames what); /* const char *, ending in NULL; owned by db */
  const SqlTable *(*table)(const SqlDb *db, guint index); /* NULL: there are not so many */
  SqlStatement *(*prepare)(SqlDb *db, const char *text, size_t len, SqlFault *out);
  bool (*bind)(SqlStatement *s, const char *name, const MillValue *value); /* false: it has no such parameter */
  const char *(*parameter)(SqlStatement *s, uint32_t index); /* without what it begins with; NULL: there are not so many */
  uint32_t (*n_columns)(SqlStatement *s);
  const char *(*column)(SqlStatement *s, uint32_t index);
  int (*step)(SqlStatement *s, SqlFault *out);           /* 1: there is a row; 0: no more; -1: it has failed */
  MillValue (*cell)(SqlStatement *s, uint32_t index);    /* its text lives until the next step */
  void (*finish)(SqlStatement *s);
} SqlCalls;

#define SQL_OBJECT_SYMBOL "stagemill_sql_v1"
extern const SqlCalls stagemill_sql_v1;

#endif
