/* Which metric a word of the command line means, and its values printed. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_METRIC_H
#define CMD_METRIC_H

#include "cmd/setup.h"

/* What was asked for: "ID_NAME.STAT", where ID and STAT may be missing. */
typedef struct Wanted {
  char *id;                     /* of the stage in the profile; NULL: the stage's own name */
  char *word;                   /* the metric as it was typed */
  char *name;                   /* as results call it */
  char *stat;                   /* NULL: the metric is its own value */
  const Module *module, *rival; /* rival: another one declares it, too */
  const Descriptor *stage;
  const MillMetric *metric;
  bool extra_stat; /* the stage must be asked to report it */
} Wanted;

Error *metric_find(const Cli *cli, Modules *modules, const char *word, Wanted *out);
void wanted_clear(Wanted *w);
/* Names of all metrics that stages declare, alone and with their statistics; ends in NULL. */
GPtrArray *metric_words(Modules *modules);
bool metric_lists(const char *list, const char *word); /* "a,b" or NULL: statistics, aliases */
/* The id of the stage that gives it, as profiles call it. */
const char *wanted_id(const Wanted *w);

/* Values go to standard output, reasons for missing ones to standard error; the exit status. */
int metric_print(const Cli *cli, const Run *run, const Wanted *w);
void metric_say_warnings(const Cli *cli, const Run *run);
/* The words of the command are inputs, or a folder of finished results: prints what rules find in them; the exit status. */
int metric_findings(const Cli *cli, Session *s);

#endif
