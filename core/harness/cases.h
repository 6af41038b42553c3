/* Cases of a module as text, each run in a process of its own: what crashes, ends or hangs there fails one case. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_CASES_H
#define HARNESS_CASES_H

#include <stagemill/types.h>

#include "case-file.h"

enum { CASE_LIMIT_S = 60 };

typedef struct CaseResult {
  char *said;         /* what is wrong with it, as lines; "": it passes */
  GArray *changes;    /* CaseChange; their texts are in `texts` */
  GPtrArray *texts;   /* char * */
  GPtrArray *seen;    /* char *: attributes that events had after it */
} CaseResult;

/* Runs it.  update: expectations that do not hold are no failure, but changes of the file. */
CaseResult *case_run(const MillModule *module, const CaseFile *f, const WrittenCase *c, bool update);
void case_result_free(CaseResult *r);
/* What the module declares and none of its cases shows, as lines; "": nothing.  seen: of all of them. */
char *cases_declared(const MillModule *module, const GPtrArray *seen);

#endif
