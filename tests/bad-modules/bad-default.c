/* A default outside the range of its option. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-default"
#define OPTION_DEFAULT "1000"
#include "template.h"
