/* Where results go: a folder that appears complete or not at all, or one file. */
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

/* A folder: refused when it holds anything but a previous run of the same profile, unless force.
 * Writability and free space are checked now.  Only the process that opened an output writes, commits or removes
 * anything: a child that a module forked ends at the first attempt. */
Error *output_folder(const char *path, const char *profile, bool force, Output **out);
/* More files for the run in that folder, which has them all or none: what else is in it stays.  Those that the run
 * wrote are replaced; with force any of these names. */
Error *output_more(const char *path, const char *profile, bool force, Output **out);
/* One file, for convert: existing ones need force; a link stays, and the file that it leads to is replaced.  "-" is
 * standard output, which is written as it comes, as a pipe or a device is. */
Error *output_file(const char *path, bool force, Output **out);
Output *output_nowhere(void); /* writes are thrown away */
/* What is read is not replaced.  Refused: what an earlier run wrote into the folder that will be replaced; the rest is
 * remembered until the names of all outputs are known. */
Error *output_spare(Output *o, const char *path);
void output_sync(Output *o); /* also what replaces nothing survives a crash of the machine */
const char *output_temp(
    const Output *o); /* folder for spills; the system's where nothing is written */

/* The part of the named file at a position; parts of one file are joined in order of their positions.
 * Nothing (len 0): the file is there, and holds no open file until it is written again. */
Error *output_write(Output *o, const char *name, int position, const char *join, const void *bytes,
                    size_t len);
/* The same for a sink, by its name, which lives on: two of them, or one and the program, in one file are an error. */
Error *output_write_of(Output *o, const char *sink, const char *name, int position,
                       const char *join, const void *bytes, size_t len);
/* A path for that file, which the sink writes by itself, whole: NULL when results go nowhere.  Refused for what is
 * written as it comes, or is kept to be printed. */
Error *output_place_of(Output *o, const char *sink, const char *name, const char **out_path);
/* The call of the sink is over: the files that it got paths for are there, and closed. */
Error *output_check_placed(Output *o, const char *sink);
/* No more parts at this position in any file. */
Error *output_end_position(Output *o, int position);
/* All lanes are through: the tail's turn. */
void output_begin_tail(Output *o);
/* Checks, closes, renames. */
Error *output_commit(Output *o);
/* Removes what was written; a log of why is left in PATH.failed where that is wanted.  The error, which may be NULL, with
 * where the log is, and joined by what could not be removed. */
Error *output_abort(Output *o, Error *why, bool leave_log);
/* What the output that was begun last wrote so far and nobody was given; no file is made after it.  Safe in a signal
 * handler.  NULL, or the folder that is left since files are in it that were there before. */
const char *output_remove_after_crash(void);
void output_free(Output *o);

typedef struct OutputEntry {
  char *name;
  uint64_t size;
  char *sha256;
} OutputEntry;
void output_entry_free(OutputEntry *entry);
/* Before commit: closes all files and lists them, so that run.json can name them. */
Error *output_seal(Output *o, GPtrArray **out_entries);
/* Keeps a copy of the named file in memory too, so that it can be printed.  Before the first write. */
void output_capture(Output *o, const char *name);
const char *output_captured(const Output *o, const char *name,
                            size_t *out_len); /* NULL: was not written */
/* The files of a result, sorted, ending in NULL; the caller frees the list. */
const char **output_names(const Output *o);
/* One more file after seal; its bytes may come in several calls. */
Error *output_add(Output *o, const char *name, const char *text, size_t len);

#endif
