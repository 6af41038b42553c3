/* Parameters that profiles make options. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_OF_PROFILES_H
#define CMD_OF_PROFILES_H

#include "cmd/cli.h"

bool takes_options_of_profiles(const CliCommand *command);
/* Those that it has not itself, of all profiles that are found and of the one that is named: CliOption *, sorted. */
GPtrArray *options_of_profiles(const Cli *cli, const CliCommand *command);

#endif
