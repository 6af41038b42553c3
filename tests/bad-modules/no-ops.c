/* There is no table of operations. */
#define STAGE_NAME "no-ops"
#define STAGE_OPS NULL
#include "template.h"
