/* A tag that is not made of capitals. */
/* SPDX-License-Identifier: MIT */
#define STAGE_NAME "bad-tag"
#define STAGE_TAG "Tag1"
#include "template.h"
