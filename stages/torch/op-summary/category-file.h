/* Categories that a user gives operators by their names: a JSON list of {"name": PATTERN, "category": TEXT}. */
/* SPDX-License-Identifier: MIT */
#ifndef OP_SUMMARY_CATEGORY_FILE_H
#define OP_SUMMARY_CATEGORY_FILE_H

#include <stagemill/types.h>

#include "kit/state/symmap.h"

enum { MAX_RULES = 256 };

typedef struct CategoryFile {
  const MillHost *common;
  struct CategoryRule *rules;
  uint32_t n;
  SymMap known; /* by name; 0: none of the rules */
} CategoryFile;

/* Of the text of the file, or "" for none.  0, or what `open` returns. */
int category_file_read(const MillHost *, const char *text, CategoryFile *out);
void category_file_close(CategoryFile *);
/* Of the first rule whose pattern is in the name; 0: there is none. */
MillSym category_file_find(CategoryFile *, MillSym name);

#endif
