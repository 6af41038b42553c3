/* Running a profile over inputs and reporting what came out: shared by the commands that run
 * something. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_RESULT_H
#define CMD_RESULT_H

#include "cmd/setup.h"

typedef struct RunRequest {
  const char *profile;    /* NULL: the one that fits the inputs best; written only with `output` */
  const GPtrArray *words; /* inputs */
  const char *output;     /* folder; NULL: made from the first input and the profile */
  const GPtrArray *formats; /* char *, or NULL */
  const GPtrArray *settings; /* char *: as of --set; or NULL */
  bool is_shown_only; /* without `output` nothing is written */
  bool json;
  bool pass_missing; /* nobody asked for these formats: those that cannot be written are left out */
  int64_t rows;      /* of each table on the screen; 0: those that matter, -1: all */
} RunRequest;

/* Runs it and prints the summary; the exit status. */
int result_run(const Cli *cli, const RunRequest *request);
/* From the first one on: with what to do; in full: and what they mean. */
void result_put_warnings(const MillResults *r, uint32_t first, bool in_full, GString *out);
/* The value, with a comma in whole thousands: 1,234 events · 3.1 s · peak 41 MiB */
void result_put_cost(const Run *run, GString *out);
/* wrote DIR/   run.json  summary.json  tables/ (6) */
void result_put_written(const char *folder, const Output *output, GString *out);
void result_put_timings(const Run *run, GString *out);

#endif
