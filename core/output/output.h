/* The output of a run: a folder that appears complete or not at all, or one file. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_OUTPUT_H
#define OUTPUT_OUTPUT_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#include "model/error.h"

typedef struct Output Output;

enum {
  OUTPUT_HEAD = -1,
  OUTPUT_TAIL = 1 << 30
}; /* positions of the run-level parts; lanes are 0, 1, ... */

/* A folder: refused if it holds anything but an earlier run of the same profile, unless force.
 * Writability and free space are checked now. Only the process that opened an output writes,
 * commits or removes anything: a child that a module forked ends at its first attempt. */
Error *output_folder(const char *path, const char *profile, bool force, Output **out);
/* Adds files to the run in that folder, all or none; its other files stay. Files that the run
 * wrote are replaced; with force also others. */
Error *output_more(const char *path, const char *profile, bool force, Output **out);
/* One file, for convert. An existing file needs force. A link stays, and its target is replaced.
 * "-" is standard output, which is written directly, as a pipe or a device is. */
Error *output_file(const char *path, bool force, Output **out);
Output *output_nowhere(void); /* throws away what is written */
/* Inputs are not replaced. Refused: an input that an earlier run wrote into the folder that will
 * be replaced. Other inputs are remembered until the names of all outputs are known. */
Error *output_spare(Output *o, const char *path);
void output_sync(
    Output *o); /* the output survives a crash of the machine, also if it replaces nothing */
const char *output_temp(
    const Output *o); /* folder for spills; that of the system if nothing is written */

/* The part of the named file at a position; parts of a file are joined in the order of
 * positions. Nothing (len 0): makes the file, and closes it until it is written once more. */
Error *output_write(Output *o, const char *name, int position, const char *join, const void *bytes,
                    size_t len);
/* The same for a sink, by its name, which must live on. An error: another sink, or the program,
 * writes the file. */
Error *output_write_of(Output *o, const char *sink, const char *name, int position,
                       const char *join, const void *bytes, size_t len);
/* A path for that file, which the sink writes by itself, as a whole: NULL if results are not
 * written. Refused if the output is written directly, or is kept to be printed. */
Error *output_place_of(Output *o, const char *sink, const char *name, const char **out_path);
/* After the call of the sink: the files that it got paths for must be there, and closed. */
Error *output_check_placed(Output *o, const char *sink);
/* No more parts at this position in any file. */
Error *output_end_position(Output *o, int position);
/* All lanes have ended: the turn of the tail. */
void output_begin_tail(Output *o);
/* Checks, closes, renames. */
Error *output_commit(Output *o);
/* Removes what was written; leaves a log of the error in PATH.failed if asked. Gives the error,
 * which may be NULL, with the place of the log and with what could not be removed. */
Error *output_abort(Output *o, Error *why, bool leave_log);
/* Removes what the output that was begun last has written but not put in place; no file is made
 * after it. Safe in a signal handler. NULL, or the folder that stays because it holds files that
 * were there before. */
const char *output_remove_after_crash(void);
void output_free(Output *o);

typedef struct OutputEntry {
  char *name;
  uint64_t size;
  char *sha256;
} OutputEntry;
void output_entry_free(OutputEntry *entry);
/* Before commit: closes all files and lists them for run.json. */
Error *output_seal(Output *o, GPtrArray **out_entries);
/* Keeps a copy of the named file in memory, so that it can be printed. Before the first write. */
void output_capture(Output *o, const char *name);
const char *output_captured(const Output *o, const char *name,
                            size_t *out_len); /* NULL: it was not written */
/* The names of the files of a result, sorted, ending in NULL; the caller frees the list. */
const char **output_names(const Output *o);
/* One more file after sealing; its bytes may come in several calls. */
Error *output_add(Output *o, const char *name, const char *text, size_t len);

#endif
