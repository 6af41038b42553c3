/* An option row that does not carry its size. */
#define STAGE_NAME "small-row"
#define OPTION_SIZE 4
#include "template.h"
