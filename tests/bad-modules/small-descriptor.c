/* A descriptor smaller than the first version of the header. */
#define STAGE_NAME "small-descriptor"
#define STAGE_SIZE 16
#include "template.h"
