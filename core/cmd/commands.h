/* The commands, one file each (cmd-NAME.c), by what they declare of themselves: for main.c, which has the table of all,
 * and for those that run another one. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/cli.h"

extern const CliCommand command_demo, command_info, command_run, command_plan, command_metric,
    command_query,
    command_convert, command_compare, command_check, command_report, command_list, command_show,
    command_validate, command_new, command_test, command_schema, command_explain, command_doctor,
    command_completion, command_help;

#endif
