/* A descriptor smaller than the first version of the header. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "small-descriptor"
#define STAGE_SIZE 16
#include "template.h"
