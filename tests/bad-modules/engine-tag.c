/* A tag that belongs to the program. */
#define STAGE_NAME "engine-tag"
#define STAGE_TAG "RUN"
#include "template.h"
