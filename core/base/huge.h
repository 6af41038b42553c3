/* Memory of large arrays. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* For g_free.  What is written once, front to back, faults once for 2 MiB of it instead of for each 4 KiB. */
void *huge_alloc(size_t bytes);

#endif
