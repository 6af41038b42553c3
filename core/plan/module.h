/* One module that was loaded: its descriptor and where it came from; and the words for kinds and names. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_H
#define PLAN_MODULE_H

#include <glib.h>

#include "model/descriptor.h"

typedef struct Module {
  const Descriptor *stage;
  const MillModule *own; /* as its author wrote it */
  const char *vendor, *licence;
  uint32_t abi;
  char *path;         /* "": it is in memory */
  const char *origin; /* "--stage-path", "environment", "user", "installed", or of modules_add */
  char *shadows;      /* path of the one it hides, or NULL */
} Module;

void module_free(Module *m); /* the shared object stays mapped */

const char *module_kind_name(uint32_t kind); /* "stage", "source", "sink" */
/* Of "source/chrome-json": the kind, and *io_name is what follows; 0 when the name says none. */
uint32_t module_split_kind(const char **io_name);
const char *module_scope_name(uint32_t scope); /* "event", "lane", "run", "whole" */
/* Lower-case words of letters and digits, joined by `joint`, the first beginning with a letter. */
bool module_is_joined(const char *text, char joint);
bool module_is_kebab(const char *text); /* "two-words" */
bool module_is_name(const char *text);  /* the same with a vendor's prefix: "acme.heat" */

#endif
