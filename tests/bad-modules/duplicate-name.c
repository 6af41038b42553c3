/* Two options of one name. */
#define STAGE_NAME "duplicate-name"
#define SECOND_OPTION "first"
#include "template.h"
