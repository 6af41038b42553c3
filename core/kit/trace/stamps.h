/* The five counts with which an AIU stamps an event: TS1 issued, TS2 prepared, TS3 compute begins, TS4 compute ends,
 * TS5 done.  A slice shows one interval of them; its name says which. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_STAMPS_H
#define KIT_STAMPS_H

#include <stagemill/stage.h>

#include "kit/state/symclass.h"

enum { STAMPS = 5 };

typedef enum StampPart { /* part i shows the stamps i and i + 1, counted from 1 */
                         STAMP_DMA_IN = 1,
                         STAMP_PREP = 2,
                         STAMP_EXEC = 3,
                         STAMP_DMA_OUT = 4,
                         STAMP_WHOLE = 5 /* the first to the last */
} StampPart;

typedef struct StampReader {
  const MillHost *common;
  MillSym key[STAMPS], list;
  SymClass parts; /* of names */
} StampReader;

typedef struct Stamps {
  int64_t cycles[STAMPS];
  bool has[STAMPS], is_text[STAMPS]; /* text: written back in the form in which it came */
  uint32_t n_named;                  /* attributes that should be stamps */
  uint32_t n;                        /* those that are */
  bool all_zero;                     /* all five are there, and 0: they were not taken */
  StampPart part;
} Stamps;

void stamps_open(StampReader *, const MillHost *common);
/* TS1 to TS5, or the list cycles_ts; false when none can be read, or all are 0. */
bool stamps_read(StampReader *, const MillBatch *, const MillEvent *, Stamps *out);
int stamps_write(const StampReader *, const MillStageHost *, MillBatch *, uint32_t index,
                 const Stamps *);

/* By the words DmaI, Cmpt Prep, Cmpt Exec, DmaO in its name: the first of them counts; or by the ends _DmaI,
 * _Cmpt, _DmaO of a slice that `cycles` split. */
StampPart stamps_part(StampReader *, MillSym name);
/* The stamps that the slice begins and ends at, counted from 0. */
static inline uint32_t stamps_first(StampPart part) { return part == STAMP_WHOLE ? 0 : part - 1; }
static inline uint32_t stamps_last(StampPart part) { return part == STAMP_WHOLE ? 4 : part; }

int64_t stamps_hz(double mhz);
/* A count of cycles as time, to the nearest ns; clipped to int64. */
int64_t stamps_span_ns(int64_t hz, int64_t cycles);
/* When stamp k was taken, from what the slice shows; the stamps must be absolute (`ovc`), k and the first there. */
int64_t stamps_time_ns(int64_t hz, const Stamps *, const MillEvent *, uint32_t k);

/* For a stage's `options`: the same in every stage. */
#define STAMPS_SOC_OPTION(S, field)                               \
  MILL_REAL_OPTION(S, field, "soc-mhz", "560", "1:100000", "MHz", \
                   "Frequency of the counter that stamps device events")

#define STAMPS_CORE_OPTION(S, field)                                \
  MILL_REAL_OPTION(S, field, "core-mhz", "1100", "1:100000", "MHz", \
                   "Frequency of the cores, which ideal cycles count")

/* For a stage's `reads`. */
#define STAMPS_READS                                                                            \
  { "TS1", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, { "TS2", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, \
      { "TS3", MILL_AS_INT, MILL_KIND(MILL_SLICE) },                                            \
      { "TS4", MILL_AS_INT, MILL_KIND(MILL_SLICE) },                                            \
      { "TS5", MILL_AS_INT, MILL_KIND(MILL_SLICE) },                                            \
  {                                                                                             \
    "cycles_ts", MILL_AS_INT, MILL_KIND(MILL_SLICE)                                             \
  }

#endif
