/* A unit without a letter, where none at all is meant. */
#define STAGE_NAME "empty-unit"
#define COLUMN_UNIT ""
#include "template.h"
