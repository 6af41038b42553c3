/* For fuzz targets: what must hold. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_PROMISE_H
#define FUZZ_PROMISE_H

#include <stdlib.h>

#define PROMISE(cond)     \
  do {                    \
    if (!(cond)) abort(); \
  } while (0)

#endif
