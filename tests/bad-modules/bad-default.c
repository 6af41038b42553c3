/* A default outside the range of its option. */
#define STAGE_NAME "bad-default"
#define OPTION_DEFAULT "1000"
#include "template.h"
