/* The tag of the sound module. */
#define STAGE_NAME "same-tag"
#define STAGE_TAG "GOOD"
#include "template.h"
