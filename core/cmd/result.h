/* Running a profile over inputs and reporting what came out: shared by the commands that run
 * something. */
#ifndef CMD_RESULT_H
#define CMD_RESULT_H

#include "cmd/setup.h"

typedef struct RunRequest {
  const char *profile;
  const GPtrArray *words;   /* inputs */
  const char *output;       /* folder; NULL: made from the first input and the profile */
  const GPtrArray *formats; /* char *, or NULL */
  bool json;
  const char *const *next; /* commands to suggest, or NULL */
} RunRequest;

/* Runs it and prints the summary; the exit status. */
int result_run(const Cli *cli, const RunRequest *request);
const char *summary_name(bool json); /* the file that is printed */
/* A line each; in full: and what they mean. */
void result_put_warnings(const Run *run, bool in_full, GString *out);
/* The value, with a comma in whole thousands: 1,234 events · 3.1 s · peak 41 MiB */
void result_put_cost(const Run *run, GString *out);
void result_put_timings(const Run *run, GString *out);

#endif
