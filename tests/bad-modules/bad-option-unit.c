/* A unit of several words. */
#define STAGE_NAME "bad-option-unit"
#define OPTION_UNIT "nano seconds"
#include "template.h"
