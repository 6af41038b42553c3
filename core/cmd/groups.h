/* Groups of options, and of exit statuses, that several commands share. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_GROUPS_H
#define CMD_GROUPS_H

#include "cmd/cli.h"

extern const CliGroup group_common;   /* every command */
extern const CliGroup group_modules;  /* where stages are looked for */
extern const CliGroup group_profiles; /* where profiles are looked for */
extern const CliGroup group_profile;  /* -p */
extern const CliGroup group_edits;    /* --set and the like */
extern const CliGroup group_input, group_of_profiles, group_window, group_limits, group_engine;
extern const CliGroup group_json; /* --json alone */

#define GROUP(title, rows)                        \
  {                                               \
    title, rows, sizeof(rows) / sizeof((rows)[0]) \
  }

extern const int statuses_of_run[];     /* of commands that read inputs to their end */
extern const int statuses_of_text[];    /* of commands that only print */
extern const int statuses_of_modules[]; /* of those that look at every module */

#endif
