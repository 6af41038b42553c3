/* From options to what the engine takes: modules, profile, run. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_SETUP_H
#define CMD_SETUP_H

#include "api/session.h"
#include "cmd/cli.h"

Modules *setup_modules(const Cli *cli);
/* Frees them.  The status of the command: not 0 when one could not be looked at, which is said then. */
int setup_modules_end(const Cli *cli, Modules *modules, int status);
/* Borrowed texts: valid as long as cli. */
ProfileSearch setup_search(const Cli *cli);
GPtrArray *setup_profiles(const Cli *cli, Error **out_unseen); /* as profile_list */
/* Loads and resolves the profile, or a stage alone that is called so, with the edits of the command line and its window options.
 * enable: more stages to enable, with commas between, or NULL.  settings: "stage.option=value", before those of the
 * command line, or NULL.  What concerns sinks and sources goes to the options (may be NULL). */
Error *setup_profile(const Cli *cli, Modules *modules, const char *name, const char *enable,
                     const GPtrArray *settings, RunOptions *options, Profile **out);
/* The same of one that was loaded, which it takes. */
Error *setup_loaded(const Cli *cli, Modules *modules, Profile *loaded, const char *enable,
                    const GPtrArray *settings, RunOptions *options, Profile **out);
uint32_t setup_jobs(const Cli *cli);
int64_t setup_timeout_s(const Cli *cli); /* 0: none */
/* What --set says of sources, where inputs are opened before a profile is chosen. */
Error *setup_sources(const Cli *cli, Modules *modules, RunOptions *options);

/* What --set says of these formats, where no profile runs; out: char *, of cli. */
Error *setup_sinks(const Cli *cli, const GPtrArray *formats, GPtrArray *out);

/* The run of a command; see session.h. */
void session_init(const Cli *cli, Session *s);
/* session_open for words: to look at inputs without running anything. */
Error *session_open_words(Session *s, const GPtrArray *words);
/* Plans and executes what was opened, with progress, and with signals that end it.  Takes the profile. */
Error *session_run(const Cli *cli, Session *s, Profile *profile);
/* All of it, where the profile is known before the inputs.  Takes both. */
Error *session_run_specs(const Cli *cli, Session *s, GPtrArray *specs, Profile *profile);

#endif
