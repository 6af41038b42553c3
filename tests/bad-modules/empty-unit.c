/* A unit without a letter, where none at all is meant. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "empty-unit"
#define COLUMN_UNIT ""
#include "template.h"
