/* Folders of results on disk: temporary siblings, renames, removal, hashes. */
#ifndef OUTPUT_OUTPUT_FOLDER_H
#define OUTPUT_OUTPUT_FOLDER_H

#include <stdint.h>

#include "model/error.h"

typedef enum { OUTPUT_FOLDER, OUTPUT_FILE, OUTPUT_STDOUT, OUTPUT_NOWHERE } OutputKind;

/* Refused: not a folder; or not empty and not an earlier run of that profile, unless force. */
Error *folder_check(const char *path, const char *profile, bool force);
/* True when it holds things that no run of ours wrote: then only our files are moved in. */
bool folder_is_foreign(const char *path);
Error *folder_replace(const char *temp, const char *final);
void folder_leave_log(const char *final, const char *log); /* FINAL.failed/log.txt */
/* SHA-256 of the file, or, when larger than whole_up_to, of its size and both ends; NULL if it cannot be read. */
char *folder_hash_file(const char *path, uint64_t whole_up_to);

#endif
