/* What is compared, and which way is better; see eplb-rows.h. */
/* SPDX-License-Identifier: MIT */
#include "eplb-rows.h"

#include <math.h>

typedef enum What { TOTAL_MS, AVG_US, MAX_US, STD_US, CV, MAX_MIN, INSTANCES, SHARE } What;

/* A total is judged, but does not count beside what it is made of. */
typedef enum Role { COUNTED, JUDGED, CONTEXT } Role;

typedef struct Definition {
  const char *name, *unit;
  uint32_t class;
  What what;
  Role role;
} Definition;

/* The counted ones are those of the original. */
static const Definition definitions[] = {
  { "kernel_total", "ms", CLASS_ALL, TOTAL_MS, JUDGED },
  { "fused_moe_total", "ms", CLASS_FUSED, TOTAL_MS, COUNTED },
  { "fused_moe_avg", "us", CLASS_FUSED, AVG_US, COUNTED },
  { "fused_moe_max", "us", CLASS_FUSED, MAX_US, COUNTED },
  { "fused_moe_std", "us", CLASS_FUSED, STD_US, COUNTED },
  { "fused_moe_cv", "ratio", CLASS_FUSED, CV, COUNTED },
  { "fused_moe_max_min", "ratio", CLASS_FUSED, MAX_MIN, COUNTED },
  { "nccl_total", "ms", CLASS_NCCL, TOTAL_MS, COUNTED },
  { "alltoall_total", "ms", CLASS_ALLTOALL, TOTAL_MS, COUNTED },
  { "alltoall_instances", "count", CLASS_ALLTOALL, INSTANCES, CONTEXT },
  { "alltoall_max_min", "ratio", CLASS_ALLTOALL, MAX_MIN, COUNTED },
  { "allreduce_total", "ms", CLASS_ALLREDUCE, TOTAL_MS, COUNTED },
  { "moe_total", "ms", CLASS_MOE, TOTAL_MS, JUDGED },
  { "attention_total", "ms", CLASS_ATTENTION, TOTAL_MS, JUDGED },
  { "kernel_instances", "count", CLASS_ALL, INSTANCES, CONTEXT },
  { "moe_share", "percent", CLASS_MOE, SHARE, CONTEXT },
  { "nccl_share", "percent", CLASS_NCCL, SHARE, CONTEXT },
  { "attention_share", "percent", CLASS_ATTENTION, SHARE, CONTEXT },
};
_Static_assert(MILL_COUNT(definitions) <= EPLB_ROWS_MAX, "rows fit");

double eplb_change(double off, double on)
{
  if (off == 0) return on == 0 ? 0 : (double)NAN;
  return (on - off) / off * 100;
}

bool eplb_share(const KernelSums *all, const KernelSums *of, double *out_pct)
{
  if (of->rows == 0 || all->total_ns <= 0) return false;
  *out_pct = (double)of->total_ns / (double)all->total_ns * 100;
  return true;
}

bool eplb_cv(const KernelSums *sums, double *out)
{
  double mean, std;
  if (!kernel_sums_mean(sums, &mean) || !kernel_sums_std(sums, &std)) return false;
  *out = mean == 0 ? 0 : std / mean;
  return true;
}

bool eplb_max_min(const KernelSums *sums, double *out)
{
  if (!sums->has_min || !sums->has_max || sums->min_ns <= 0) return false;
  *out = (double)sums->max_ns / (double)sums->min_ns;
  return true;
}

static bool value_of(const KernelSide *side, const Definition *d, double *out)
{
  const KernelSums *sums = &side->sums[d->class];
  bool exists = sums->rows > 0;
  *out = 0;
  switch (d->what) {
  case TOTAL_MS: *out = (double)sums->total_ns / 1e6; return exists;
  case INSTANCES: *out = (double)sums->count; return exists;
  case MAX_US: *out = (double)sums->max_ns / 1e3; return sums->has_max;
  case CV: return eplb_cv(sums, out);
  case MAX_MIN: return eplb_max_min(sums, out);
  case SHARE: return eplb_share(&side->sums[CLASS_ALL], sums, out);
  case AVG_US: exists = kernel_sums_mean(sums, out); break;
  case STD_US: exists = kernel_sums_std(sums, out); break;
  }
  *out /= 1e3;
  return exists;
}

static EplbVerdict verdict_of(const Definition *d, double off, double on)
{
  if (d->role == CONTEXT) return EPLB_NEUTRAL;
  if (on == off) return EPLB_SAME;
  return on < off ? EPLB_BETTER : EPLB_WORSE;
}

uint32_t eplb_rows(const KernelSide sides[N_SIDES], EplbRow out[EPLB_ROWS_MAX])
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < MILL_COUNT(definitions); i++) {
    const Definition *d = &definitions[i];
    double off, on;
    bool both = value_of(&sides[SIDE_OFF], d, &off);
    both = value_of(&sides[SIDE_ON], d, &on) && both;
    if (!both) continue;
    out[n++] = (EplbRow){ .name = d->name,
                          .unit = d->unit,
                          .off = off,
                          .on = on,
                          .change_pct = eplb_change(off, on),
                          .verdict = verdict_of(d, off, on),
                          .counted = d->role == COUNTED };
  }
  return n;
}
