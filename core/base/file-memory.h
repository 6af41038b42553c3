/* Memory that lies in a temporary file: what is not looked at need not be in memory, and nothing is lost. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_FILE_MEMORY_H
#define BASE_FILE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FileMemory FileMemory;

/* The file is made in that folder when the first bytes are asked for. */
FileMemory *file_memory_new(const char *folder);
void file_memory_free(FileMemory *m); /* and all that was taken from it */
/* Zeroed, aligned for any type, until file_memory_free.  NULL: there is no room on the disk, or this is a child of
 * the process that made it. */
void *file_memory_take(FileMemory *m, size_t bytes);
/* What lies at that address is about to be read or written; now and then all else leaves the memory of the process.
 * NULL: nothing is there. */
void file_memory_touch(FileMemory *m, const void *at);
/* As memcpy, of what is too large to be in memory at once. */
void file_memory_copy(FileMemory *m, void *to, const void *from, size_t bytes);
uint64_t file_memory_bytes(const FileMemory *m); /* of the file; NULL has none */
/* For the handler of SIGBUS, which a failing disk raises: whether the address lies in any of them. */
bool file_memory_holds(const void *address);

#endif
