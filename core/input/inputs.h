/* The inputs of a run, and which of them each lane reads. */
#ifndef INPUT_INPUTS_H
#define INPUT_INPUTS_H

#include "input/input.h"
#include "model/set-aside.h"

typedef struct Inputs {
  InputEnv env;
  SetAside *aside;
  GPtrArray *list;      /* Input *: as they were named, side inputs last */
  GPtrArray *joined;    /* Input *: those that read several of them as one lane */
  GPtrArray *lanes;     /* LaneInfo *: in their order; what follows another lane in its input stands after all */
  GPtrArray *readers;   /* Input *: the one that each lane is read by */
  GPtrArray *left_out;  /* char *: files in folders that are no inputs */
  GPtrArray *expanders; /* Instance *: of sources that looked through folders */
  bool one_file;        /* events of all lanes go into one file */
} Inputs;

/* None yet.  Takes env->sources; what is set aside is the caller's. */
Inputs *inputs_new(const InputEnv *env, SetAside *aside);
void inputs_free(Inputs *in); /* NULL is fine */
/* Makes a lane of what the input reads now. */
void inputs_add_lane(Inputs *in, Input *reader);
/* The lane after the one that the input ended. */
void inputs_follow(Inputs *in, Input *reader);
/* Before the plan: lanes by rank, those without one last; equals as they were. */
void inputs_order_by_rank(Inputs *in);
/* Gives lanes that have none their name in results. */
void inputs_name_lanes(Inputs *in);
LaneInfo *inputs_lane(const Inputs *in, guint index);
Input *inputs_reader(const Inputs *in, guint index);
guint inputs_n_traces(const Inputs *in); /* lanes that are no side inputs: the first ones */
uint64_t inputs_n_events(const Inputs *in); /* read so far */
/* Bytes of all inputs on disk, those read and all of them (0: unknown); any thread. */
void inputs_progress(const Inputs *in, uint64_t *out_done, uint64_t *out_size);
bool inputs_cancelled(const Inputs *in);
/* Inputs that shrank after they had been read, or changed between two readings. */
Error *inputs_check_unchanged(const Inputs *in);
/* const Descriptor *: their sources, each once, in the order in which they looked through folders, then read. */
GPtrArray *inputs_sources(const Inputs *in);

#endif
