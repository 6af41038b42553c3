/* SQL over tables of the program: it reads them where they are, writes nothing, and stays within limits that are counts.
 * SQLite is in a shared object of its own, which the first sql_open loads: without SQL a run does without it. */
/* SPDX-License-Identifier: MIT */
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "model/error.h"
#include "model/lane-info.h"
#include "plan/modules.h"
#include "sql/object/calls.h"

typedef struct Sql Sql;           /* a connection */
typedef struct SqlQuery SqlQuery; /* one SELECT; one at a time */

/* Why a table failed, or SqlLimits.stopped said so; it gets the context of the limits. */
typedef Error *(*SqlWhy)(void *context);
/* The lane of results with this index, or NULL. */
typedef const LaneInfo *(*SqlLane)(const void *context, uint32_t index);

typedef struct SqlResults {
  const char *run; /* its name; NULL: its tables have no column `run` */
  const MillResults *results;
  SqlLane lane;
  const void *context;
} SqlResults;

/* The limits are copied, but for what they point to.  why: may be NULL where no table fails and nobody stops it. */
Error *sql_open(const Modules *modules, const SqlLimits *limits, SqlWhy why, Sql **out);
void sql_close(Sql *sql); /* NULL is fine */

/* Each lives longer than the connection. */
Error *sql_add_table(Sql *sql, const SqlTable *table);
/* Their tables, and _metric, _column, _notice and _run, named and with columns as in results.sqlite, and _finding. */
Error *sql_add_results(Sql *sql, const MillResults *results, SqlLane lane, const void *context);
/* The same of several runs: rows of tables of one name are one table, whose column `run` says which they are of. */
Error *sql_add_runs(Sql *sql, const SqlResults *runs, uint32_t n);
/* A table that a stage declares, under this name and without rows, unless there is one of that name; that of each lane
 * with the column `rank`. */
Error *sql_add_empty(Sql *sql, const char *name, const MillTable *table);
/* Ending in NULL; until the next call. */
const char *const *sql_names(Sql *sql, SqlNames what);
const SqlTable *sql_table(Sql *sql, guint index); /* as they were added; NULL: there are not so many */

/* name: of the file that the text is in, or NULL.  EXIT_PROFILE with the place, the word and near names. */
Error *sql_prepare(Sql *sql, const char *name, const char *text, size_t len, SqlQuery **out);
/* Of the parameter :NAME, without the colon.  False: the text does not have it. */
bool sql_bind(SqlQuery *q, const char *parameter, const MillValue *value);
/* Its parameters, without the colon; NULL: there are not so many. */
const char *sql_parameter(const SqlQuery *q, uint32_t index);
uint32_t sql_n_columns(const SqlQuery *q);
const char *sql_column(const SqlQuery *q, uint32_t index);
/* The next row, or *out_row is false.  EXIT_LIMIT: it went beyond its limits. */
Error *sql_step(SqlQuery *q, bool *out_row);
MillValue sql_cell(const SqlQuery *q, uint32_t index); /* INT, REAL, TEXT or NONE; a text lives until the next step */
void sql_finish(SqlQuery *q); /* NULL is fine */

#endif
