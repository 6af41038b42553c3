/* The commands, one file each (cmd-NAME.c), and what they share: groups of options, statuses, lists. */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/cli.h"
#include "plan/modules.h"

extern const CliCommand command_demo, command_info, command_run, command_plan, command_metric,
    command_convert, command_compare, command_check, command_report, command_list, command_show,
    command_validate, command_new, command_schema, command_explain, command_doctor,
    command_completion, command_help;

extern const CliGroup group_common;   /* every command */
extern const CliGroup group_modules;  /* where stages are looked for */
extern const CliGroup group_profiles; /* where profiles are looked for */
extern const CliGroup group_profile;  /* -p */
extern const CliGroup group_edits;    /* --set and the like */
extern const CliGroup group_input, group_of_profiles, group_window, group_limits, group_engine;
extern const CliGroup group_json; /* --json alone */

#define GROUP(title, rows)                        \
  {                                               \
    title, rows, sizeof(rows) / sizeof((rows)[0]) \
  }

extern const int statuses_of_run[];     /* of commands that read inputs to their end */
extern const int statuses_of_text[];    /* of commands that only print */
extern const int statuses_of_modules[]; /* of those that look at every module */

/* char *, to unref. */
GPtrArray *schema_names(void);
GPtrArray *known_codes(Modules *modules); /* that "explain" explains */

/* As a shell takes it for one word. */
char *command_word(const char *word);
void list_facts(Modules *modules, bool as_json, GString *out);
void list_metrics(Modules *modules, bool as_json, GString *out);

#endif
