/* The job of the slices of an input: files of one rank become one lane, and stages separate jobs
 * by this attribute. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_JOB_H
#define INPUT_JOB_H

#include "input/state.h"
#include "model/batch.h"

#define JOB_ATTR "jobname"

/* From here on its slices have the attribute: name of the file and its place, "j0.json(0)". */
void job_name(Input *in, uint32_t place);
void job_mark(const Input *in, Batch *b);

#endif
