/* Checking a descriptor: everything that it promises. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_CHECK_H
#define PLAN_MODULE_CHECK_H

#include <glib.h>

#include "model/descriptor.h"

/* The faults are texts, and the array owns them. */
GPtrArray *module_faults(const Descriptor *stage);

#endif
