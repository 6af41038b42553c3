/* A column whose field is partly beyond the row. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-field"
#define COLUMN_FIELD MILL_FIELD_INT, 4, 8
#include "template.h"
