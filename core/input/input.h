/* An input: its file, its source and its lane. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "input/state.h"

InputSpec *input_spec_new(const char *path);
/* The same file, for another of its lanes. */
InputSpec *input_spec_part(const InputSpec *s, uint32_t part);
void input_spec_free(InputSpec *s);

/* Opens the file, finds its source, and lets the source describe the lane. Takes the spec. */
Error *input_open(const InputEnv *env, InputSpec *spec, uint32_t index, Input **out);
void input_free(Input *in); /* frees the input, not the lane */
/* An error: an input may be there, but cannot be looked at; errno has the reason. */
Error *input_unseen(const char *path);
/* The lane after the one that ended; reading goes on in it. */
LaneInfo *input_follow(Input *in, uint32_t index);
/* For bases that come after the events: lets the source look once more, with the end of a
 * compressed file at hand. */
void input_describe_again(Input *in);
/* Whether that may find a base: the input has none, and its end can be looked at. */
bool input_may_have_base(const Input *in);

/* Reading, after planning. *out is NULL at the end. */
Error *input_start(Input *in);
Error *input_next(Input *in, Batch **out);
Error *input_stop(Input *in); /* an error if closing broke a rule */
/* Before the first reading: whether the input can be reread. */
bool input_can_be_read_again(const Input *in);
/* After a reading: the next input_start begins at the start. The source does not describe the
 * lane once more. */
void input_read_again(Input *in);
/* Since it was opened; held events still use the file itself. */
bool input_has_shrunk(const Input *in);
Error *input_shrank(const Input *in);
/* After its reading: an error if it changed meanwhile, or one of the files that it joins. */
Error *input_check_unchanged(const Input *in);

#endif
