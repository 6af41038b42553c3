/* Where in an event a filter looks: a field, an attribute, or a member inside of one. */
/* SPDX-License-Identifier: MIT */
#ifndef FILTER_PATH_H
#define FILTER_PATH_H

#include <stagemill/types.h>

typedef enum FilterField { /* of the event itself */
                           FIELD_NONE,
                           FIELD_NAME,
                           FIELD_CAT,
                           FIELD_PHASE,
                           FIELD_PROCESS,
                           FIELD_THREAD
} FilterField;

typedef struct FilterPath {
  FilterField field;
  MillSym attr;      /* where there is no field */
  const char *inner; /* the path inside of the attribute: "a.b"; "" for all of it */
} FilterPath;

/* `path` must outlive what is opened. */
void path_open(FilterPath *, const MillHost *common, const char *path);
/* From a JSON value to a member of it; texts lose their quotes.  False when it is not there, null, or an object. */
bool path_walk(const char *inner, const char **io_text, size_t *io_len);

#endif
