/* Saves results that nothing merges. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-merge"
#define OPS_WITHOUT_MERGE
#define STAGE_OPS &lossy
#include "template.h"
