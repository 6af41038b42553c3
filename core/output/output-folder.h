/* Folders of results on disk: what is in them, how one replaces another. */
#ifndef OUTPUT_OUTPUT_FOLDER_H
#define OUTPUT_OUTPUT_FOLDER_H

#include <glib.h>

#include "model/error.h"

/* Refused: not a folder; or not empty and not an earlier run of that profile, unless force. */
Error *folder_check(const char *path, const char *profile, bool force);
/* Refused: a folder that no other one can replace, because it is a mount point or holds what this user may not move. */
Error *folder_check_place(const char *path);
/* Refused: an input that the earlier run in this folder wrote, since it goes with that run. */
Error *folder_check_input(const char *path, const char *input);
/* True when it holds things that no run of ours wrote: then only our files are moved in. */
bool folder_is_foreign(const char *path);
/* The files that the run in this folder wrote, as its run.json says, and that itself: a set, see base/trees.h. */
GTree *folder_files(const char *path);
bool folder_is_filled(const char *path);
/* Refused: a file of that name is there that no earlier run wrote, unless force; a folder is in its way. */
Error *folder_check_names(const char *path, const GPtrArray *names, bool force);

typedef struct FolderSwap {
  const char *from, *to;
  char *old; /* where the replaced folder is, as long as it is; the caller frees it */
  bool replaces, force;
} FolderSwap;
/* Puts the new folder in place of what is there, if that is what `replaces` says. */
Error *folder_swap(FolderSwap *s);
/* Then: moves what is of the user from the old folder to the new one, and removes the rest. */
Error *folder_carry_over(FolderSwap *s);
/* The same in the place of a run that was killed: `left` is what its swap was made in. */
bool folder_heal(const char *left, const char *final);
void folder_leave_log(const char *final,
                      Error *why); /* FINAL.failed/log.txt, which the error names then */

#endif
