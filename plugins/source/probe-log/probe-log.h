/* What the files of the probe-log source share: kernels, launches, registers, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LOG_H
#define PROBE_LOG_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/pair-table.h"
#include "kit/read/record.h"

enum { /* MillNotice.number */
       PL_NOTHING = 1,
       PL_NO_PROCESS = 20,
       PL_NO_FIGURE = 21,
       PL_CUT = 22
};
#define PL_N_NOTICES 4u
extern const MillNotice probe_log_notices[PL_N_NOTICES];

typedef struct Kernel {
  char *name, *folder; /* the source's; NULL: not said, it was not probed */
  const char *state;   /* "probed", "cannot find", "python failed", or "" while it is not known */
  int64_t params;      /* -1: not said */
  uint64_t launches;
} Kernel;

typedef struct Launch {
  Kernel *kernel;     /* NULL: none was named */
  bool first;         /* opened by funcmap-not-find: the kernel is probed in it */
  bool began;         /* it has said something of itself */
  bool found;         /* success of funcmap-find */
  const char *result; /* "succeed", "failed", "backup", or "" as long as nothing is said */
  char *saved;        /* g_free; name of the file, without its ending */
  int64_t time_ns, memory, capacity;                               /* -1: not said */
  double prologue_ms, kernel_ms, epilogue_ms, original_ms, impact; /* NaN: not said */
  bool benchmark;                                                  /* times of a [benchmark] line */
} Launch;

typedef struct Registers { /* -1: not said */
  int64_t pruned, probed, spill;
} Registers;
Registers registers_read(const char *text, size_t len);

typedef struct Log { /* event.log, line by line */
  const MillHost *common;
  Kernel **kernels;
  uint32_t n_kernels, max_kernels;
  PairTable by_pointer; /* (symbol of the pointer, 0) to index + 1 */
  Kernel *last;         /* the one that is being probed */
  Launch launch;        /* at hand */
  bool open;            /* there is one */
  bool refused;         /* there is no memory for more kernels */
  uint64_t n_lines;     /* that were understood */
} Log;

void log_init(Log *log, const MillHost *common);
void log_clear(Log *log);
/* True: the launch at hand has ended before this line, and is to be given; then the same line again. */
bool log_begins_launch(const Log *log, const char *line);
void log_take(Log *log, const char *line);
void log_end_launch(Log *log);

enum { /* attributes */
       KEY_KERNEL,
       KEY_FOLDER,
       KEY_RESULT,
       KEY_WHY,
       KEY_LAUNCH,
       KEY_TIME,
       KEY_MEMORY,
       KEY_CAPACITY,
       KEY_PROLOGUE,
       KEY_KERNEL_MS,
       KEY_EPILOGUE,
       KEY_ORIGINAL,
       KEY_IMPACT,
       KEY_BENCHMARK,
       KEY_STATE,
       KEY_LAUNCHES,
       KEY_PARAMS,
       KEY_REGISTERS,
       KEY_PROBED_REGISTERS,
       KEY_SPILL,
       KEY_MAX_MEMORY,
       N_KEYS
};

#endif
