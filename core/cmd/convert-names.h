/* Names of the files that convert writes: {rank} and other tags in braces. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_CONVERT_NAMES_H
#define CMD_CONVERT_NAMES_H

#include "base/name-pattern.h"
#include "cmd/cli.h"
#include "sched/run.h"

/* An error of usage, or *out to free. */
Error *names_read(const Cli *cli, const char *output, NamePattern **out);
/* The part of the name that is the folder: up to the slash before the first component with a tag. */
size_t names_folder_len(const char *output);
/* Once the inputs are known: all names that may be written (char *), each once; those of a stream merged of all, too. */
Error *names_of_run(const Cli *cli, const NamePattern *p, const Run *run, GPtrArray **out);

#endif
