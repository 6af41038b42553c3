/* Rates and rooflines; see op-rates.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- work */

bool op_rates_work(const MillHost *common, const TreeRow *row, const OpServed *served, OpCall *out)
{
  OpShape shape;
  char *name = common->scratch(common, row->at[ROW_NAME].len + 1);
  if (!name) return false;
  memcpy(name, row->at[ROW_NAME].text, row->at[ROW_NAME].len);
  *out = (OpCall){ .family = op_family(name) };
  if (op_shape_read(row->at[ROW_DIMS], row->at[ROW_TYPES], row->at[ROW_CONCRETE], &shape)) {
    out->work = op_work(out->family, name, &shape, served);
    out->serves = op_work_serves(out->family, name, &shape);
  }
  const OpWork *w = &out->work;
  if (!w->known || w->flop > 9e18 || w->bytes > 9e18) out->work = (OpWork){ 0 };
  return true;
}

void op_rates_set(OpRates *r, const OpWork *w)
{
  r->known = w->known;
  r->has_flop = w->known && w->has_flop;
  r->is_bound = w->is_bound;
  r->is_upper = w->is_upper;
  r->flop = w->flop;
  r->bytes = w->bytes;
}

void op_rates_spec(OpFamily family, const OpWork *w, char out[SPEC_BYTES])
{
  *out = 0;
  if (!w->known || !w->has_flop) return;
  snprintf(out, SPEC_BYTES, "%s_%s", op_family_is_matrix(family) ? "matrix" : "vector",
           op_type_name(w->type));
}

/* ---- adding up */

static bool add_rate(Dist *d, Hists *hists, double amount, int64_t time_ns)
{
  double rate = amount * 1e9 / (double)time_ns + 0.5;
  return dist_add(d, hists, rate < 9.2e18 ? (int64_t)rate : INT64_MAX);
}

bool op_rates_add(OpRates *r, Hists *hists, int64_t time_ns)
{
  if (!dist_add(&r->time, hists, time_ns)) return false;
  if (!r->known || time_ns <= 0) return true;
  return (!r->has_flop || add_rate(&r->flop_rate, hists, r->flop, time_ns)) &&
         add_rate(&r->byte_rate, hists, r->bytes, time_ns);
}

static const StateField rates_fields[] = {
  STATE_FIRST(OpRates, known),    STATE_FIRST(OpRates, has_flop), STATE_FIRST(OpRates, is_bound),
  STATE_FIRST(OpRates, is_upper), STATE_FIRST(OpRates, flop),     STATE_FIRST(OpRates, bytes),
  STATE_DIST(OpRates, time),      STATE_DIST(OpRates, flop_rate), STATE_DIST(OpRates, byte_rate),
};
const StateType op_rates_state = STATE_TYPE(OpRates, rates_fields);

/* ---- cells */

OpWorkCells op_rates_work_cells(const OpRates *r)
{
  return (OpWorkCells){ .flop = r->has_flop ? (int64_t)r->flop : MILL_NO_INT,
                        .bytes = r->known ? (int64_t)r->bytes : MILL_NO_INT,
                        .flop_per_byte =
                            r->has_flop && r->bytes > 0 ? r->flop / r->bytes : (double)NAN };
}

/* Of calls that take time: what they do over how long, so that short ones do not count as much as long ones. */
static double whole_rate(double amount, const OpRates *r, const Dist *rate)
{
  double time_ns = (double)r->time.moments.sum;
  if (rate->moments.n == 0 || time_ns <= 0) return (double)NAN;
  return amount * (double)rate->moments.n / (time_ns * 1e3);
}

OpRateCells op_rates_cells(OpRates *r)
{
  return (OpRateCells){ .time_ns = dist_stats(&r->time, 1),
                        .all_tflops = whole_rate(r->flop, r, &r->flop_rate),
                        .tflops = dist_stats(&r->flop_rate, 1e12),
                        .all_tbps = whole_rate(r->bytes, r, &r->byte_rate),
                        .tbps = dist_stats(&r->byte_rate, 1e12) };
}

double op_rates_over_limit(const OpRates *r, const Arch *arch, const char *spec)
{
  double limit = arch->known ? arch_limit(arch, spec) : 0;
  if (!r->has_flop || r->flop_rate.moments.n == 0 || limit <= 0) return 0;
  return (double)r->flop_rate.moments.max / (limit * 1e12);
}

OpRoofCells op_rates_roof_cells(const OpRates *r, const Arch *arch, const char *spec)
{
  double mean;
  double peak = arch_peak(arch, spec);
  OpRoofCells cells = { (double)NAN, NULL, (double)NAN, -1 };
  if (!r->known || !arch->known || (r->has_flop && peak <= 0)) return cells;
  double compute_ns = r->has_flop ? r->flop / (peak * 1e12) * 1e9 : 0;
  double memory_ns = r->bytes / (arch->mem_bw_gbps * 1e9) * 1e9;
  bool computes = r->has_flop && compute_ns >= memory_ns;
  cells.roofline_ns = computes ? compute_ns : memory_ns;
  cells.bound = computes ? "compute" : "memory";
  if (moments_mean(&r->time.moments, &mean) && mean > 0)
    cells.share = 100 * cells.roofline_ns / mean;
  double over = op_rates_over_limit(r, arch, spec);
  if (over > 0) cells.above_peak = over > 1;
  return cells;
}
