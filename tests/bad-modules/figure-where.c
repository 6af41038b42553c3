/* A figure of rows by a condition that says no value. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "figure-where"
#define FIGURE_MORE .where = "name",
#include "template.h"
