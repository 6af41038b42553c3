/* The sides of a comparison, as the command line names them: finished runs, or inputs that are run first. */
#ifndef CMD_SIDES_H
#define CMD_SIDES_H

#include "cmd/setup.h"
#include "compare/side.h"

typedef struct Sides {
  CompareSide *list;
  guint n;
  GPtrArray *files; /* char *: the summaries that were read, or the inputs that were run */
} Sides;

/* The words of the command.  With -p each is an input, or several, run with that profile; else a finished run, its
 * summary.json, or a folder or pattern of them.  force: also of different profiles. */
Error *sides_open(const Cli *cli, const GPtrArray *words, bool force, Sides *out);
void sides_clear(Sides *s);
/* -p, and the options that a run can have. */
extern const CliGroup *const sides_run_groups[]; /* ends in NULL */
/* Those of a run are refused where there is no -p. */
Error *sides_check_options(const Cli *cli);

#endif
