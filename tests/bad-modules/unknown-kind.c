/* Neither stage, source nor sink. */
#define STAGE_NAME "unknown-kind"
#define MODULE_KIND 9
#include "template.h"
