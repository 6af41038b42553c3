/* Lists that more than one command prints. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "plan/module.h"

void list_metrics(Modules *modules, bool json, GString *out);

#endif
