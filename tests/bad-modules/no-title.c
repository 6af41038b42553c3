/* An empty title. */
#define STAGE_NAME "no-title"
#define STAGE_TITLE ""
#include "template.h"
