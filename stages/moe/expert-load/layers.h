/* Loads added up by layer and expert, exactly as long as they are whole. */
/* SPDX-License-Identifier: MIT */
#ifndef EXPERT_LOAD_LAYERS_H
#define EXPERT_LOAD_LAYERS_H

#include "kit/state/state.h"

#ifndef LAYERS_MAX_CELLS
#define LAYERS_MAX_CELLS 100000u /* experts x layers that are remembered */
#endif
#define LAYERS_ALL INT64_MAX

/* Whole loads in `whole`, others in `rest`: the load is their sum. */
typedef struct Cell {
  int64_t whole;
  double rest;
} Cell;

enum { PART_DECODE, PART_WARMUP, N_PARTS }; /* of the steps, by their number of tokens */

typedef struct Expert {
  Cell parts[N_PARTS];
} Expert;

typedef struct Layer {
  int64_t number;
  Expert *experts;
  uint32_t n_experts; /* of the longest row */
  size_t capacity;
  int64_t steps[N_PARTS];
  __int128 cv; /* sum over the steps of their coefficient of variation, in units of 2^-40 */
} Layer;

/* When there is no space for all, the layers with the largest numbers go: which ones that are does
 * not depend on the order in which rows and summaries come.  { .common = common,
 * .cut = LAYERS_ALL } is empty. */
typedef struct Layers {
  const MillHost *common;
  Layer *sorted; /* by number */
  uint32_t n;
  size_t capacity;
  uint32_t n_cells;
  int64_t cut; /* layers from this number on are left out; LAYERS_ALL: none */
  Layer *last; /* found */
} Layers;
extern const StateType layers_state;

/* The layer, made if need be, with space for as many experts.  NULL: it is left out, or, as
 * *out_failed tells, memory was refused.  Pointers to other layers may end. */
Layer *layers_reach(Layers *l, int64_t number, uint32_t n_experts, bool *out_failed);

/* Adds what cannot be added as an integer too. */
void cell_add(Cell *cell, double load);
static inline double cell_load(Cell cell) { return (double)cell.whole + cell.rest; }
/* Of both parts, or of the decode part alone. */
Cell layer_cell(const Layer *layer, uint32_t expert, bool decode_only);
void cell_merge(Cell *into, Cell from);
static inline int64_t layer_steps(const Layer *layer)
{
  return layer->steps[PART_DECODE] + layer->steps[PART_WARMUP];
}

#endif
