/* Median start, then least squares over the points within three deviations; see rank-sync-fit.h. */
/* SPDX-License-Identifier: MIT */
#include "rank-sync-fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OFFSET, DRIFT, LATENCY, N_UNKNOWN };
#define MAX_ROUNDS 20
#define KEEP_NS 1000.0 /* a point this near is never an outlier */
#define DEVIATIONS 3.0
#define MAD_TO_SIGMA 1.4826 /* of a normal distribution */

/* Times are taken from the origin and divided by the span, so that all
 * coefficients are nanoseconds and of like size. */
typedef struct Fit {
  const SyncPoint *points;
  uint32_t n;
  int64_t origin_ns, middle_ns;
  double span_ns;
  double *x, *y, *residual, *work;
  bool *kept;
  bool with_latency;
  double value[N_UNKNOWN];
} Fit;

static int by_time(const void *a, const void *b)
{
  const SyncPoint *p = a, *q = b;
  if (p->at_ns != q->at_ns) return p->at_ns < q->at_ns ? -1 : 1;
  if (p->off_ns != q->off_ns) return p->off_ns < q->off_ns ? -1 : 1;
  return (p->side > q->side) - (p->side < q->side);
}

static int by_offset(const void *a, const void *b)
{
  const int64_t *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

static int by_value(const void *a, const void *b)
{
  const double *p = a, *q = b;
  return (*p > *q) - (*p < *q);
}

static double median(double *values, uint32_t n)
{
  if (n == 0) return 0;
  qsort(values, n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static int64_t middle_offset(const SyncPoint *points, uint32_t n, int64_t *work)
{
  for (uint32_t i = 0; i < n; i++) work[i] = points[i].off_ns;
  qsort(work, n, sizeof *work, by_offset);
  return work[n / 2];
}

static void fit_open(Fit *fit, SyncPoint *points, uint32_t n, void *space)
{
  *fit = (Fit){ .points = points, .n = n, .x = space };
  fit->y = fit->x + n;
  fit->residual = fit->y + n;
  fit->work = fit->residual + n;
  int64_t *offsets = (int64_t *)(void *)(fit->work + n);
  fit->kept = (bool *)(void *)(offsets + n);
  memset(fit->kept, 0, n * sizeof *fit->kept);
  qsort(points, n, sizeof *points, by_time);
  fit->middle_ns = middle_offset(points, n, offsets);
  fit->origin_ns = points[0].at_ns;
  fit->span_ns = (double)((SyncWide)points[n - 1].at_ns - fit->origin_ns);
  bool sent = false, received = false;
  for (uint32_t i = 0; i < n; i++) {
    fit->x[i] =
        fit->span_ns > 0 ? (double)((SyncWide)points[i].at_ns - fit->origin_ns) / fit->span_ns : 0;
    fit->y[i] = (double)((SyncWide)points[i].off_ns - fit->middle_ns);
    sent |= points[i].side < 0;
    received |= points[i].side > 0;
  }
  fit->with_latency = sent && received;
}

static double steepest(const Fit *fit) { return SYNC_DRIFT_MAX * fit->span_ns; }

/* The median slope between points half the list apart, of the same side. */
static double start_drift(Fit *fit)
{
  uint32_t half = fit->n / 2, n = 0;
  for (uint32_t i = 0; i + half < fit->n && half > 0; i++) {
    double run = fit->x[i + half] - fit->x[i];
    if (run <= 0 || fit->points[i].side != fit->points[i + half].side) continue;
    fit->work[n++] = (fit->y[i + half] - fit->y[i]) / run;
  }
  double drift = n >= 2 ? median(fit->work, n) : 0;
  return fabs(drift) <= steepest(fit) ? drift : 0;
}

static double side_median(Fit *fit, int side, bool all)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < fit->n; i++)
    if (all || fit->points[i].side == side)
      fit->work[n++] = fit->y[i] - fit->value[DRIFT] * fit->x[i];
  return median(fit->work, n);
}

static void start(Fit *fit)
{
  fit->value[DRIFT] = start_drift(fit);
  fit->value[OFFSET] = side_median(fit, 0, true);
  if (!fit->with_latency) return;
  double received = side_median(fit, 1, false), sent = side_median(fit, -1, false);
  fit->value[OFFSET] = (received + sent) / 2;
  fit->value[LATENCY] = (received - sent) / 2;
}

/* Residuals, and which points are near enough; true if that choice changed. */
static bool choose(Fit *fit)
{
  for (uint32_t i = 0; i < fit->n; i++) {
    fit->residual[i] = fit->y[i] - fit->value[OFFSET] - fit->value[DRIFT] * fit->x[i] -
                       fit->value[LATENCY] * fit->points[i].side;
    fit->work[i] = fabs(fit->residual[i]);
  }
  double limit = DEVIATIONS * MAD_TO_SIGMA * median(fit->work, fit->n);
  if (limit < KEEP_NS) limit = KEEP_NS;
  bool changed = false;
  for (uint32_t i = 0; i < fit->n; i++) {
    bool keep = fabs(fit->residual[i]) <= limit;
    changed |= keep != fit->kept[i];
    fit->kept[i] = keep;
  }
  return changed;
}

/* Gauss with pivots on a small system; columns of unknowns that are not `used`
 * are left out.  False when it has no single solution. */
static bool solve(double a[N_UNKNOWN][N_UNKNOWN + 1], const bool *used, double *out)
{
  double m[N_UNKNOWN][N_UNKNOWN + 1];
  int map[N_UNKNOWN], n = 0;
  for (int i = 0; i < N_UNKNOWN; i++)
    if (used[i]) map[n++] = i;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) m[i][k] = a[map[i]][map[k]];
    m[i][n] = a[map[i]][N_UNKNOWN];
  }
  for (int col = 0; col < n; col++) {
    int best = col;
    for (int i = col + 1; i < n; i++)
      if (fabs(m[i][col]) > fabs(m[best][col])) best = i;
    if (fabs(m[best][col]) < 1e-9) return false;
    for (int k = 0; k <= n; k++) {
      double t = m[col][k];
      m[col][k] = m[best][k];
      m[best][k] = t;
    }
    for (int i = 0; i < n; i++) {
      if (i == col) continue;
      double f = m[i][col] / m[col][col];
      for (int k = col; k <= n; k++) m[i][k] -= f * m[col][k];
    }
  }
  for (int i = 0; i < N_UNKNOWN; i++) out[i] = 0;
  for (int i = 0; i < n; i++) out[map[i]] = m[i][n] / m[i][i];
  return true;
}

