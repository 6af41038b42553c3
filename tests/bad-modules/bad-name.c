/* A name that is not kebab-case. */
#define STAGE_NAME "Bad_Name"
#include "template.h"
