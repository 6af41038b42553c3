/* The sides of a comparison, as the command line names them: finished runs, or inputs that are run first. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_SIDES_H
#define CMD_SIDES_H

#include "cmd/setup.h"
#include "compare/side.h"

typedef struct Sides {
  CompareSide *list;
  guint n;
  GPtrArray *files; /* char *: the summaries that were read, or the inputs that were run */
} Sides;

/* The words of the command.  With -p each is an input, or several, run with that profile; else a finished run, its
 * summary.json, or a folder or pattern of them.  force: also of different profiles. */
Error *sides_open(const Cli *cli, const GPtrArray *words, bool force, Sides *out);
void sides_clear(Sides *s);
/* What commands with sides have after their own groups: -p and the options that a run can have, for a list of groups. */
#define SIDES_GROUPS \
  &group_profile, &group_edits, SIDES_RUN_GROUPS, &group_profiles, &group_modules, &group_common
/* Those that are of runs alone. */
#define SIDES_RUN_GROUPS &group_window, &group_of_profiles, &group_input, &group_limits
/* One that was given and is of runs alone; or NULL. */
const CliOption *sides_option_of_run(const Cli *cli);
/* Those of a run are refused where there is no -p. */
Error *sides_check_options(const Cli *cli);

#endif
