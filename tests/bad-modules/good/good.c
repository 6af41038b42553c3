/* A sound stage: the yardstick of the bad ones. */
#include "../template.h"
