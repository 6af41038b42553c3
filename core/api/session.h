/* A run from its inputs to its results, one step after the other: of the program, and of the library (run.c). */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "plan/profile.h"
#include "sched/run.h"

typedef struct Session {
  Modules *modules;
  RunOptions options; /* its lists are the session's; without any format nothing is written */
  Run *run;           /* NULL until it is opened */
} Session;

/* Takes the modules; the options come without lists, and other texts in them are the caller's. */
void session_begin(Session *s, Modules *modules, const RunOptions *options);
void session_clear(Session *s);
/* What a profile (or its edits) says of sinks and sources: before inputs are opened. */
void session_use_edges(RunOptions *options, const Profile *profile);
/* Opens the inputs that inputs_expand found: takes the specs. */
Error *session_open(Session *s, GPtrArray *specs);
/* Takes the profile (resolved).  What the options say of formats and arguments until then counts. */
Error *session_plan(Session *s, Profile *profile);
Error *session_execute(Session *s);

#endif
