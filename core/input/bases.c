/* Bases that become known after the events; see bases.h. */
/* SPDX-License-Identifier: MIT */
#include "input/bases.h"

#include "model/engine.h"

/* ------------------------------------------------------------ who needs them */

bool bases_are_needed(const Inputs *in)
{
  guint n = 0, n_streams = 0;
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    n += !lane->side;
    n_streams += !lane->side && lane->streams;
  }
  return n > 1 && n_streams && in->one_file;
}

/* ---------------------------------------------------------------- searching */

void bases_search(Input *reader)
{
  if (reader->lane->side) return;
  if (!reader->files && input_may_have_base(reader)) input_describe_again(reader);
  reader->lane->base_fixed = true;
}

/* ----------------------------------------------------------------- checking */

static bool is_known(const LaneInfo *lane) { return lane->base_ns != MILL_NO_BASE; }

/* Whether the times of all lanes count from this lane's base: it is the first lane with a known
 * base. */
static bool is_first(const Inputs *in, uint32_t index)
{
  for (guint i = 0; i < index && i < in->lanes->len; i++)
    if (is_known(inputs_lane(in, i))) return false;
  return true;
}

/* Lanes that do not wait may have been written with the base of the first lane. */
static bool is_in_use(const Inputs *in, const LaneInfo *lane)
{
  if (!is_first(in, lane->index) || !in->one_file) return false;
  for (guint i = 0; i < in->lanes->len; i++) {
    const LaneInfo *other = inputs_lane(in, i);
    if (i != lane->index && is_known(other) && other->streams) return true;
  }
  return false;
}

bool bases_move(const Inputs *in, LaneInfo *lane, int64_t base_ns)
{
  if (is_in_use(in, lane)) return false;
  lane->base_ns = base_ns;
  lane->base_differs = false;
  return true;
}

/* The difference between the base that was used and the true one. */
static int64_t miss_ns(const LaneInfo *l)
{
  int64_t miss = 0, used = l->base_ns == MILL_NO_BASE ? 0 : l->base_ns;
  if (l->base_differs && __builtin_sub_overflow(l->final_base_ns, used, &miss)) return INT64_MAX;
  return miss;
}

static Error *wrong_base(const LaneInfo *lane)
{
  Error *e = error_new(EXIT_INPUT, "RUN-11", "%s cannot share a base time with the other inputs",
                       lane->name);
  error_why(e, "its base time comes after its events, and it cannot be read twice");
  return error_help(e,
                    "save it to a file first, or write one file per rank: -o 'NAME-{rank}.json'");
}

void bases_note_unknown(SetAside *aside, const GPtrArray *lanes)
{
  bool any = false;
  for (guint i = 0; i < lanes->len; i++) {
    const LaneInfo *lane = lanes->pdata[i];
    any = any || (lane->timed && is_known(lane));
  }
  for (guint i = 0; any && i < lanes->len; i++) {
    const LaneInfo *lane = lanes->pdata[i];
    if (lane->timed && !is_known(lane))
      engine_note(&aside->notices, ENGINE_UNKNOWN_BASE, lane->index, NULL);
  }
}

/* A joined file whose base is found only after its events. */
static Error *check_joined(const Input *joined)
{
  for (guint i = 0; i < joined->files->len; i++) {
    const LaneInfo *file = ((const Input *)joined->files->pdata[i])->lane;
    if (miss_ns(file)) return wrong_base(file);
  }
  return NULL;
}

Error *bases_check(const Inputs *in)
{
  for (guint i = 0; i < in->joined->len; i++) {
    Error *e = check_joined(in->joined->pdata[i]);
    if (e) return e;
  }
  if (!in->lanes->len) return NULL;
  const LaneInfo *first = inputs_lane(in, 0);
  int64_t first_ns = miss_ns(first);
  for (guint i = 1; i < in->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(in, i);
    if (!lane->side && miss_ns(lane) != first_ns) return wrong_base(miss_ns(lane) ? lane : first);
  }
  for (guint i = 0; i < in->lanes->len; i++) {
    LaneInfo *lane = inputs_lane(in, i);
    if (lane->base_differs) lane->base_ns = lane->final_base_ns;
  }
  return NULL;
}
