/* Calls a function that nothing defines. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "undefined-symbol"
#include <stagemill/stage.h>

int mill_nothing_defines_this(void *instance, MillBatch *batch);
#define STAGE_OPS &broken
static int call(const MillStage *self, const MillStageHost *host, uint32_t level,
                const void *options, void **out);
static const MillStageOps broken = { .size = sizeof broken,
                                     .open = call,
                                     .process = mill_nothing_defines_this };
#include "template.h"
