/* Help pages and man pages, made from the tables of commands and options. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "cmd/cli.h"

void help_program(const Cli *cli, GString *out);
void help_command(const Cli *cli, const CliCommand *command, GString *out);
void help_exit(GString *out);
/* "-p, --profile NAME"; without_letter is used where there is no letter. */
char *help_term(const CliOption *o, const char *without_letter);
GString *help_text(const CliOption *o); /* and whether it can be repeated */

typedef struct CliStatus {
  int status;
  const char *title; /* a few words */
  const char *text;
} CliStatus;
extern const CliStatus cli_statuses[]; /* ends in status -1 */
typedef struct CliVariable {
  const char *name, *effect;
} CliVariable;
extern const CliVariable cli_variables[]; /* ends in NULL */

/* ---- man.c */

/* "stagemill", a command, "profiles", "results" or "stage NAME" as a man page. */
Error *man_page(const Cli *cli, const char *what, const char *name, GString *out);

#endif
