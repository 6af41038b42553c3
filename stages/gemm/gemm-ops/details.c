/* Kernels of a row by position; see details.h. */
/* SPDX-License-Identifier: MIT */
#include "details.h"

#include <string.h>

#include "base/json-write.h"

static const GemmPart *part_of(const GemmRows *r, const GemmCall *call, uint32_t position)
{
  return &r->of->parts[call->first_part + position];
}

static void put_symbol(JsonWriter *w, const GemmRows *r, const char *key, MillSym sym)
{
  size_t len;
  const char *text = r->common->symbol_text(r->common, sym, &len);
  json_put_string(w, key, text, len);
}

static void put_times(JsonWriter *w, Dist *d)
{
  double std = 0;
  json_put_uint(w, "count", d->moments.n);
  json_put_int(w, "total_ns", moments_sum(&d->moments));
  json_put_real(w, "mean_ns", dist_mean(d));
  json_put_real(w, "median_ns", dist_percentile(d, 50));
  if (moments_std_population(&d->moments, &std)) json_put_real(w, "std_ns", std);
  json_put_int(w, "min_ns", d->moments.min);
  json_put_int(w, "max_ns", d->moments.max);
}

static bool put_position(JsonWriter *w, const GemmRows *r, const GemmRow *row, uint32_t position)
{
  const GemmCall *first = gemm_rows_call(r, row, 0);
  Hists alone;
  Dist d = { 0 };
  bool fits = true;
  hists_init(&alone, r->common, HIST_NO_BOUND);
  for (size_t i = 0; i < row->n && fits; i++) {
    const GemmCall *call = gemm_rows_call(r, row, i);
    if (call->n_parts != first->n_parts) continue;
    const GemmPart *p = part_of(r, call, position);
    fits = dist_add(&d, &alone, p->end_ns - p->start_ns);
  }
  json_put_open(w, NULL, '{');
  put_symbol(w, r, "name", part_of(r, first, position)->kernel);
  put_symbol(w, r, "stream", part_of(r, first, position)->stream);
  if (fits) put_times(w, &d);
  json_put_close(w);
  hists_clear(&alone);
  return fits;
}

bool details_write(const GemmRows *r, const GemmRow *row, GString *out)
{
  JsonWriter w = { .text = out, .layout = JSON_SPACED };
  const GemmCall *first = gemm_rows_call(r, row, 0);
  bool fits = true;
  g_string_truncate(out, 0);
  json_put_open(&w, NULL, '[');
  for (uint32_t i = 0; i < first->n_parts && fits; i++) fits = put_position(&w, r, row, i);
  json_put_close(&w);
  return fits;
}
