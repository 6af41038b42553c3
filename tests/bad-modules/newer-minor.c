/* Built for a newer minor version of the interface. */
#define STAGE_NAME "newer-minor"
#define MODULE_ABI (MILL_ABI + 1u)
#include "template.h"
