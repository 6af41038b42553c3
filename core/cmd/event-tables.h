/* Events as tables for SQL: slices, counters, instants, flows and records, read as they are asked for. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_EVENT_TABLES_H
#define CMD_EVENT_TABLES_H

#include "sched/run.h"
#include "sql/sql.h"

/* Before the first column of an attribute in its name, where SQL has arg('NAME'). */
#define EVENT_ARG "arg:"

typedef struct EventTables EventTables;

typedef struct EventSource { /* where readings have their events from */
  Error *(*run)(void *context, Run **out); /* a planned run, which reads them once; or one that ran, and kept them */
  Error *(*stopped)(void *context);        /* asked now and then: why to end, or NULL */
  void *context;
  uint64_t n_rows; /* about, of all tables */
} EventSource;

/* args: char *, names of attributes that SQL asks for by arg(); more: char *, those that stages computed, as columns. */
EventTables *event_tables_new(const EventSource *source, const GPtrArray *args, const GPtrArray *more);
void event_tables_free(EventTables *t); /* after the connection, and the runs */
Error *event_tables_add(EventTables *t, Sql *sql);
/* Why a table failed; the caller's. */
Error *event_tables_take_error(EventTables *t);
uint32_t event_tables_readings(const EventTables *t);
/* What a run has to decode before it runs stages, of every attribute if `all`. */
void event_tables_read_all(const EventTables *t, Plan *plan, bool all);

#endif
