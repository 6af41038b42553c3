/* Members of run.json that every command writes alike. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_RUN_MEMBERS_H
#define OUTPUT_RUN_MEMBERS_H

#include <stagemill/sink.h>

#include "base/json-write.h"
#include "model/lane-info.h"
#include "results/results.h"

void run_members_put_program(JsonWriter *out);
void run_members_put_notices(JsonWriter *out, const Results *r);
void run_members_put_tags(JsonWriter *out, const LaneInfo *lane);
/* "started", "finished" and "elapsed_ns" of the wall clock, into an open object; since:
 * usage_clock_ns. */
void run_members_put_times(JsonWriter *out, int64_t since_ns);

#endif
