/* Traces as the sides of a comparison: why a step of one run is longer than one of another. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_COMPARE_TRACES_H
#define CMD_COMPARE_TRACES_H

#include "cmd/setup.h"

/* The words are traces of devices, or folders of them, and no finished runs; or they say base=PATH and new=PATH. */
bool traces_are_sides(const Cli *cli);
/* Compares them and prints what changed, with so many rows of each table (see RunRequest); the exit status. */
int traces_compare(const Cli *cli, int64_t rows);

#endif
