/* Rows in the order of a column that the table does not have. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-order"
#define TABLE_ORDER "-count,rank,colour"
#include "template.h"
