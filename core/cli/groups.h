/* Groups of options that several commands share. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include "cli/cli.h"

extern const CliGroup group_common;   /* every command */
extern const CliGroup group_modules;  /* where stages are looked for */
extern const CliGroup group_profiles; /* where profiles are looked for */
extern const CliGroup group_profile;  /* -p */
extern const CliGroup group_edits;    /* --set and the like */
extern const CliGroup group_input, group_window, group_limits, group_engine;
extern const CliGroup group_json; /* --json alone */

#define GROUP(title, rows)                        \
  {                                               \
    title, rows, sizeof(rows) / sizeof((rows)[0]) \
  }

#endif
