/* Finds the files that are part of the program; their table is generated. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/cli.h"

const Embedded *embedded_find(const char *name)
{
  for (const Embedded *f = embedded_files; f->name; f++)
    if (!strcmp(f->name, name)) return f;
  return NULL;
}
