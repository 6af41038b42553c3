/* Figures of a finished run on the terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_PREVIEW_H
#define CMD_PREVIEW_H

#include "cmd/cli.h"
#include "plan/modules.h"

typedef struct PreviewJob {
  const Cli *cli;
  Modules *modules;
  const char *folder; /* of the run */
  const char *figure; /* NULL: all that it has */
} PreviewJob;

/* In the size of the screen; nothing is written.  EXIT_USAGE: there is no such figure; EXIT_INPUT: there are none. */
Error *preview_figures(const PreviewJob *job, GString *out);
/* Names of the figures of a run: char *, to unref; none where it cannot be read. */
GPtrArray *preview_names(const char *folder);

#endif
