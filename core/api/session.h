/* A run step by step, from its inputs to its results, for the program and for the library
 * (run.c). */
/* SPDX-License-Identifier: MIT */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "plan/profile.h"
#include "sched/run.h"

typedef struct Session {
  Modules *modules;
  RunOptions options; /* the session owns its lists; without a format nothing is written */
  Run *run;           /* NULL until it is opened */
} Session;

/* Takes the modules. The lists of the options must be empty; their other texts stay the
 * caller's. */
void session_begin(Session *s, Modules *modules, const RunOptions *options);
void session_clear(Session *s);
/* Settings of sinks and sources in the profile (or its edits); to be used before inputs are
 * opened. */
void session_use_edges(RunOptions *options, const Profile *profile);
/* Opens the inputs that inputs_expand found: takes the specs. */
Error *session_open(Session *s, GPtrArray *specs);
/* Takes the profile (resolved). Formats and arguments may be added to the options until then. */
Error *session_plan(Session *s, Profile *profile);
Error *session_execute(Session *s);

#endif
