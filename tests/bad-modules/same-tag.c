/* The tag of the sound module. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "same-tag"
#define STAGE_TAG "GOOD"
#include "template.h"
