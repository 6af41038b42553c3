/* Loads added up by layer and expert. */
#include "layers.h"

#include <string.h>

#include "lib/grow.h"

static void layer_free(const MillHost *common, Layer *layer)
{
  for (int part = 0; part < N_PARTS; part++) array_free(common, layer->parts[part]);
  array_free(common, layer);
}

/* ---- finding */

static uint32_t index_of(const Layers *l, int64_t number)
{
  uint32_t low = 0, high = l->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (l->sorted[middle]->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static Layer *insert(Layers *l, uint32_t index, int64_t number)
{
  if (!array_reserve(l->common, &l->sorted, &l->capacity, l->n + 1, sizeof(Layer *))) return NULL;
  Layer *layer = mill_new(l->common, sizeof *layer);
  if (!layer) return NULL;
  layer->number = number;
  memmove(l->sorted + index + 1, l->sorted + index, (l->n - index) * sizeof *l->sorted);
  l->sorted[index] = layer;
  l->n++;
  return layer;
}

static bool reserve(const MillHost *common, Layer *layer, uint32_t n_experts)
{
  for (int part = 0; part < N_PARTS && n_experts > 0; part++)
    if (!array_reserve_at(common, &layer->parts[part], &layer->capacity[part], n_experts - 1,
                          sizeof(Cell)))
      return false;
  return true;
}

/* Leaves out all layers from this number on. */
static void cut_from(Layers *l, int64_t number)
{
  if (number >= l->cut) return;
  l->cut = number;
  l->last = NULL;
  while (l->n > 0 && l->sorted[l->n - 1]->number >= number) {
    Layer *layer = l->sorted[--l->n];
    l->n_cells -= layer->n_experts;
    layer_free(l->common, layer);
  }
}

/* Makes space for further experts of a layer, at the cost of greater ones, then of itself. */
static void make_cells(Layers *l, int64_t number, uint32_t more)
{
  while (l->n_cells + more > LAYERS_MAX_CELLS && l->n > 0 && l->sorted[l->n - 1]->number > number)
    cut_from(l, l->sorted[l->n - 1]->number);
  if (l->n_cells + more > LAYERS_MAX_CELLS) cut_from(l, number);
}

static Layer *find(const Layers *l, int64_t number, uint32_t *out_index)
{
  *out_index = index_of(l, number);
  bool found = *out_index < l->n && l->sorted[*out_index]->number == number;
  return found ? l->sorted[*out_index] : NULL;
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
  *out_failed = !layer || !reserve(l->common, layer, n_experts);
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
  cell = layer->parts[PART_DECODE][expert];
  if (!decode_only) cell_merge(&cell, layer->parts[PART_WARMUP][expert]);
  return cell;
}

/* ---- summaries */

enum {
  EXPERT_BYTES = N_PARTS * 2
}; /* the smallest that one takes in a summary: two bytes per int */

static bool has_rest(const Layer *layer)
{
  for (uint32_t e = 0; e < layer->n_experts; e++)
    if (layer->parts[PART_DECODE][e].rest != 0 || layer->parts[PART_WARMUP][e].rest != 0)
      return true;
  return false;
}

static void save_layer(const Layer *layer, const MillStageHost *host)
{
  bool rest = has_rest(layer);
  host->put_int(host, layer->number);
  host->put_int(host, layer->n_experts);
  host->put_int(host, rest);
  host->put_int(host, layer->steps[PART_DECODE]);
  host->put_int(host, layer->steps[PART_WARMUP]);
  host->put_int(host, (int64_t)((unsigned __int128)layer->cv >> 64));
  host->put_int(host, (int64_t)(uint64_t)layer->cv);
  for (int part = 0; part < N_PARTS; part++)
    for (uint32_t e = 0; e < layer->n_experts; e++) {
      host->put_int(host, layer->parts[part][e].whole);
      if (rest) host->put_real(host, layer->parts[part][e].rest);
    }
}

void layers_save(const Layers *l, const MillStageHost *host)
{
  host->put_int(host, l->cut);
  host->put_int(host, l->n);
  for (uint32_t i = 0; i < l->n; i++) save_layer(l->sorted[i], host);
}

static void load_cells(Layer *layer, const MillStageHost *host, uint32_t n_experts, bool rest)
{
  for (int part = 0; part < N_PARTS; part++)
    for (uint32_t e = 0; e < n_experts; e++) {
      Cell cell = { host->get_int(host), 0 };
      if (rest) cell.rest = host->get_real(host);
      if (layer) cell_merge(&layer->parts[part][e], cell);
    }
}

static bool merge_layer(Layers *l, const MillStageHost *host)
{
  bool failed;
  int64_t number = host->get_int(host);
  uint32_t n_experts = (uint32_t)host->get_count(host, EXPERT_BYTES);
  bool rest = host->get_int(host) != 0;
  int64_t decode = host->get_int(host), warmup = host->get_int(host);
  unsigned __int128 cv = (unsigned __int128)(uint64_t)host->get_int(host) << 64;
  cv |= (uint64_t)host->get_int(host);
  Layer *layer = layers_reach(l, number, n_experts, &failed);
  load_cells(layer, host, n_experts, rest);
  if (!layer) return !failed;
  layer->steps[PART_DECODE] += decode;
  layer->steps[PART_WARMUP] += warmup;
  layer->cv += (__int128)cv;
  return true;
}

bool layers_merge(Layers *l, const MillStageHost *host)
{
  bool done = true;
  cut_from(l, host->get_int(host));
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && done && host->get_more(host); i++) done = merge_layer(l, host);
  return done;
}
