/* Running profiles from a program of your own: libstagemill.
 *
 *   MillRunOptions options = { .size = sizeof options, .profile = "kernels" };
 *   MillRun *run = mill_run_new(&options);
 *   const char *inputs[] = { "rank0.json" };
 *   int status = mill_run_open(run, inputs, 1);
 *   if (!status) status = mill_run_plan(run);
 *   if (!status) status = mill_run_execute(run);
 *   if (status) fprintf(stderr, "%s", mill_run_error(run));
 *   else        read(mill_run_results(run));   // tables, metrics and notices, see sink.h
 *   mill_run_free(run);
 *
 * Link with what pkg-config says of stagemill-engine-1; docs/use-as-a-library.md has a whole program.
 * Modules and profiles are found as the program finds them: in the folders that you name, in those of
 * STAGEMILL_STAGE_PATH and STAGEMILL_PROFILE_PATH, in those of the user, and where stagemill is installed.
 *
 * Each call returns 0, or a status with the meaning that it has for the program (2 to 8, 70, 130); the run then has no
 * next step, and mill_run_error says what was wrong.  One thread calls the steps; progress and cancel are for any.
 * A process has one run at a time: free it before you make the next.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_RUN_H
#define STAGEMILL_RUN_H

#include <stagemill/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {                          /* MillRunOptions.flags, as the program's options of that name */
  MILL_RUN_STRICT = 1 << 0,     /* a warning is an error, after everything was written */
  MILL_RUN_RECOVER = 1 << 1,    /* reads damaged inputs as far as they go */
  MILL_RUN_KEEP_GOING = 1 << 2, /* an input that fails does not end the run; its status comes at the end */
  MILL_RUN_VERIFY = 1 << 3,     /* checks every rule that modules have to keep */
  MILL_RUN_FORCE = 1 << 4       /* replaces an output that is there */
};

enum { MILL_RUN_CANCELLED = 130 }; /* the status after mill_run_cancel */

/* Set `size` and `profile`; all else may be 0.  Texts are copied. */
typedef struct MillRunOptions {
  uint32_t size;
  uint32_t flags;
  const char *profile;       /* its name, or the path of its file */
  MillList settings;         /* "stage.option=value", "parameter=value", "format.option=value": as --set */
  MillList module_folders;   /* before all others, as --stage-path */
  MillList profile_folders;  /* the same, as --profile-path */
  const char *output;        /* a folder for files; NULL: results are in memory only */
  MillList formats;          /* what is written there; empty: what the profile says */
  uint32_t jobs;             /* threads; 0: as many as there are processors */
  uint64_t max_memory_bytes; /* that may be held; 0: a share of the machine's */
} MillRunOptions;

/* A run that only mill_run_free ends. */
typedef struct MillRun MillRun;

MillRun *mill_run_new(const MillRunOptions *options);

/* 1. Loads the profile, and opens and looks at the inputs: files, folders, patterns ('rank*.json'), lists (@FILE),
 * with a label (base=PATH) or tags, as the program takes them.  None: those that the profile names. */
int mill_run_open(MillRun *run, const char *const *inputs, uint32_t n);
/* 2. Which stages run on which input; fails where the profile does not fit them. */
int mill_run_plan(MillRun *run);
/* 3. Reads the inputs, and writes the output, all of it or nothing. */
int mill_run_execute(MillRun *run);

/* After 3, until the run is freed; also after a status of MILL_RUN_STRICT or MILL_RUN_KEEP_GOING.  NULL: there are
 * none. */
const MillResults *mill_run_results(const MillRun *run);
/* The rank of a lane (MillMetricResult.lane); -1: it has none, or there is no such lane. */
int64_t mill_run_rank(const MillRun *run, uint32_t lane);
/* A value as `stagemill metric` prints it, exactly; "" where there is none.  False: `size` is too small. */
bool mill_run_value_text(const MillValue *value, char *out, size_t size);

/* Once the inputs are open: their bytes on disk, read so far, and all of them (0: not known). */
void mill_run_progress(const MillRun *run, uint64_t *out_done, uint64_t *out_size);
/* The run ends with MILL_RUN_CANCELLED and leaves no output: soon while it reads, and else with the step at hand or at
 * the next one.  An input that is a silent pipe is waited for.  Safe in a signal handler. */
void mill_run_cancel(MillRun *run);
/* What the last step that failed said, as the program prints it: lines of text; "" if none did. */
const char *mill_run_error(const MillRun *run);
void mill_run_free(MillRun *run); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
