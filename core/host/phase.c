/* What an instance may ask in the call it is in; see phase.h. */
/* SPDX-License-Identifier: MIT */
#include "host/phase.h"

#include "host/verify.h"
#include "plan/module.h"

static const char *phase_name(uint32_t phase)
{
  static const char *const names[] = {
    "open",
    "open (run level)",
    "observe",
    "decide",
    "process or flush",
    "a save_ call",
    "a merge_ call",
    "a report",
    "decide_run",
    "load_decision",
    "close",
    "expand",
    "describe",
    "start",
    "next or parse",
    "fork",
    "parse in a fork",
    "begin_run",
    "write or finish",
    "results or finish_run",
  };
  for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++)
    if (phase == 1u << i) return names[i];
  return "no call at all";
}

static void refuse(Instance *i, const char *call, const char *where)
{
  const char *kind = module_kind_name(i->descriptor->kind);
  if (i->error) return; /* the first one says enough, and there may be millions */
  i->error =
      error_new(EXIT_INTERNAL, "STG-70", "%s \"%s\" %s asked for %s in %s, where it is not allowed",
                kind, i->id, i->descriptor->version, call, where);
  error_of_kind(i->error, ERROR_BROKEN_RULE);
  error_help(i->error, "report it to the author; the table is in stagemill/%s.h", kind);
}

bool phase_allows(Instance *i, uint32_t phases, const char *call)
{
  if (i->phase & phases) {
    if (!i->env->verify || pthread_equal(i->thread, pthread_self())) return true;
    verify_broken(i, "wrong-thread", "asked from a thread that is not in a call of it", NULL);
    return false;
  }
  refuse(i, call, phase_name(i->phase));
  return false;
}
