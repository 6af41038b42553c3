/* The hidden command of the completion scripts. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_COMPLETE_H
#define CMD_COMPLETE_H

#include "cmd/cli.h"

/* words: those typed, the last one perhaps in part. */
int complete(Cli *cli, int n, char **words);

#endif
