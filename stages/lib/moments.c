/* Exact sums; see moments.h. */
#include "lib/moments.h"

#include <math.h>

void moments_merge(Moments *into, const Moments *from)
{
  if (from->n == 0) return;
  if (into->n == 0 || from->min < into->min) into->min = from->min;
  if (into->n == 0 || from->max > into->max) into->max = from->max;
  into->n += from->n;
  into->sum += from->sum;
  into->overflow |= from->overflow;
  into->overflow |= __builtin_add_overflow(into->squares, from->squares, &into->squares);
}

bool moments_mean(const Moments *m, double *out)
{
  if (m->n == 0) return false;
  *out = (double)m->sum / (double)m->n;
  return true;
}

/* Sum of squared distances from the mean, times n, is n * squares - sum^2: exact while it fits
 * into 128 bits, else divided by n first, which loses less than one unit of n. */
static bool scatter(const Moments *m, double *out)
{
  unsigned __int128 magnitude = m->sum < 0 ? -(unsigned __int128)m->sum : (unsigned __int128)m->sum;
  unsigned __int128 sum_squared, scaled;
  if (m->overflow || __builtin_mul_overflow(magnitude, magnitude, &sum_squared)) return false;
  if (!__builtin_mul_overflow(m->squares, (unsigned __int128)m->n, &scaled))
    *out = (double)(scaled - sum_squared) / (double)m->n;
  else
    *out = (double)(m->squares - sum_squared / m->n);
  return true;
}

bool moments_std_population(const Moments *m, double *out)
{
  double sum;
  if (m->n == 0 || !scatter(m, &sum)) return false;
  *out = sqrt(sum / (double)m->n);
  return true;
}

bool moments_std_sample(const Moments *m, double *out)
{
  double sum;
  if (m->n < 2 || !scatter(m, &sum)) return false;
  *out = sqrt(sum / (double)(m->n - 1));
  return true;
}

int64_t moments_sum(const Moments *m)
{
  if (m->sum > INT64_MAX) return INT64_MAX;
  return m->sum < INT64_MIN ? INT64_MIN : (int64_t)m->sum;
}

static void put_wide(const MillHost *host, unsigned __int128 v)
{
  host->put_int(host, (int64_t)(uint64_t)(v >> 64));
  host->put_int(host, (int64_t)(uint64_t)v);
}

static unsigned __int128 get_wide(const MillHost *host)
{
  uint64_t high = (uint64_t)host->get_int(host);
  return (unsigned __int128)high << 64 | (uint64_t)host->get_int(host);
}

void moments_save(const Moments *m, const MillHost *host)
{
  host->put_int(host, (int64_t)m->n);
  host->put_int(host, m->min);
  host->put_int(host, m->max);
  put_wide(host, (unsigned __int128)m->sum);
  put_wide(host, m->overflow ? 0 : m->squares);
  host->put_int(host, m->overflow);
}

void moments_load(Moments *m, const MillHost *host)
{
  m->n = (uint64_t)host->get_int(host);
  m->min = host->get_int(host);
  m->max = host->get_int(host);
  m->sum = (__int128)get_wide(host);
  m->squares = get_wide(host);
  m->overflow = host->get_int(host) != 0;
}
