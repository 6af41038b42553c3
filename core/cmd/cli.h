/* What all commands stand on: what a command and an option are, parsed arguments, output to the terminal, embedded
 * files.  Order of the files, each using only those before it: this one, groups, page, signals and progress, setup,
 * of-profiles, parse, help and what single commands share, the commands (commands.h), complete, main. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_CLI_H
#define CMD_CLI_H

#include <glib.h>
#include <stagemill/types.h>
#include <stdbool.h>

#include "model/error.h"

enum {            /* what it means to give an option again */
       CLI_ONCE,  /* the last one counts */
       CLI_COUNT, /* -vv */
       CLI_MANY,  /* each one counts */
       CLI_LIST   /* the same, and a,b are two */
};
/* One row an option: feeds parsing, help, man pages and completions. */
typedef struct CliOption {
  const char *name;
  char letter;              /* or 0 */
  const char *value;        /* the placeholder of its value in help; NULL: a flag */
  uint32_t type;            /* MILL_OPT_* that the value must be; 0: any text */
  const char *range;        /* as in MillOption */
  const char *default_text; /* the default, for help; or NULL */
  const char *env;          /* variable that stands in for it, or NULL */
  uint32_t repeat;
  const char *words; /* what completions offer: a class of complete.c; or NULL */
  const char *help;
} CliOption;

typedef struct CliGroup {
  const char *title;
  const CliOption *options;
  size_t n_options;
} CliGroup;

typedef struct Cli Cli;
typedef struct CliCommand {
  const char *name;
  const char *section;   /* of the top-level help */
  const char *arguments; /* of the usage line */
  const char *title;
  const char *about;
  const char *const *examples; /* two, each "what it does|command line" */
  const CliGroup *const *groups;
  const char *const *files; /* "name|what it is", written; or NULL */
  const int *statuses;      /* ends in -1 */
  /* The same for arguments by their index, separated by spaces; "a|b": one of these; "none": no offer. */
  const char *words;
  int min_words, max_words; /* max -1: any number */
  int (*run)(Cli *cli);
} CliCommand;

struct Cli {
  const CliCommand *const *commands; /* of the program, ends in NULL: main.c owns the table */
  const CliCommand *command;         /* the one that runs */
  GHashTable *values;     /* const CliOption * to GPtrArray of char * */
  GPtrArray *of_profiles; /* those of options_of_profiles, once one was asked for; or NULL */
  GPtrArray *words;       /* char *: arguments that are not options */
  GPtrArray *argv;        /* char *: as given, the program's name first */
  bool pass_missing; /* formats whose program is not there are left out: nobody asked for them */
  bool brief;        /* of results two lines are printed, see first-lines.h */
  const CliOption *waiting; /* the value of this one is missing at the end */
  bool colour_out, colour_err;
  int verbose; /* -v: 1, -vv: 2; -q: -1 */
};

/* ---- options.c: what a command has, and what was given */

void cli_init(Cli *out, const CliCommand *const *commands);
void cli_clear(Cli *cli);
/* By its name, or without one by its letter. */
const CliOption *cli_find_option(const CliCommand *command, const char *name, char letter);

/* An option that the command does not have is not given. */
bool cli_flag(const Cli *cli, const char *name);
int cli_count(const Cli *cli, const char *name);
/* Given, else from the environment, else NULL. */
const char *cli_text(const Cli *cli, const char *name);
bool cli_is(const Cli *cli, const char *name, const char *word); /* it is that word */
GPtrArray *cli_list(const Cli *cli, const char *name); /* borrowed; NULL when not given */
/* An integer, bytes or nanoseconds, by the type of the option. */
int64_t cli_number(const Cli *cli, const char *name, int64_t fallback);
Error *cli_usage(const CliCommand *command, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- what people read: out.c */

/* Writes to standard output: 0, or EXIT_OUTPUT after saying why.  A reader that has gone is not
 * a failure. */
int cli_print(const char *text, size_t len); /* as it is: what belongs to the program */
/* What may hold anything: frees it.  Characters that a terminal obeys are shown instead, except in the
 * JSON of --json; cli NULL: it is never JSON.  Lines that are too wide for the screen are folded. */
int cli_print_string(const Cli *cli, GString *text);
/* The same for what is not folded: programs read it. */
int cli_print_raw(GString *text);
/* For texts of lines: neither is a line break in a name one of the text. */
void cli_append_name(GString *out, const char *name);
char *cli_word(const char *word); /* as a shell takes it for one word */
/* A hint that is a command, as it must be typed here: modules and profiles are looked for in the folders that this
 * command was given, too.  Any other text stays. */
char *cli_hint(const Cli *cli, const char *text);
/* Shows the error (takes it) on standard error; its status, 0 for NULL. */
int cli_fail(const Cli *cli, Error *e);
void cli_say(const char *format, ...) G_GNUC_PRINTF(1, 2); /* a line on standard error */
/* To standard error, safe in a signal handler: what belongs to the program, and names of any origin. */
void cli_put(const char *text);
void cli_put_name(const char *name);
/* --color, FORCE_COLOR, NO_COLOR, TERM, "is it a terminal". */
bool cli_colour(int fd, const char *when);
int cli_width(int fd);      /* columns: COLUMNS, else the terminal's, else 80 */
int cli_height(int fd);     /* lines for one text: the terminal's, else 24 */
bool cli_has_width(int fd); /* it is a terminal, or COLUMNS is set: nothing is wider */
/* Every line of `text` filled up; the first one continues where `out` ends. */
void cli_wrap(GString *out, const char *text, int indent);
/* Side by side where `left` is not too long. */
void cli_pair(GString *out, const char *left, const char *right, int longest);

/* ---- grid.c */

/* Rows of cells as columns; `head` row first, aligned to the left. */
typedef struct CliGrid CliGrid;
CliGrid *cli_grid_new(unsigned n_columns);
void cli_grid_add(CliGrid *g, ...) G_GNUC_NULL_TERMINATED; /* n_columns texts, then NULL */
void cli_grid_put(CliGrid *g, const char *cell); /* one more of a row */
/* Frees it, without writing where `out` is NULL. */
void cli_grid_write(CliGrid *g, const char *indent, GString *out);

/* ---- files that are part of the program: embed.c is generated */

typedef struct Embedded {
  const char *name;
  const char *text;
  size_t len;
} Embedded;
extern const Embedded embedded_files[]; /* ends in NULL */
const Embedded *embedded_find(const char *name);

#endif
