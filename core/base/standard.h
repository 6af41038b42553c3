/* Standard input, output and error that nobody opened for us. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

#include <stdbool.h>

/* Before any file is opened, so that none gets the number of a stream that was closed: puts there what can
 * neither be read nor written. */
void standard_fill(void);
bool standard_is_closed(int fd);

#endif
