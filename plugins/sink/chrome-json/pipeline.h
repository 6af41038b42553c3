/* The layout of aorta's merged traces: what comes after the events, and which ranks it can hold. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_PIPELINE_H
#define CHROME_JSON_PIPELINE_H

#include "kit/chrome/document.h"

#define PIPELINE_RANKS 100000 /* below this: each up to the highest one gets rows */

/* Each lane has a rank, and no two of the document the same; else the status of a failure. */
int pipeline_check(const MillHost *common, TraceLanes lanes);
/* Four rows for each rank from 0 on: n of them, at least up to the highest one.  Ends the document and hands it over. */
int pipeline_tail(const Frame *f, Document *d, int64_t n);

#endif
