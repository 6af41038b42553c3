/* The names in a folder, and what the ending of a file's name says. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* All names but . and .., sorted by their bytes; NULL with errno when not all of them can be read. */
GPtrArray *folder_names(const char *path);
typedef struct FolderEntry {
  const char *name; /* of the listing */
  char *path;
  int seen, why; /* by folder_look; errno */
  struct stat st;
} FolderEntry;

/* A folder as it was when it was first asked for: several look through it in turn. */
typedef struct FolderListing {
  char *path;       /* NULL: nobody asked yet */
  GPtrArray *names; /* as by folder_names */
  FolderEntry *entries;
} FolderListing;

/* The entries of that folder, listing->names->len of them; NULL with errno.  A listing is of one folder. */
const FolderEntry *folder_list(FolderListing *listing, const char *path);
void folder_listing_clear(FolderListing *listing);

/* What a name of a folder stands for: 1, 0 when it has vanished in between, -1 with errno when that cannot be
 * seen, as of a link to nothing. */
int folder_look(const char *path, struct stat *out);
/* To read whatever has that name: only a regular file is opened, and nothing is waited for.  -1: there is none. */
int folder_open_regular(const char *path, struct stat *out);

/* With those above it.  Those that were not there are put before the others of `made` (char *), the deepest first; also
 * when it fails (false, with errno). */
bool folder_make(const char *path, GPtrArray *made);
/* Removes those that are empty.  Safe in a signal handler. */
void folder_unmake(const GPtrArray *made);

/* Up to the ending that a compressor adds, .gz or .zst. */
size_t name_plain_len(const char *name);
/* out.json.gz becomes out-001.json.gz. */
char *name_of_part(const char *path, unsigned number);

#endif
