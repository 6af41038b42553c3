/* From outside, with a name that could meet one of stagemill's. */
#define STAGE_NAME "no-vendor"
#define VENDOR "acme"
#include "template.h"
