/* An input: its file, its source and its lane. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "input/state.h"

InputSpec *input_spec_new(const char *path);
/* The same file for another of the lanes that it holds. */
InputSpec *input_spec_part(const InputSpec *s, uint32_t part);
void input_spec_free(InputSpec *s);

/* Opens the file, finds the source for it, and lets it describe its lane.  Takes the spec. */
Error *input_open(const InputEnv *env, InputSpec *spec, uint32_t index, Input **out);
void input_free(Input *in); /* not the lane */
/* What an input may be in cannot be looked at, as errno says. */
Error *input_unseen(const char *path);
/* The lane after the one that ended; reading goes on in it. */
LaneInfo *input_follow(Input *in, uint32_t index);
/* For bases that are reported after the events: lets the source look once more, with the end of a
 * compressed file at hand. */
void input_describe_again(Input *in);
/* Whether that may find a base: it has none, and its end can be looked at. */
bool input_may_have_base(const Input *in);

/* Reading, after planning.  *out is NULL at the end. */
Error *input_start(Input *in);
Error *input_next(Input *in, Batch **out);
Error *input_stop(Input *in); /* an error when closing broke a rule */
/* Before the first reading: whether there can be another one. */
bool input_can_be_read_again(const Input *in);
/* After a reading: the next input_start begins from the start.  What the source says of its lane was said. */
void input_read_again(Input *in);
/* Since it was opened; held events still show the file itself. */
bool input_has_shrunk(const Input *in);
Error *input_shrank(const Input *in);

#endif
