/* Modules that are not of this program and were loaded, for crash reports: readable at any time, without locks. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_OUTSIDE_H
#define PLAN_OUTSIDE_H

#include "plan/module.h"

typedef struct OutsideModule {
  const char *name, *version, *path;
} OutsideModule;

enum { OUTSIDE_MOST = 64 }; /* more are not told */

bool outside_is(const char *vendor);
void outside_add(const Module *m);
const OutsideModule *outside_at(unsigned index); /* NULL: there is none */

#endif
