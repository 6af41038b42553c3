/* A tag that belongs to the program. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "engine-tag"
#define STAGE_TAG "RUN"
#include "template.h"
