/* The object of communicationOverhead.  It keeps the original's definitions, whatever one may
 * think of them, only that it has null where the original has 0 for a cell that is not there: of several fused MoE kernels the first in file order stands for all, the average
 * of all-to-all is that of the rows' averages, writing the key-value cache is attention, and a
 * value that did not change counts as not improved. */
/* SPDX-License-Identifier: MIT */
#include "eplb-object.h"

#include <math.h>
#include <string.h>

#include "base/json-write.h"

static double ms(int64_t ns) { return (double)ns / 1e6; }
static double us(double ns) { return ns / 1e3; }

static void put_names(JsonWriter *out, const char *key, const KernelSide *side, bool nccl)
{
  json_put_open(out, key, '[');
  for (uint32_t i = 0; i < side->n_tables; i++) {
    const NameList *list = nccl ? &side->tables[i].nccl : &side->tables[i].moe;
    const char *name = list->names.text, *end = name + list->names.len;
    for (; name < end; name += strlen(name) + 1) json_put_text(out, NULL, name);
  }
  json_put_close(out);
}

/* A cell that the table lacks is null, where the original reads 0. */
static double if_known(bool known, double v) { return known ? v : (double)NAN; }
static double extreme(int64_t ns) { return if_known(ns >= 0, (double)ns); }
static double ratio_of(double most, double least) { return least == 0 ? INFINITY : most / least; }
static double cv_of(const KernelRow *row)
{
  return if_known(row->has_std, row->avg_ns == 0 ? 0 : row->std_ns / row->avg_ns);
}
static double fused_ratio(const KernelRow *row)
{
  return ratio_of(extreme(row->max_ns), extreme(row->min_ns));
}

static double pct_of(const KernelSums *sums) { return if_known(!sums->no_pct, sums->pct); }

static void put_moe(JsonWriter *out, const KernelSide *side)
{
  const KernelSums *moe = &side->sums[CLASS_MOE];
  if (!moe->rows) return;
  put_names(out, "moe_kernels", side, false);
  json_put_real(out, "moe_total_time_ms", ms(moe->total_ns));
  json_put_real(out, "moe_time_pct", pct_of(moe));
  json_put_int(out, "moe_instances", moe->count);
}

static void put_fused(JsonWriter *out, const KernelRow *row)
{
  if (!row) return;
  json_put_real(out, "fused_moe_total_ms", ms(row->total_ns));
  json_put_real(out, "fused_moe_avg_us", us(row->avg_ns));
  json_put_real(out, "fused_moe_min_us", us(extreme(row->min_ns)));
  json_put_real(out, "fused_moe_max_us", us(extreme(row->max_ns)));
  json_put_real(out, "fused_moe_std_us", us(if_known(row->has_std, row->std_ns)));
  json_put_int(out, "fused_moe_instances", row->count);
  json_put_real(out, "fused_moe_max_min_ratio", fused_ratio(row));
  json_put_real(out, "fused_moe_cv", cv_of(row));
  if (!row->has_med || row->med_ns <= 0) return;
  json_put_real(out, "fused_moe_med_us", us(row->med_ns));
  json_put_real(out, "fused_moe_med_mean_ratio", ratio_of(row->med_ns, row->avg_ns));
}

static bool has_ratio(const KernelSums *sums)
{
  return sums->has_min && sums->has_max && sums->min_ns > 0;
}

static void put_nccl(JsonWriter *out, const KernelSide *side)
{
  const KernelSums *nccl = &side->sums[CLASS_NCCL];
  const KernelSums *alltoall = &side->sums[CLASS_NAMED_ALLTOALL];
  const KernelSums *allreduce = &side->sums[CLASS_ALLREDUCE];
  if (!nccl->rows) return;
  put_names(out, "nccl_kernels", side, true);
  json_put_real(out, "nccl_total_time_ms", ms(nccl->total_ns));
  json_put_real(out, "nccl_time_pct", pct_of(nccl));
  json_put_int(out, "nccl_instances", nccl->count);
  if (alltoall->rows) {
    json_put_real(out, "alltoall_total_ms", ms(alltoall->total_ns));
    json_put_int(out, "alltoall_instances", alltoall->count);
    json_put_real(out, "alltoall_avg_us", us(alltoall->avg_ns / (double)alltoall->rows));
    json_put_real(out, "alltoall_max_us",
                  us(if_known(alltoall->has_max, (double)alltoall->max_ns)));
    json_put_real(out, "alltoall_min_us",
                  us(if_known(alltoall->has_min, (double)alltoall->min_ns)));
    if (has_ratio(alltoall))
      json_put_real(out, "alltoall_max_min_ratio",
                    (double)alltoall->max_ns / (double)alltoall->min_ns);
  }
  if (!allreduce->rows) return;
  json_put_real(out, "allreduce_total_ms", ms(allreduce->total_ns));
  json_put_int(out, "allreduce_instances", allreduce->count);
}

