/* Findings as JSON, and the words for how grave they are. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_FINDING_H
#define BASE_FINDING_H

#include <stagemill/sink.h>

#include "base/json-write.h"

const char *finding_severity(uint32_t severity); /* "note", "warning", "critical" */
/* An item of a list, as in summary.json. */
void finding_put(JsonWriter *out, const MillFindingResult *f);

#endif
