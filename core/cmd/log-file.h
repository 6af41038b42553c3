/* The file of --log-file. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_LOG_FILE_H
#define CMD_LOG_FILE_H

#include <stdio.h>

#include "cmd/cli.h"

/* Appends to it.  Refused, before anything is written: what the command reads or writes anyway. */
Error *log_file_open(const Cli *cli, const char *path, FILE **out);
/* The last act of a command: its status, or EXIT_OUTPUT when it was done and the log is not complete. */
int log_file_end(const Cli *cli, FILE *file, int status);

#endif
