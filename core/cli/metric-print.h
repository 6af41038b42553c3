/* The values of one metric, as `stagemill metric` prints them. */
#ifndef CLI_METRIC_PRINT_H
#define CLI_METRIC_PRINT_H

#include "cli/metric-find.h"
#include "run/run.h"

/* Values go to standard output, reasons for missing ones to standard error; the exit status. */
int metric_print(const Cli *cli, const Run *run, const Wanted *w);

#endif
