/* A folder that this run made for itself, and the only thing that it may remove.
 *
 * It is removed through the descriptor from its making: whatever its path names by then, nothing
 * else is touched. */
#ifndef OUTPUT_OWN_FOLDER_H
#define OUTPUT_OWN_FOLDER_H

#include <stdatomic.h>
#include <stdint.h>

#include "model/error.h"

typedef struct OwnFolder {
  char *path; /* NULL: there is none */
  int fd;
  uint64_t device, inode;
  atomic_bool ours; /* else it was never made, was removed, or is the user's by now */
} OwnFolder;

/* A new hidden folder beside `path`, on the same file system. */
Error *own_folder_make(OwnFolder *f, const char *path);
/* From here on it is the user's, or not any more.  False: it was not ours, somebody is removing it. */
bool own_folder_release(OwnFolder *f);
void own_folder_reclaim(OwnFolder *f);
/* With all in it, if it is ours.  Safe in a signal handler: takes no lock, allocates nothing. */
void own_folder_remove(OwnFolder *f);
void own_folder_clear(OwnFolder *f); /* removes nothing */

#endif
