/* SHA-256 of files: as they are written, or read afterwards. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_FILE_SUM_H
#define INPUT_FILE_SUM_H

#include <stddef.h>
#include <stdint.h>

typedef struct FileSum FileSum; /* of what was written so far */

FileSum *file_sum_new(void);
void file_sum_free(FileSum *s);
void file_sum_see(void *file_sum, const void *bytes, size_t len);
uint64_t file_sum_bytes(const FileSum *s);
char *file_sum_end(FileSum *s); /* as text, for the caller to free; takes no bytes after that */

/* Of a file on disk; beyond `whole_up_to` bytes, of its size and both ends only. NULL, with
 * errno: it cannot be read. */
char *file_sum_of(const char *path, uint64_t whole_up_to);

#endif
