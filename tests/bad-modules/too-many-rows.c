/* More rows than any stage has. */
#define STAGE_NAME "too-many-rows"
#define N_OPTIONS 5000
#include "template.h"
