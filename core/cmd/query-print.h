/* The rows of a query as they are printed, or given to sinks. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_QUERY_PRINT_H
#define CMD_QUERY_PRINT_H

#include "cmd/cli.h"
#include "results/results.h"
#include "sql/sql.h"

/* Names of the columns, of which no two are alike: "name", "name_2".  char * */
GPtrArray *query_columns(const SqlQuery *q);
/* {"columns": [...], "rows": [{...}]}, printed as rows come; *out_status: of printing. */
Error *query_print_json(SqlQuery *q, int *out_status);
/* All rows as the only table, "query", of results. */
Error *query_results(SqlQuery *q, Results **out);
/* As columns for people, or in the marks of Markdown. */
void query_put_text(Results *r, GString *out);
void query_put_markdown(Results *r, GString *out);

#endif
