/* The sums of base/moments.h as part of a stage's summary. */
#ifndef STAGES_MOMENTS_H
#define STAGES_MOMENTS_H

#include <stagemill/stage.h>

#include "base/moments.h"

void moments_save(const Moments *m, const MillStageHost *host);
void moments_load(Moments *m, const MillStageHost *host);

/* Cells; empty where there is no such number. */
double moments_mean_or_none(const Moments *m);
double moments_std_or_none(const Moments *m); /* n - 1 */

#endif
