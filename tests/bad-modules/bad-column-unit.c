/* A unit that breaks the line. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-column-unit"
#define COLUMN_UNIT "cou\nnt"
#include "template.h"
