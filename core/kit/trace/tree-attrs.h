/* The private attributes that torch/host-tree sets, and what they say. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TREE_ATTRS_H
#define KIT_TREE_ATTRS_H

#include <stagemill/types.h>

#include "kit/text/fields.h"

/* Of operators and calls: */
#define TREE_DIRECT \
  "tree_direct_ns" /* union of the device work that it launched itself, without communication */
#define TREE_SUBTREE "tree_subtree_ns" /* the same of all that is below it; where something is */
#define TREE_SPLIT "tree_split"        /* true: its time is of several categories, see TREE_PART */
#define TREE_KERNELS "tree_kernels"    /* how many device events the first of these is of */
#define TREE_MODULE "tree_module"      /* path of the nn.Modules around it */
#define TREE_MODEL "tree_model" /* true: its work is modelled, and that of nothing around it */
#define TREE_GEMM \
  "tree_gemm" /* of a GEMM, and of the device work below it: a number of its own in the lane */
/* Of these and of device work, there of the operator or call that launched it: */
#define TREE_ROW \
  "tree_row" /* name, category, pass, dims, types, strides, concrete inputs as fields */
/* See op-category.h.  Device work of an operator that may do anything has its own, the operator those of all: "GEMM, reduce" */
#define TREE_CATEGORY "tree_category"
#define TREE_STEP "tree_step" /* number of the ProfilerStep# in which it, or its call, begins */
/* Of device work: */
#define TREE_LINK "tree_link" /* how its call was found: correlation, flow, external, none */
#define TREE_LAUNCHER "tree_launcher" /* operator, call, graph, capture, none */
#define TREE_OP "tree_op"             /* name of the operator, where there is one */
#define TREE_OUTER "tree_outer"       /* name of the outermost operator around that, within its module */
#define TREE_OUTER_MODULE "tree_outer_module" /* path of that module */
#define TREE_OP_START "tree_op_start_ns"
#define TREE_CALL "tree_call"                /* name of its call, where there is no operator */
#define TREE_CALL_START "tree_call_start_ns" /* of its call, where there is one */
#define TREE_CALL_DUR "tree_call_dur_ns"
/* Of a launcher whose work is of several categories: how long it runs where nothing of it that began before does; they add
 * up to the launcher's direct time.  true: the first of its category. */
#define TREE_PART "tree_part_ns"
#define TREE_PART_FIRST "tree_part_first"
/* Operators within a graph launch are no events.  The first work of such an operator stands for it: it has TREE_DIRECT, _SUBTREE,
 * _KERNELS, _MODULE and _SPLIT too, its TREE_ROW is that of the operator in any case; and where an operator's work is modelled,
 * the first below it has these: */
#define TREE_MODEL_ROW "tree_model_row"
#define TREE_MODEL_TIME "tree_model_ns" /* as TREE_SUBTREE */
#define TREE_TRACK "tree_track" /* number of the track of its call, else of its operator */
#define TREE_LIST "tree_list"   /* names of all device work of its operator, in order of start */

#define TREE_READ(name)                      \
  {                                          \
    name, MILL_AS_ANY, MILL_KIND(MILL_SLICE) \
  }

/* The private attributes that torch/graphs sets: of device work under a graph launch, whose launch was found in a capture. */
#define GRAPH_REPLAY "graph_replay"     /* number of the graph launch in the lane */
#define GRAPH_POSITION "graph_position" /* of the launch among those of the capture */
/* The operators around it, as fields: the path of modules, then from the outermost on the name of each, `b` for one of the
 * backward pass, and its argument lists as fields of their own. */
#define GRAPH_STACK "graph_stack"
#define GRAPH_CALLS "graph_calls" /* what tells calls of them apart in the capture, as fields: of the module, then of each operator */

MillSym tree_key(const MillHost *, const char *attr);
/* The text that an attribute holds as a symbol; 0: there is none. */
MillSym tree_sym(const MillHost *, const MillBatch *, const MillEvent *, MillSym key);
bool tree_true(const MillBatch *, const MillEvent *, MillSym key);

enum {
  ROW_NAME,
  ROW_CATEGORY,
  ROW_PASS,
  ROW_DIMS,
  ROW_TYPES,
  ROW_STRIDES,
  ROW_CONCRETE,
  ROW_FIELDS
};
typedef struct TreeRow {
  Field at[ROW_FIELDS];
} TreeRow;
TreeRow tree_row(const char *text, size_t len);

#endif