/* Normal equations of the kept points; returns their number. */
static uint32_t normal(const Fit *fit, double a[N_UNKNOWN][N_UNKNOWN + 1])
{
  uint32_t n = 0;
  memset(a, 0, sizeof(double) * N_UNKNOWN * (N_UNKNOWN + 1));
  for (uint32_t i = 0; i < fit->n; i++) {
    if (!fit->kept[i]) continue;
    double row[N_UNKNOWN + 1] = { 1, fit->x[i], fit->points[i].side, fit->y[i] };
    for (int r = 0; r < N_UNKNOWN; r++)
      for (int c = 0; c <= N_UNKNOWN; c++) a[r][c] += row[r] * row[c];
    n++;
  }
  return n;
}

static double squares(const Fit *fit, const double *value)
{
  double sum = 0;
  for (uint32_t i = 0; i < fit->n; i++) {
    if (!fit->kept[i]) continue;
    double r =
        fit->y[i] - value[OFFSET] - value[DRIFT] * fit->x[i] - value[LATENCY] * fit->points[i].side;
    sum += r * r;
  }
  return sum;
}

/* A drift within three of its standard errors is noise, not drift. */
static bool drift_is_sure(const Fit *fit, double a[N_UNKNOWN][N_UNKNOWN + 1], const bool *used,
                          const double *value, uint32_t n, uint32_t n_used)
{
  double inverse[N_UNKNOWN], system[N_UNKNOWN][N_UNKNOWN + 1];
  memcpy(system, a, sizeof system);
  for (int i = 0; i < N_UNKNOWN; i++) system[i][N_UNKNOWN] = i == DRIFT;
  if (!solve(system, used, inverse)) return false;
  double variance = squares(fit, value) / (double)(n - n_used) * inverse[DRIFT];
  return fabs(value[DRIFT]) > 3 * sqrt(variance > 0 ? variance : 0);
}

static void refine(Fit *fit, bool *out_steep)
{
  double a[N_UNKNOWN][N_UNKNOWN + 1], value[N_UNKNOWN];
  uint32_t n = normal(fit, a);
  bool used[N_UNKNOWN] = { true, false, fit->with_latency && a[LATENCY][LATENCY] > 0 };
  if (used[LATENCY] && fabs(a[OFFSET][LATENCY]) >= a[LATENCY][LATENCY]) used[LATENCY] = false;
  uint32_t n_used = used[LATENCY] ? 3 : 2;
  *out_steep = false;
  if (n > n_used && fit->span_ns > 0) {
    used[DRIFT] = true;
    bool solved = solve(a, used, value);
    *out_steep = solved && fabs(value[DRIFT]) > steepest(fit);
    if (solved && !*out_steep && drift_is_sure(fit, a, used, value, n, n_used)) {
      memcpy(fit->value, value, sizeof value);
      return;
    }
    used[DRIFT] = false;
  }
  if (solve(a, used, value)) memcpy(fit->value, value, sizeof value);
}

static void finish(Fit *fit, SyncLine *line)
{
  double sum = 0, max = 0;
  for (uint32_t i = 0; i < fit->n; i++) {
    if (!fit->kept[i]) continue;
    double r = fabs(fit->residual[i]);
    sum += r * r;
    if (r > max) max = r;
    line->pairs++;
    line->one_sided |= fit->points[i].side != 0 && !fit->with_latency;
  }
  line->rejected = fit->n - line->pairs;
  line->residual_rms_ns = line->pairs ? sqrt(sum / (double)line->pairs) : 0;
  line->residual_max_ns = max;
  line->origin_ns = fit->origin_ns;
  line->offset_ns = fit->middle_ns + (int64_t)floor(fit->value[OFFSET] + 0.5);
  line->latency_ns = (int64_t)floor(fit->value[LATENCY] + 0.5);
  if (fit->span_ns > 0)
    line->drift = (int64_t)floor(
        fit->value[DRIFT] / fit->span_ns * (double)(INT64_C(1) << SYNC_DRIFT_BITS) + 0.5);
}

void sync_fit(SyncPoint *points, uint32_t n, void *space, SyncLine *out)
{
  Fit fit;
  *out = (SyncLine){ 0 };
  fit_open(&fit, points, n, space);
  start(&fit);
  for (int round = 0; round < MAX_ROUNDS && choose(&fit); round++) refine(&fit, &out->steep);
  choose(&fit);
  finish(&fit, out);
}

int64_t sync_offset_at(const SyncLine *line, int64_t at_ns)
{
  SyncWide unit = (SyncWide)1 << SYNC_DRIFT_BITS;
  SyncWide moved = ((SyncWide)at_ns - line->origin_ns) * line->drift + unit / 2;
  SyncWide steps = moved / unit - (moved % unit < 0);
  return (int64_t)(line->offset_ns + steps);
}

double sync_drift_ppm(const SyncLine *line)
{
  return (double)line->drift * 1e6 / (double)(INT64_C(1) << SYNC_DRIFT_BITS);
}
