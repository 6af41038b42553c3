/* The names in a folder, and what the ending of a file's name says. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <glib.h>
#include <stddef.h>

/* All names but . and .., sorted by their bytes; NULL with errno when it cannot be read. */
GPtrArray *folder_names(const char *path);

/* Up to the ending that a compressor adds, .gz or .zst. */
size_t name_plain_len(const char *name);
/* out.json.gz becomes out-001.json.gz. */
char *name_of_part(const char *path, unsigned number);

#endif
