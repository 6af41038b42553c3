/* The arguments of a command line that results depend on: not where they go, nor how many threads make them. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_ARGUMENTS_H
#define CMD_ARGUMENTS_H

#include "cmd/cli.h"

/* char *, to unref: options by their long names, then words without their folders.  sink_set: "csv.option=value" of
 * sinks, which are left out. */
GPtrArray *arguments_of_results(const Cli *cli, const GPtrArray *sink_set);

#endif
