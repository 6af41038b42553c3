/* Blocks of a launch by the SM that they ran on. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIB_PROBE_SMS_H
#define PROBE_LIB_PROBE_SMS_H

#include <stagemill/types.h>

typedef struct ProbeSm {
  uint32_t sm;
  const uint32_t *blocks; /* their numbers, in order */
  size_t n;
} ProbeSm;

typedef struct ProbeSms {
  ProbeSm *at; /* by number of the SM */
  size_t n;
  uint32_t *blocks; /* 4 bytes each */
  size_t n_blocks;  /* of them all: those that ran */
} ProbeSms;

/* Of the first block, and of each further one as many bytes behind. */
typedef struct ProbeBlockColumns {
  const int64_t *start; /* PROBE_NO_START: it is on no SM */
  size_t start_stride;
  const uint32_t *sm;
  size_t sm_stride, n_blocks;
} ProbeBlockColumns;
/* False: memory was refused. */
bool probe_sms_make(ProbeSms *out, const MillHost *common, const ProbeBlockColumns *blocks);
void probe_sms_free(ProbeSms *, const MillHost *common);
/* The one asked for, or with -1 that with the most blocks, the lowest number on a tie; NULL: there is none. */
const ProbeSm *probe_sms_pick(const ProbeSms *, int64_t wanted);

#endif
