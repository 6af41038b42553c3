/* The inputs of a run, and which of them each lane reads. */
/* SPDX-License-Identifier: MIT */
#ifndef INPUT_INPUTS_H
#define INPUT_INPUTS_H

#include "input/input.h"
#include "model/set-aside.h"

typedef struct Inputs {
  InputEnv env;
  SetAside *aside;
  GPtrArray *list;      /* Input *: in the order in which they were named, side inputs last */
  GPtrArray *joined;    /* Input *: those that read several of these as one lane */
  GPtrArray *lanes;     /* LaneInfo *: in order; second lanes of inputs come after all first ones */
  GPtrArray *readers;   /* Input *: for each lane the input that reads it */
  GArray *ranks;        /* RankOfLane: of all traces, by rank and lane */
  GPtrArray *left_out;  /* char *: files in folders that are no inputs */
  GPtrArray *expanders; /* Instance *: of sources that looked through folders */
  bool one_file;        /* events of all lanes go into one file */
} Inputs;

/* None yet. Takes env->sources; the set-aside errors are the caller's. */
Inputs *inputs_new(const InputEnv *env, SetAside *aside);
void inputs_free(Inputs *in); /* NULL is fine */
/* Adds the lane that the input reads now. */
void inputs_add_lane(Inputs *in, Input *reader);
/* Adds the lane after the one that the input ended. */
void inputs_follow(Inputs *in, Input *reader);
/* Before the plan: orders lanes by rank, those without a rank last; lanes with equal ranks keep
 * their order. */
void inputs_order_by_rank(Inputs *in);
/* Names lanes that have no name in results, and lists the ranks for them. */
void inputs_name_lanes(Inputs *in);
LaneInfo *inputs_lane(const Inputs *in, guint index);
Input *inputs_reader(const Inputs *in, guint index);
guint inputs_n_traces(const Inputs *in); /* number of lanes without side inputs, which come last */
uint64_t inputs_n_events(const Inputs *in); /* read so far */
/* Bytes of all inputs on disk: read so far, and all (0: unknown); any thread. */
void inputs_progress(const Inputs *in, uint64_t *out_done, uint64_t *out_size);
bool inputs_cancelled(const Inputs *in);
/* An error for inputs that shrank after they were read, or changed between two readings. */
Error *inputs_check_unchanged(const Inputs *in);
/* const Descriptor *: their sources, each once; first those that looked through folders, then
 * those that read. */
GPtrArray *inputs_sources(const Inputs *in);

#endif
