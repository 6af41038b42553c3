/* Built for another major version of the interface. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "wrong-major"
#define MODULE_ABI (7u << 16 | 3u)
#include "template.h"
