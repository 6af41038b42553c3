/* What is kept of each run; see points.h. */
#include "points.h"

#include <string.h>

#include "base/num.h"
#include "lib/bench.h"
#include "lib/grow.h"

enum { SAVED_NOTHING, SAVED_NUMBER, SAVED_NO_LIMIT };

Point *points_new(Points *p)
{
  bool fits = array_reserve(p->common, &p->items, &p->capacity, p->n + 1, sizeof *p->items);
  return fits ? &p->items[p->n++] : NULL;
}

static bool is_infinity(const char *text)
{
  static const char *const words[] = { "inf", "Infinity", "infinity", "Inf" };
  for (uint32_t i = 0; i < MILL_COUNT(words); i++)
    if (strcmp(text, words[i]) == 0) return true;
  return false;
}

static double offered_by(const char *tag)
{
  double v;
  if (!tag) return (double)NAN;
  if (is_infinity(tag)) return (double)INFINITY;
  return num_real(tag, strlen(tag), &v) && v > 0 ? v : (double)NAN;
}

void point_take_offered(Point *point, const MillHost *common)
{
  point->offered[OFFERED_RATE] = offered_by(common->tag(common, MILL_NO_LANE, "request_rate"));
  point->offered[OFFERED_LIMIT] = offered_by(common->tag(common, MILL_NO_LANE, "max_concurrency"));
}

/* ---- summaries */

static void put_offered(const MillStageHost *host, double v)
{
  host->put_int(host, isnan(v) ? SAVED_NOTHING : isinf(v) ? SAVED_NO_LIMIT : SAVED_NUMBER);
  host->put_real(host, isfinite(v) ? v : 0);
}

static double get_offered(const MillStageHost *host)
{
  int64_t what = host->get_int(host);
  double v = host->get_real(host);
  if (what == SAVED_NO_LIMIT) return (double)INFINITY;
  return what == SAVED_NUMBER ? v : (double)NAN;
}

#define POINT_REALS(p)                                                                         \
  {                                                                                            \
    &(p)->output_per_s, &(p)->requests_per_s, &(p)->e2e_ms, &(p)->ttft_ms, &(p)->running_mean, \
        &(p)->running_max, &(p)->peak_per_s                                                    \
  }

static void save_point(const Point *p, const MillStageHost *host)
{
  const double *const reals[] = POINT_REALS(p);
  for (uint32_t i = 0; i < N_OFFERED; i++) put_offered(host, p->offered[i]);
  for (uint32_t i = 0; i < MILL_COUNT(reals); i++) bench_put_real(host, *reals[i]);
}

static void load_point(Point *p, const MillStageHost *host)
{
  double *const reals[] = POINT_REALS(p);
  for (uint32_t i = 0; i < N_OFFERED; i++) p->offered[i] = get_offered(host);
  for (uint32_t i = 0; i < MILL_COUNT(reals); i++) *reals[i] = bench_get_real(host);
}

void points_save(const Points *p, const MillStageHost *host)
{
  host->put_int(host, (int64_t)p->n);
  for (size_t i = 0; i < p->n; i++) save_point(&p->items[i], host);
}

bool points_merge(Points *p, const MillStageHost *host)
{
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    Point *point = points_new(p);
    if (!point) return false;
    load_point(point, host);
  }
  return true;
}
