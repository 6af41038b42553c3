/* The names in a folder. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <glib.h>

/* All names but . and .., sorted by their bytes; NULL with errno when it cannot be read. */
GPtrArray *folder_names(const char *path);

#endif
