/* Attributes that a stage declares, against those that its cases show. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_DECLARED_H
#define HARNESS_DECLARED_H

#include "harness-internal.h"

/* Adds the names of attributes that left the run (char *). */
void declared_seen(const HarnessRun *r, GPtrArray *names);
/* Adds what is wrong, as texts: an attribute that it provides and no case shows, one that it needs and does not
 * read. */
void declared_check(const Descriptor *d, const GPtrArray *names, GPtrArray *wrong);

#endif
