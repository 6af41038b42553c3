/* run.json: how the results of a run came to be. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_RUN_JSON_H
#define OUTPUT_RUN_JSON_H

#include "model/fate.h"
#include "output/sinks.h"
#include "results/ended-run.h"

typedef struct RunEvents { /* what became of the events that were read and made: each was used or left out */
  uint64_t read, made, used;
  uint64_t left_out[FATES]; /* by reason; FATE_USABLE: by stages, although nothing was wrong with them */
  uint64_t failed;          /* in lanes that failed */
} RunEvents;

typedef struct RunJson {
  const EndedRun *run;
  const RunEvents *events;
  const Sinks *sinks;
  const GPtrArray *command_line;  /* char * */
  const GPtrArray *sink_settings; /* char *: "csv.option=value" */
  bool timings;                   /* also of stages */
  bool has_state;                 /* of --state */
  uint32_t lanes_taken, lanes_read;
  int64_t since_ns;               /* by usage_clock_ns: the begin */
  uint32_t jobs;
  uint64_t max_memory_bytes, spilled_bytes;
} RunJson;

/* Seals the output and adds run.json to it. */
Error *run_json_write(const RunJson *json, Output *output);

#endif
