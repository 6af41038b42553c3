/* A result in two lines: the file to open, and what was found first. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_FIRST_LINES_H
#define CMD_FIRST_LINES_H

#include "output/output.h"
#include "results/results.h"

/* summary: as printed; its headlines end with its second empty line. */
void first_lines_put(const char *folder, const Output *written, const MillResults *r,
                     const char *summary, GString *out);

#endif
