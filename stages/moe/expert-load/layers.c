/* Loads added up by layer and expert. */
/* SPDX-License-Identifier: MIT */
#include "layers.h"

#include <string.h>

#include "kit/state/grow.h"
#include "kit/state/search.h"

/* ---- finding */

static uint32_t index_of(const Layers *l, int64_t number)
{
  return (uint32_t)FIRST_NOT(l->n, i, l->sorted[i].number < number);
}

static Layer *insert(Layers *l, uint32_t index, int64_t number)
{
  if (!array_reserve(l->common, &l->sorted, &l->capacity, l->n + 1, sizeof *l->sorted)) return NULL;
  memmove(l->sorted + index + 1, l->sorted + index, (l->n - index) * sizeof *l->sorted);
  l->sorted[index] = (Layer){ .number = number };
  l->n++;
  return &l->sorted[index];
}

/* Leaves out all layers from this number on. */
static void cut_from(Layers *l, int64_t number)
{
  if (number >= l->cut) return;
  l->cut = number;
  l->last = NULL;
  while (l->n > 0 && l->sorted[l->n - 1].number >= number) {
    const Layer *layer = &l->sorted[--l->n];
    l->n_cells -= layer->n_experts;
    array_free(l->common, layer->experts);
  }
}

/* Makes space for further experts of a layer, at the cost of greater ones, then of itself. */
static void make_cells(Layers *l, int64_t number, uint32_t more)
{
  while (l->n_cells + more > LAYERS_MAX_CELLS && l->n > 0 && l->sorted[l->n - 1].number > number)
    cut_from(l, l->sorted[l->n - 1].number);
  if (l->n_cells + more > LAYERS_MAX_CELLS) cut_from(l, number);
}

static Layer *find(const Layers *l, int64_t number, uint32_t *out_index)
{
  *out_index = index_of(l, number);
  bool found = *out_index < l->n && l->sorted[*out_index].number == number;
  return found ? &l->sorted[*out_index] : NULL;
}

Layer *layers_reach(Layers *l, int64_t number, uint32_t n_experts, bool *out_failed)
{
  uint32_t index;
  *out_failed = false;
  if (l->last && l->last->number == number && n_experts <= l->last->n_experts) return l->last;
  Layer *layer = find(l, number, &index);
  uint32_t now = layer ? layer->n_experts : 0, more = n_experts > now ? n_experts - now : 0;
  make_cells(l, number, more);
  if (number >= l->cut) return NULL;
  if (!layer) layer = insert(l, index, number);
  *out_failed = !layer || !array_reserve(l->common, &layer->experts, &layer->capacity, n_experts,
                                         sizeof *layer->experts);
  if (*out_failed) return NULL;
  layer->n_experts += more;
  l->n_cells += more;
  l->last = layer;
  return layer;
}

/* ---- adding */

void cell_merge(Cell *into, Cell from)
{
  int64_t sum;
  into->rest += from.rest;
  if (__builtin_add_overflow(into->whole, from.whole, &sum))
    into->rest += (double)from.whole;
  else
    into->whole = sum;
}

void cell_add(Cell *cell, double load)
{
  Cell one = { 0, load };
  if (load >= 0 && load < 9007199254740992.0 && load == (double)(int64_t)load)
    one = (Cell){ (int64_t)load, 0 };
  cell_merge(cell, one);
}

Cell layer_cell(const Layer *layer, uint32_t expert, bool decode_only)
{
  Cell cell = { 0, 0 };
  if (expert >= layer->n_experts) return cell;
  cell = layer->experts[expert].parts[PART_DECODE];
  if (!decode_only) cell_merge(&cell, layer->experts[expert].parts[PART_WARMUP]);
  return cell;
}

/* ---- saved state */

static void layer_merge(Layer *into, const Layer *from)
{
  into->cv += from->cv;
  for (int part = 0; part < N_PARTS; part++) {
    into->steps[part] += from->steps[part];
    for (uint32_t e = 0; e < from->n_experts; e++)
      cell_merge(&into->experts[e].parts[part], from->experts[e].parts[part]);
  }
}

static bool take_layer(void *owner, const void *element)
{
  Layers *const l = owner;
  const Layer *from = element;
  bool failed;
  Layer *into = layers_reach(l, from->number, from->n_experts, &failed);
  if (into) layer_merge(into, from);
  array_free(l->common, from->experts);
  return !failed;
}

static void save_cut(StateIo *io, const StateField *f, void *owner, void *at)
{
  (void)f, (void)owner;
  io->host->put_int(io->host, *(const int64_t *)at);
}

static bool load_cut(StateIo *io, const StateField *f, void *owner, void *at, bool is_new)
{
  (void)f, (void)at, (void)is_new;
  cut_from(owner, io->host->get_int(io->host));
  return true;
}

static const StateOps state_of_cut = { save_cut, load_cut, 2 };

static const StateField cell_fields[] = { STATE_FIRST(Cell, whole), STATE_FIRST(Cell, rest) };
static const StateType cell_state = STATE_TYPE(Cell, cell_fields);

static const StateField expert_fields[] = { STATE_PART(Expert, parts, cell_state) };
static const StateType expert_state = STATE_TYPE(Expert, expert_fields);

static const StateField layer_fields[] = {
  STATE_FIRST(Layer, number),
  STATE_LIST(Layer, experts, n_experts, capacity, expert_state),
  STATE_FIRSTS(Layer, steps),
  STATE_FIRST(Layer, cv),
};
static const StateType layer_state = STATE_TYPE(Layer, layer_fields);

static const StateField layers_fields[] = {
  STATE_BY(Layers, cut, state_of_cut),
  STATE_TAKEN(Layers, sorted, n, layer_state, take_layer),
};
const StateType layers_state = STATE_TYPE(Layers, layers_fields);
