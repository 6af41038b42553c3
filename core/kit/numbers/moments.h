/* The sums of base/moments.h as cells; they are saved by STATE_MOMENTS. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_MOMENTS_H
#define KIT_MOMENTS_H

#include <stagemill/stage.h>

#include "base/moments.h"

/* Cells; empty where there is no such number. */
double moments_mean_or_none(const Moments *m);
double moments_std_or_none(const Moments *m); /* n - 1 */

#endif
