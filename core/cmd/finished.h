/* A folder of results where inputs are expected: it is shown as when the run ended. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_FINISHED_H
#define CMD_FINISHED_H

#include "cmd/result.h"

/* A folder that stagemill run wrote, with a summary.json. */
bool finished_is(const char *path);
/* Prints its summary; the exit status. */
int finished_show(const Cli *cli, const RunRequest *request, const char *folder);

#endif
