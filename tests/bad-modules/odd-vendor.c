/* From outside; its maker's name cannot stand before a name. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "odd-vendor"
#define VENDOR "Acme Ltd."
#include "template.h"
