/* A column without a known type. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-column"
#define COLUMN_TYPE 77
#include "template.h"