static void put_attention(JsonWriter *out, const KernelSide *side)
{
  const KernelSums *attention = &side->sums[CLASS_ANY_ATTENTION];
  if (!attention->rows) return;
  json_put_real(out, "attention_total_ms", ms(attention->total_ns));
  json_put_real(out, "attention_time_pct", pct_of(attention));
}

static bool put_top(JsonWriter *out, const KernelSide *side)
{
  const TopKernel *top[TOP_OF_OBJECT];
  int n = kernel_side_top(side, TOP_OF_OBJECT, top);
  json_put_open(out, "top5_kernels", '[');
  for (int i = 0; i < n; i++) {
    json_put_open(out, NULL, '{');
    json_put_string(out, "name", top[i]->name, top[i]->len);
    json_put_real(out, "total_ms", ms(top[i]->total_ns));
    json_put_real(out, "pct", top[i]->pct);
    json_put_int(out, "instances", top[i]->count);
    json_put_close(out);
  }
  json_put_close(out);
  return n >= 0;
}

/* Why members are null that the table has cells for. */
static void put_reason(JsonWriter *out, const KernelRow *row)
{
  bool no_ratio = row && isinf(fused_ratio(row));
  bool no_med_ratio = row && row->has_med && row->med_ns > 0 && row->avg_ns == 0;
  if (!no_ratio && !no_med_ratio) return;
  json_put_open(out, "reason", '{');
  if (no_ratio) json_put_text(out, "fused_moe_max_min_ratio", "fused_moe_min_us is 0");
  if (no_med_ratio) json_put_text(out, "fused_moe_med_mean_ratio", "fused_moe_avg_us is 0");
  json_put_close(out);
}

static bool put_side(JsonWriter *out, const char *key, const char *label, const KernelSide *side)
{
  const KernelRow *fused = kernel_side_first_fused(side);
  json_put_open(out, key, '{');
  json_put_text(out, "label", label);
  put_moe(out, side);
  put_fused(out, fused);
  put_nccl(out, side);
  put_attention(out, side);
  bool fits = put_top(out, side);
  json_put_real(out, "total_kernel_time_ms", ms(side->sums[CLASS_ALL].total_ns));
  json_put_int(out, "total_kernel_instances", side->sums[CLASS_ALL].count);
  put_reason(out, fused);
  json_put_close(out);
  return fits;
}

/* ---- what improved */

enum { N_COMPARED = 10 };
typedef struct Compared {
  bool exists;
  double value;
} Compared;

static void compared_of(const KernelSide *side, Compared out[N_COMPARED])
{
  const KernelRow *fused = kernel_side_first_fused(side);
  const KernelSums *nccl = &side->sums[CLASS_NCCL];
  const KernelSums *alltoall = &side->sums[CLASS_NAMED_ALLTOALL];
  const KernelSums *allreduce = &side->sums[CLASS_ALLREDUCE];
  bool ratio = has_ratio(alltoall);
  const Compared all[N_COMPARED] = {
    { fused, fused ? (double)fused->total_ns : 0 },
    { fused, fused ? fused->avg_ns : 0 },
    { fused && fused->max_ns >= 0, fused ? (double)fused->max_ns : 0 },
    { fused && fused->has_std, fused ? fused->std_ns : 0 },
    { fused && fused->has_std, fused ? cv_of(fused) : 0 },
    { fused && !isnan(fused_ratio(fused)), fused ? fused_ratio(fused) : 0 },
    { nccl->rows, (double)nccl->total_ns },
    { alltoall->rows, (double)alltoall->total_ns },
    { ratio, ratio ? (double)alltoall->max_ns / (double)alltoall->min_ns : 0 },
    { allreduce->rows, (double)allreduce->total_ns },
  };
  memcpy(out, all, sizeof all);
}

static void put_comparison(JsonWriter *out, const KernelSide sides[N_SIDES])
{
  Compared off[N_COMPARED], on[N_COMPARED];
  int64_t improved = 0, total = 0;
  compared_of(&sides[SIDE_OFF], off);
  compared_of(&sides[SIDE_ON], on);
  for (int i = 0; i < N_COMPARED; i++) {
    if (!off[i].exists || !on[i].exists) continue;
    total++;
    improved += on[i].value < off[i].value;
  }
  json_put_open(out, "comparison", '{');
  json_put_int(out, "improved_count", improved);
  json_put_int(out, "total_count", total);
  json_put_close(out);
}

GString *eplb_object(const KernelSide sides[N_SIDES])
{
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter out = { .text = text, .layout = JSON_LINES };
  json_put_open(&out, NULL, '{');
  json_put_text(&out, "schema_version", "1.0");
  bool fits = put_side(&out, "baseline", "EPLB OFF (Baseline)", &sides[SIDE_OFF]) &&
              put_side(&out, "eplb", "EPLB ON", &sides[SIDE_ON]);
  put_comparison(&out, sides);
  json_put_close(&out);
  return fits ? g_steal_pointer(&text) : NULL;
}
