/* From when to when a job ran, as its host and its device say, and what puts one into the other. */
/* SPDX-License-Identifier: MIT */
#ifndef JOB_ALIGN_RANGES_H
#define JOB_ALIGN_RANGES_H

#include "kit/state/keyed.h"

typedef struct JobRange {
  int64_t from_ns, to_ns;
  bool known;
} JobRange;

typedef struct Job {
  JobRange host, device;
  int64_t offset_ns; /* to add to times of the device */
} Job;

typedef enum JobVerdict { JOB_FITS, JOB_SHIFTED, JOB_WIDER, JOB_NO_HOST } JobVerdict;

void range_add(JobRange *range, int64_t ts_ns, int64_t dur_ns);
/* How long after the first round trip the device begins; false: it is not known, as the job is shifted or lacks one. */
bool job_slack(const Job *job, int64_t *out_ns);
/* Sets the offset: 0 unless the job is shifted.  A shifted one gets the slack, or what its round trips have room for. */
JobVerdict job_judge(Job *job, int64_t slack_ns);
/* By how much the device may still lie elsewhere in its round trips; false: they are not known. */
bool job_room(const Job *job, int64_t *out_ns);
/* How many jobs begin before an earlier one has ended, as they are with their offsets; `first` is
 * one of them.  False when memory was refused. */
bool jobs_overlapping(const MillHost *common, const KeyedEntry *const *entries, uint32_t n,
                      uint32_t *out_n, const KeyedEntry **out_first);

#endif
