/* Neither stage, source nor sink. */
#define STAGE_NAME "unknown-kind"
#define STAGE_KIND 9
#include "template.h"
