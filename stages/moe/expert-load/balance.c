/* How evenly a load is spread. */
/* SPDX-License-Identifier: MIT */
#include "balance.h"

#include <math.h>

static double variance_of(const double *loads, uint32_t n, double mean)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += (loads[i] - mean) * (loads[i] - mean);
  return sum / n;
}

static double total_of(const double *loads, uint32_t n)
{
  double total = 0;
  for (uint32_t i = 0; i < n; i++) total += loads[i];
  return total;
}

static double entropy_of(const double *loads, uint32_t n, double total)
{
  double sum = 0;
  for (uint32_t i = 0; i < n; i++)
    if (loads[i] > 0) sum += loads[i] / total * log2(loads[i] / total);
  return -sum;
}

static void find_ends(const double *loads, uint32_t n, Balance *out, double *out_least)
{
  *out_least = INFINITY;
  for (uint32_t i = 0; i < n; i++) {
    if (loads[i] > loads[out->hot]) out->hot = i;
    if (loads[i] > 0 && loads[i] < *out_least) *out_least = loads[i];
    out->dead += loads[i] == 0;
  }
}

void balance_of(const double *loads, uint32_t n, Balance *out)
{
  double least;
  *out = (Balance){ .n = n, .total = total_of(loads, n) };
  find_ends(loads, n, out, &least);
  if (!(out->total > 0)) return;
  double mean = out->total / n, most = loads[out->hot];
  out->entropy_bits = entropy_of(loads, n, out->total);
  out->normalized_entropy = n > 1 ? out->entropy_bits / log2(n) : 0;
  out->cv = sqrt(variance_of(loads, n, mean)) / mean;
  out->max_min = most / least;
  out->max_mean = most / mean;
  out->balancedness = mean / most;
}

double balance_step_cv(double mean, double variance) { return sqrt(variance) / (mean + 1e-10); }

double balance_damped_cv(const double *loads, uint32_t n)
{
  double mean = total_of(loads, n) / n;
  return balance_step_cv(mean, variance_of(loads, n, mean));
}
