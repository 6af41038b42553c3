/* What the SQL of `query` reads: folders of results, or events of inputs. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_QUERY_TABLES_H
#define CMD_QUERY_TABLES_H

#include "cmd/event-tables.h"
#include "cmd/setup.h"
#include "output/output.h"
#include "results/results.h"
#include "sql/sql.h"

typedef struct QueryTables {
  const Cli *cli;
  Session session;
  GPtrArray *inputs;   /* const char *: folders of results, or inputs of events */
  const char *text;    /* the SQL; NULL: none */
  GPtrArray *args;     /* char *: attributes that it asks for */
  GPtrArray *more;     /* the same of those that stages computed */
  GPtrArray *results;  /* Results *: that were loaded */
  GPtrArray *names;    /* char *: of these */
  GPtrArray *runs;     /* Run *: of later readings, whose names rows have */
  bool read;           /* the first reading has the run of the session */
  EventTables *wanted; /* what the stages' run is asked for: it has their names */
  EventTables *events; /* NULL: there are results */
  Sql *sql;
} QueryTables;

/* Inputs, text and args are the caller's to fill. */
void query_tables_init(QueryTables *t, const Cli *cli);
void query_tables_clear(QueryTables *t);
/* Opens a connection that has the tables. */
Error *query_tables_open(QueryTables *t);
/* What was odd in the inputs, on standard error: the rows are for programs, too. */
void query_tables_say_warnings(const QueryTables *t);
/* No output goes where the tables are read from. */
Error *query_tables_spare(const QueryTables *t, Output *o);

#endif
