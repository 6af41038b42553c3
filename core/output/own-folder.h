/* A folder that this run made, and the only thing that it may remove.
 * It is removed through the descriptor from its making, so nothing else is touched, whatever its
 * path names by then. A marker inside is locked while the run lives. If the lock of a marked
 * folder is free, its run was killed, and the next run to the same output removes the folder. */
/* SPDX-License-Identifier: MIT */
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
  OWN_FOLDER_NOT_OURS, /* it was never made, is removed already, or holds something that must stay */
  OWN_FOLDER_OURS,
  OWN_FOLDER_REMOVING /* another thread or process is removing it, and a signal may have stopped that: all help */
};

/* Gives the user's own files back to `path` from the folder of a run that was killed while it
 * replaced that; false: some are left. */
typedef bool (*OwnFolderHeal)(const char *left, const char *path);
/* Makes a new hidden folder beside `path`, on the same file system. Removes those of runs that
 * were killed, after healing them if needed (heal NULL: those stay). made: see folder.h. */
Error *own_folder_make(OwnFolder *f, const char *path, OwnFolderHeal heal, GPtrArray *made);
/* From here on nobody removes it until it is reclaimed. False: it was not this run's, or it is
 * being removed. */
bool own_folder_release(OwnFolder *f);
void own_folder_reclaim(OwnFolder *f);
/* It will hold the user's own files: no later run removes it, even if this one is killed. */
void own_folder_unmark(const OwnFolder *f);
/* The same, but a later run can heal it. */
void own_folder_mark_replacing(const OwnFolder *f);
void own_folder_mark_replaced(const OwnFolder *f); /* the replacing is over: it may be removed */
/* With all in it, if it is this run's; false: something is left. Safe in a signal handler: takes
 * no lock, allocates nothing. */
bool own_folder_remove(OwnFolder *f);
void own_folder_clear(OwnFolder *f); /* removes nothing */

#endif
