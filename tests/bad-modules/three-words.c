/* A notice that chooses between three words. */
#define STAGE_NAME "three-words"
#define NOTICE_WHAT "{count} [one|two|many]"
#include "template.h"
