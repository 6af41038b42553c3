/* Calls of an isolated stage other than those with a batch. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_ISOLATE_CALL_H
#define HOST_ISOLATE_CALL_H

#include "host/instance.h"

Error *isolate_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *));
/* How the process, which opens its stage by itself, has done that. */
Error *isolate_hear_opened(Instance *i, uint32_t phase);
/* The process ends after it. */
Error *isolate_call_close(Instance *i);

#endif
