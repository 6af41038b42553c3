/* From outside; its maker's name cannot stand before a name. */
#define STAGE_NAME "odd-vendor"
#define VENDOR "Acme Ltd."
#include "template.h"
