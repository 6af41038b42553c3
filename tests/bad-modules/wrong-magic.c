/* The descriptor begins with another number. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "wrong-magic"
#define MODULE_MAGIC 0x12345678u
#include "template.h"
