/* Finding, checking and loading modules (stages, sources, sinks). A module is code with the user's
 * rights: only folders and files that nobody else can write are trusted. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULES_H
#define PLAN_MODULES_H

#include <glib.h>

#include "model/error.h"
#include "plan/module.h"
#include "plan/paths.h"

typedef struct Modules Modules;

/* NULL: no folder is looked at, not even that of the program. */
Modules *modules_new(const ModuleSearch *search);
void modules_free(Modules *m); /* never unloads */
/* A module that is in memory, checked like one from a file; the first of its name and kind counts.
 * origin: a static text. */
Error *modules_add(Modules *m, const MillModule *module, const char *origin);
/* Loads only NAME.so.  kind 0: any.  `name` may be "source/chrome-json".  NULL with an error:
 * not found (did you mean), refused (why, also of any path that the command line names), or ambiguous. */
const Module *modules_find(Modules *m, uint32_t kind, const char *name, Error **out_error);
/* For people who look, not for runs: what the name would be if the modules before it were not refused, each of which is
 * an error in *out_refused; NULL: there is none (then *out_refused says why, if one was refused), or the first one of
 * the name is fine. */
const Module *modules_behind(Modules *m, const char *name, Error **out_refused);
/* Opens everything found, sorted by name; elements are const Module *, owned by m.  These three
 * arrays are the caller's to unref. */
GPtrArray *modules_all(Modules *m, uint32_t kind);
/* The same one by one, opened only when asked for: all names (char *, sorted), and the module of
 * that kind and name, or NULL. */
GPtrArray *modules_names(Modules *m);
const Module *modules_get(Modules *m, uint32_t kind, const char *name);
/* Of all sinks those with one of these flags (0: any) and that format (NULL: any), by name. Only they are opened,
 * and those whose file does not tell. */
GPtrArray *modules_sinks(Modules *m, uint32_t flags, const char *format);
/* A file of the program in one of the folders that were looked at, as "rooms/sql.so"; *out_path is to be freed. */
Error *modules_part(const Modules *m, const char *name, char **out_path);
/* What was refused so far: elements are const Error *. */
GPtrArray *modules_refused(Modules *m);
/* The first of them that the command line names, or that the system did not let us look at, as when it has no more files
 * to open; NULL: there is none.
 * What was listed or chosen without it may be wrong. */
Error *modules_unseen(Modules *m);
/* The folders looked at, in order: SearchFolder. */
const GPtrArray *modules_folders(const Modules *m);

/* The file that this thread is loading, for crash reports: the loader trusts what it finds in it; NULL when none. */
extern _Thread_local const char *modules_loading;

#endif
