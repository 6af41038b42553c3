/* A figure with a scale that is not known. */
#define STAGE_NAME "figure-scale"
#define FIGURE_MORE .y_scale = "cubic",
#include "template.h"
