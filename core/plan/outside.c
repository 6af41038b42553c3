/* Modules that are not of this program; see outside.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/outside.h"

#include <stdatomic.h>
#include <string.h>

static OutsideModule modules[OUTSIDE_MOST];
static atomic_uint n_begun, n_ready;

bool outside_is(const char *vendor) { return strcmp(vendor, "stagemill") != 0; }

/* They stay mapped until the process ends, and so do these texts. */
void outside_add(const Module *m)
{
  if (!*m->path || !outside_is(m->vendor)) return;
  unsigned index = atomic_fetch_add(&n_begun, 1);
  if (index >= OUTSIDE_MOST) return;
  modules[index] =
      (OutsideModule){ g_strdup(m->stage->name), g_strdup(m->stage->version), g_strdup(m->path) };
  while (atomic_load(&n_ready) != index) continue; /* one thread loads modules, nearly always */
  atomic_store(&n_ready, index + 1);
}

const OutsideModule *outside_at(unsigned index)
{
  return index < atomic_load(&n_ready) ? &modules[index] : NULL;
}
