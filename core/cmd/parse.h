/* Command lines read by the tables of commands and options. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_PARSE_H
#define CMD_PARSE_H

#include "cmd/cli.h"

const CliCommand *cli_find_command(const Cli *cli, const char *name);
/* An unknown command, with the usage line of the program. */
Error *cli_unknown_command(const Cli *cli, const char *word);
/* Fills cli->values and cli->words; the error is one of usage. */
Error *cli_parse(Cli *cli, int argc, char **argv);

#endif
