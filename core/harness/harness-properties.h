/* Promises that every stage must keep, whatever it does. */
#ifndef HARNESS_PROPERTIES_H
#define HARNESS_PROPERTIES_H

#include "harness-internal.h"

/* Texts that say which are broken; empty when all hold. */
GPtrArray *harness_broken_properties(const HarnessCase *c);

#endif
