/* The commands, one file each: cmd-NAME.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

extern const CliCommand command_demo, command_info, command_run, command_plan, command_metric,
    command_convert, command_list, command_show, command_validate, command_new, command_schema,
    command_explain, command_doctor, command_completion, command_help;

#endif
