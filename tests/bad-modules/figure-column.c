/* A figure of a column that its table does not have. */
#define STAGE_NAME "figure-column"
#define FIGURE_COLUMN "colour"
#include "template.h"
