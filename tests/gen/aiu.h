/* The synthetic AIU run behind aiu-gen: one true clock, device counters, skewed host clocks. */
/* SPDX-License-Identifier: MIT */
#ifndef GEN_AIU_H
#define GEN_AIU_H

#include "out.h"

typedef enum { DECIMAL, HEX, INTEGER } CounterText;

typedef struct {
  int64_t events; /* records in each file */
  int ranks;
  uint64_t seed;
  int64_t soc_khz;
  int64_t wraps;
  int64_t skew_ns;             /* the largest offset of a host clock from rank 0's */
  int64_t drift_ppb;           /* the largest drift against rank 0 */
  int64_t collectives, groups; /* groups: names that collectives have in turns */
  int64_t overlap_every;       /* every so many operations DmaO overlaps Exec; 0: never */
  int jobs;                    /* files of each rank; slots are divided among them */
  int64_t shift_ns; /* device times of a job are off by this at most, and by half of it at least */
  int64_t core_khz; /* of the cores, which ideal cycles count */
  int64_t log_rows; /* of each table, at least */
  bool power, be, attr, distributed, shuffled, tree;
  CounterText counters;
  const char *pattern, *truth, *log;
} Options;

/* All ranks share one grid of slots; each holds one operation and at most one collective. Times
   on it are true cycles of the accelerator's clock since the start of the run. */
typedef struct {
  const Options *options;
  int64_t slots;
  int64_t total_cycles;
  int64_t busy_cycles;     /* of a slot: what happens in it happens in this first part */
  int64_t transfer_cycles; /* of one message of a collective */
} Grid;

typedef struct {
  int rank;
  int64_t first_count; /* the device counter at the start, below 2^32 */
  int64_t offset_ns;   /* host clock = true time + offset + drift */
  int64_t drift_ppb;
} Clock;

enum { IDLE_WATTS = 30, EXEC_WATTS = 60 };
enum {
  GRAPH_THREAD = 10,
  LAUNCH_THREAD,
  RUNTIME_THREAD,
  DMA_THREAD = 20,
  CORE_THREAD,
  SEND_THREAD,
  RECEIVE_THREAD
};

typedef enum { DMA_IN, PREP, EXEC, DMA_OUT, HOST } Part;

/* One slice. A device slice shows the interval between two of its five stamps; `part` says
   which. */
typedef struct {
  int64_t start, end; /* true cycles */
  int64_t stamp[5];   /* true cycles; not for HOST */
  Part part;
  int thread;
  const char *name; /* without the number and the part */
  int64_t number;   /* follows the name; -1: none */
  int64_t bytes;    /* 0: none */
  uint64_t charge;  /* of the power meter at the fourth stamp */
  int64_t group;    /* of the collective; -1: none */
  int from, to;     /* sync key; to -1: multicast */
  int peer;         /* -1: all other ranks */
  const char *type;
} Slice;

enum { OPERATION_SLICES = 7, SMALLEST_SLOT = 1200, SMALLEST_TRANSFER = 16 };

/* Kernels of a job are numbered from KERNELS * job on. */
enum { KERNELS = 8 };
const char *kernel_name(int kernel);
/* What a call takes at best, less than any call of the plan does; 0 for some kernels. */
int64_t kernel_ideal_cycles(const Grid *grid, int kernel);
void write_log(const Grid *grid, const char *path);

Grid grid_make(const Options *o, int64_t slices);
int64_t job_first_slot(const Grid *grid, int job);
/* From a round trip's begin to that of the first device slice in it. */
int64_t slack_ns(const Grid *grid);
int64_t job_shift_ns(const Options *o, int rank, int job);
Clock clock_make(const Grid *grid, int rank);
int64_t host_ns(const Grid *grid, const Clock *clock, int64_t cycles);
int64_t slot_start(const Grid *grid, int64_t slot);

/* The most slices that a slot can have on this rank, and those of one collective. */
int64_t collective_slices(const Options *o, int rank);

/* A collective of all ranks, in true cycles. */
typedef struct {
  int64_t group, begin, end;
} Planted;

/* The slices of one rank in one slot, in order of their start; returns their number.  A collective is written to
   planted[its ordinal].  *exec_cycles is the time that kernels have run before the slot and grows by this slot's. */
int plan_slot(const Grid *grid, const Clock *clock, int64_t slot, int64_t *exec_cycles,
              Slice *slices, Planted *planted);

typedef struct {
  const Grid *grid;
  const Clock *clock;
  Out *out;
  int64_t shift_ns; /* of the times of device slices */
  bool first;
} Writer;

enum { METADATA_ROWS = 8 }; /* one more fills up a file of begin-end pairs to an even number */

void write_header(Writer *writer);
void write_metadata_row(Writer *writer, int row);
void write_slice(Writer *writer, const Slice *slice);
void write_trailer(Writer *writer);

#endif
