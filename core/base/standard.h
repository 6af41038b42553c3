/* Standard input, output and error that nobody opened for us. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>
#include <stdint.h>

/* Before any file is opened, so that none gets the number of a stream that was closed: puts there what can
 * neither be read nor written. */
void standard_fill(void);
bool standard_is_closed(int fd);

/* What the program writes to: standard output as it was given to us, also when file 1 is another one. */
int standard_out(void);
/* From here on what modules write to file 1 goes to standard error; watch: to where it is counted instead.  Can be
 * called again. */
void standard_divert(bool watch);
/* In the process of a stage, where no file but the standard ones is open. */
void standard_of_child(bool watch);
uint64_t standard_diverted(void); /* bytes, where they are counted */
/* Another name of standard output, "/dev/stdout" and the like, as it must be opened now; else the path itself. */
const char *standard_path(const char *path, char out_made[32]);

#endif
