/* --verify found a broken claim; see verify.h. */
/* SPDX-License-Identifier: MIT */
#include "host/verify.h"

#include "plan/module.h"

void verify_broken(Instance *i, const char *id, const char *what, const MillEvent *e)
{
  if (i->broken) return;
  i->broken = true;
  const char *kind = module_kind_name(i->descriptor->kind);
  Error *error = error_new(EXIT_INTERNAL, "STG-70", "%s \"%s\" %s broke its contract: %s [%s]",
                           kind, i->id, i->descriptor->version, what, id);
  error_of_kind(error, ERROR_BROKEN_RULE);
  if (e)
    error_at(error, "event %" G_GUINT64_FORMAT " of %s", e->seq,
             i->lane ? i->lane->name : "the run");
  error_help(error, "report it to the author of the %s; without --verify the run would go on",
             kind);
  i->error = error_join(i->error, error);
}
