/* A column without a name. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "no-column-name"
#define COLUMN_NAME NULL
#include "template.h"
