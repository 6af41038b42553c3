/* Folders of results on disk: what is in them, and how one replaces another. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_OUTPUT_FOLDER_H
#define OUTPUT_OUTPUT_FOLDER_H

#include <glib.h>

#include "model/error.h"

/* Refuses what is not a folder; and a folder that is neither empty nor an earlier run of that
 * profile, unless force. */
Error *folder_check(const char *path, const char *profile, bool force);
/* Refuses a folder that cannot be replaced, because it is a mount point or holds something that
 * this user may not move. */
Error *folder_check_place(const char *path);
/* Refuses an input that the earlier run in this folder wrote, because it is removed with that
 * run. */
Error *folder_check_input(const char *path, const char *input);
/* True if it holds things that no run wrote: then only the new files are moved in. */
bool folder_is_foreign(const char *path);
/* The files that the run in this folder wrote, according to its run.json, and run.json itself: a
 * set, see base/trees.h. */
GTree *folder_files(const char *path);
bool folder_is_filled(const char *path);
/* Refuses names of existing files that no earlier run wrote, unless force; and names below which
 * a folder is in the way. */
Error *folder_check_names(const char *path, const GPtrArray *names, bool force);

typedef struct FolderSwap {
  const char *from, *to;
  char *old; /* the place of the replaced folder, while it exists; the caller frees it */
  bool replaces, force;
} FolderSwap;
/* Puts the new folder in place of the old one, if `replaces` names what is there. */
Error *folder_swap(FolderSwap *s);
/* After that: moves the user's own files from the old folder to the new one, and removes the
 * rest. */
Error *folder_carry_over(FolderSwap *s);
/* The same after a run that was killed: `left` is the folder in which it was swapping. */
bool folder_heal(const char *left, const char *final);
void folder_leave_log(const char *final,
                      Error *why); /* FINAL.failed/log.txt, which the error names then */

#endif
