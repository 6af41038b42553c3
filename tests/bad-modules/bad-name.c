/* A name that is not kebab-case. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "Bad_Name"
#include "template.h"
