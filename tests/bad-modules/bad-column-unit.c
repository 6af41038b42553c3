/* A unit that breaks the line. */
#define STAGE_NAME "bad-column-unit"
#define COLUMN_UNIT "cou\nnt"
#include "template.h"
