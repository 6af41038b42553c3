/* A folder that this run made for itself, and the only thing that it may remove.
 *
 * It is removed through the descriptor from its making: whatever its path names by then, nothing
 * else is touched.  A marker inside is locked as long as the run lives: a marked folder whose lock can
 * be had was left behind by a run that was killed, and the next one to the same output removes it. */
#ifndef OUTPUT_OWN_FOLDER_H
#define OUTPUT_OWN_FOLDER_H

#include <stdatomic.h>
#include <stdint.h>

#include "model/error.h"

typedef struct OwnFolder {
  char *path; /* NULL: there is none */
  int fd, marker;
  uint64_t device, inode;
  atomic_int state;
} OwnFolder;

enum {
  OWN_FOLDER_NOT_OURS, /* it was never made, was removed, or holds what may not be removed */
  OWN_FOLDER_OURS,
  OWN_FOLDER_REMOVING /* by somebody whom a signal may have stopped in the middle of it: all help */
};

/* Gives back to `path` what is of the user in a folder whose run was killed while it replaced that; false: not all. */
typedef bool (*OwnFolderHeal)(const char *left, const char *path);
/* A new hidden folder beside `path`, on the same file system; those of runs that were killed go, healed where that is
 * needed (NULL: those stay).  made: see folder.h. */
Error *own_folder_make(OwnFolder *f, const char *path, OwnFolderHeal heal, GPtrArray *made);
/* From here on nobody removes it until it is reclaimed.  False: it was not ours, somebody is removing it. */
bool own_folder_release(OwnFolder *f);
void own_folder_reclaim(OwnFolder *f);
/* It will hold things of the user: no later run removes it, even when this one is killed. */
void own_folder_unmark(const OwnFolder *f);
/* The same, but a later run can heal it. */
void own_folder_mark_replacing(const OwnFolder *f);
void own_folder_mark_replaced(const OwnFolder *f); /* that is over: it may go as it is */
/* With all in it, if it is ours; false: something of it is left.  Safe in a signal handler: takes no lock, allocates
 * nothing. */
bool own_folder_remove(OwnFolder *f);
void own_folder_clear(OwnFolder *f); /* removes nothing */

#endif
