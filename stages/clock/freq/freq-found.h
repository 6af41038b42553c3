/* Devices whose frequency is not the configured one, in their order. */
/* SPDX-License-Identifier: MIT */
#ifndef FREQ_FOUND_H
#define FREQ_FOUND_H

#include "kit/state/state.h"

typedef struct FreqFoundOne {
  char *name; /* of the input, and the process where it has several */
  double mhz;
  int64_t drift_ns;
} FreqFoundOne;

typedef struct FreqFound { /* zeroed is empty */
  FreqFoundOne *items;
  size_t n, capacity;
} FreqFound;

/* Here and below false, or NULL, means that memory was refused.  The process is a text, "" where there is but one. */
bool freq_found_add(const MillHost *common, FreqFound *, const char *input, const char *process,
                    double mhz, int64_t drift_ns);
extern const StateType freq_found_state;

/* Whether one frequency is that of all, but for so much. */
bool freq_found_agree(const FreqFound *, double off_mhz);
/* The largest of them. */
int64_t freq_found_drift_ns(const FreqFound *);
/* A line for each, up to 16: "\na.json: --set soc-mhz=557\nb.json: ..."; until the call of the stage returns. */
const char *freq_found_list(const MillHost *common, const FreqFound *, size_t *out_len);

#endif
