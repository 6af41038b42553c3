/* The stage step-change: what a lane collects of its steps, and what the run level knows of both sides. */
/* SPDX-License-Identifier: MIT */
#ifndef WHY_WHY_H
#define WHY_WHY_H

#include <stagemill/stage.h>

#include "kit/text/fields.h"
#include "torch/lib/sides.h"
#include "torch/lib/step-facts.h"
#include "torch/lib/work-class.h"

enum { TABLE_WHY, TABLE_SUMMARY, TABLE_WATERFALL };
enum { NOTICE_SIDES = 1 };

/* ---- a lane */

typedef struct WorkLabel { /* of a DeviceWork, by its `data` */
  MillSym row, kernel;     /* row: see TREE_ROW; 0: no operator launched it */
  MillSym module, outer;   /* see TREE_OUTER_MODULE, TREE_OUTER */
  uint8_t class;
} WorkLabel;

typedef struct Leaf { /* time of one kind in steps after warm-up, of all devices of a lane */
  MillText key;       /* cause, class, operator, kernel, module and outer operator as fields */
  int64_t time_ns, calls;
} Leaf;

typedef struct Lane {
  int64_t side, rank;
  WorkClasses classes;
  MillSym row, module, outer; /* keys of attributes */
  WorkLabel *labels; /* as many as facts.infos */
  size_t label_capacity;
  Keyed *sums; /* LeafSum, by LeafKey */
  Leaf *leaves;
  size_t n_leaves;
} Lane;

/* ---- the run level */

typedef struct Share { /* of one kind in a mean step of a mean rank */
  double time_ns, calls;
} Share;

typedef struct Run { /* a recording of one side; several are repeats */
  int side;
  Facts facts;   /* of all its lanes */
  Keyed *shares; /* Share, by the key of leaves; sums over lanes until they are divided by their number */
} Run;

typedef struct Why {
  const MillStageHost *host;
  const MillHost *common;
  Facts facts;
  Lane lane;
  Run **runs; /* in order of their first lane */
  size_t n_runs, run_capacity;
  Keyed *ranks; /* int64_t: lanes of that rank so far, by side and rank */
  Keyed *late;  /* LateRank, by rank: see waits_see */
  Buffer text;
} Why;

typedef struct LateRank { /* how long others waited for it, a step */
  double waits_ns[N_SIDES];
  int64_t rank;
} LateRank;

/* leaves.c: false: memory was refused. */
extern const StepWatch leaf_watch; /* Facts.watcher is the Why */
bool leaves_open(Why *);
bool leaves_close(Why *);
bool leaf_key(Buffer *out, Cause, const char *class, MillText op, MillText kernel);

/* runs.c */
void lane_save(Why *);
int lane_merge(Why *);
/* Divides the communication of each run, and its shares by the number of its ranks; 0, or a failure. */
int runs_close(Why *);

/* ---- rows */

enum { LEVEL_STEP, LEVEL_PART, LEVEL_CLASS, LEVEL_OP, LEVEL_KERNEL, N_LEVELS };

typedef struct Node { /* of the tree of levels: a kind of time, or all of those that begin alike */
  MillText names[N_LEVELS]; /* those below its level are empty */
  MillText above, outer;    /* of a leaf: module and outer operator as fields; the name of that operator */
  double *times_ns;         /* by run */
  double times[N_SIDES], calls[N_SIDES]; /* means of the runs of a side */
  int64_t ns[N_SIDES];      /* whole, so that children add up to their parent */
  size_t first, n;          /* its leaves */
  int level;
  bool is_replaced;         /* kernels below it went, and others came */
} Node;

typedef struct Tree {
  Node *leaves, *nodes; /* nodes: of all levels, in order of level, then leaves */
  size_t n_leaves, n_nodes, node_capacity;
} Tree;

/* tree.c */
bool tree_make(Why *, Tree *out); /* the nodes of all runs */
bool node_computes(const Node *);

/* unite.c: operators that only one side has become the outer operator that both sides have around such ones. */
bool unite_operators(const Why *, Tree *);

/* What of computing time both sides have, in percent of each; and the factor by which nearly all of it changed, else NaN. */
typedef struct Match {
  double percent[N_SIDES], factor;
} Match;
/* match.c; false: memory was refused. */
bool match_work(const Why *, const Tree *, Match *out);

/* rows.c: 0, or what the host returned. */
int why_report(Why *, const Tree *, const Match *);

#endif
