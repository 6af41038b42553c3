/* A column without a name. */
#define STAGE_NAME "no-column-name"
#define COLUMN_NAME NULL
#include "template.h"
