/* Sums by phase and category, and what is reported of them; see util-results.h. */
/* SPDX-License-Identifier: MIT */
#include "util-results.h"

#include <math.h>
#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/trace/stamps.h"

static const char total_name[] = "Total";

bool util_results_open(UtilResults *r, const MillHost *common)
{
  *r = (UtilResults){ .common = common, .categories = keyed_new(common, sizeof(UtilCategory)) };
  return r->categories != NULL;
}

/* The phase, a NUL, the category. */
static UtilCategory *find(UtilResults *r, const char *phase, size_t phase_len, const char *category,
                          size_t category_len)
{
  char *key = r->common->scratch(r->common, phase_len + category_len + 1);
  if (!key) return NULL;
  memcpy(key, phase, phase_len);
  key[phase_len] = '\0';
  memcpy(key + phase_len + 1, category, category_len);
  UtilCategory *c = keyed_get(r->categories, key, phase_len + category_len + 1);
  if (!c || c->total) return c;
  c->name = r->common->intern(r->common, category, category_len);
  c->phase_len = (uint32_t)phase_len;
  return c;
}

UtilCategory *util_category(UtilResults *r, const char *phase, size_t phase_len,
                            const char *category, size_t category_len)
{
  UtilCategory *c = find(r, phase, phase_len, category, category_len);
  UtilCategory *total = c ? find(r, phase, phase_len, total_name, sizeof total_name - 1) : NULL;
  if (!total) return NULL;
  total->total = total;
  c->total = total;
  return c;
}

/* -------------------------------------------------------------------- adding */

static void add_to(UtilCategory *c, int64_t time_ns, int64_t cycles)
{
  c->time_ns = add_clipped(c->time_ns, time_ns);
  c->calls++;
  c->cycles = add_clipped(c->cycles, cycles);
}

void util_results_add(UtilResults *r, UtilCategory *c, int64_t time_ns, int64_t cycles,
                      bool has_ideal)
{
  add_to(c, time_ns, cycles);
  if (c != c->total) add_to(c->total, time_ns, cycles);
  r->cycles = add_clipped(r->cycles, cycles);
  if (has_ideal) {
    r->with_ns = add_clipped(r->with_ns, time_ns);
    r->kernels++;
  } else {
    r->without_ns = add_clipped(r->without_ns, time_ns);
  }
}

/* ----------------------------------------------------------------- reporting */

static double percent(double part, double whole)
{
  return whole > 0 ? part / whole * 100 : (double)NAN;
}

static double ideal_ns(int64_t core_hz, int64_t cycles)
{
  return (double)cycles * 1e9 / (double)core_hz;
}

/* Where nothing is known to be ideal, nothing is known to be no better. */
static double ideal_percent(const UtilResults *r, double ideal, double time)
{
  return r->with_ns > 0 ? percent(ideal, time) : (double)NAN;
}

static int report_category(const UtilResults *r, const MillStageHost *host, uint32_t table,
                           int64_t core_hz, const KeyedEntry *entry)
{
  const UtilCategory *c = entry->state, *total = c->total;
  const CategoryRow row = {
    .phase = { entry->key, c->phase_len },
    .category = c->name,
    .time_ns = c->time_ns,
    .share = percent((double)c->time_ns, (double)total->time_ns),
    .calls = c->calls,
    .ideal_time_ns = stamps_span_ns(core_hz, c->cycles),
    .ideal_cycles = c->cycles,
    .ideal_share = percent((double)c->cycles, (double)total->cycles),
    .pt = ideal_percent(r, ideal_ns(core_hz, c->cycles), (double)c->time_ns),
  };
  return mill_row(host, table, &row);
}

int util_results_report(UtilResults *r, const MillStageHost *host, int64_t core_hz,
                        uint32_t categories, uint32_t utilisation)
{
  const KeyedEntry *const *sorted = keyed_sorted(r->categories);
  uint32_t n = keyed_count(r->categories);
  int status = sorted ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < n && status >= 0; i++)
    status = report_category(r, host, categories, core_hz, sorted[i]);
  if (status < 0 || n == 0) return status;
  double ideal = ideal_ns(core_hz, r->cycles), with_ns = (double)r->with_ns;
  const UtilisationRow row = {
    .pt = percent(ideal, with_ns),
    .overall = ideal_percent(r, ideal, with_ns + (double)r->without_ns),
    .with_ideal_ns = r->with_ns,
    .without_ideal_ns = r->without_ns,
  };
  return mill_row(host, utilisation, &row);
}

int util_results_report_run(const UtilResults *r, const MillStageHost *host, int64_t core_hz)
{
  if (r->with_ns <= 0)
    return host->no_metric(host, 0, NULL, "no compiler's log has an ideal time for a kernel");
  double share = percent(ideal_ns(core_hz, r->cycles), (double)r->with_ns);
  return host->metric(host, 0, NULL, mill_real(share), (uint64_t)r->kernels);
}

/* ----------------------------------------------------------------- summaries */

static const StateField results_fields[] = {
  STATE_SUM(UtilResults, with_ns),
  STATE_SUM(UtilResults, cycles),
  STATE_SUM(UtilResults, kernels),
};
const StateType util_results_state = STATE_TYPE(UtilResults, results_fields);
