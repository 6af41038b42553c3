/* Count, sum, sum of squares, least and greatest of integers: exact, mergeable in any grouping. */
#ifndef STAGES_MOMENTS_H
#define STAGES_MOMENTS_H

#include <stagemill/stage.h>

typedef struct Moments { /* zero-initialised is empty */
  uint64_t n;
  int64_t min, max;
  __int128 sum;
  unsigned __int128 squares;
  bool overflow; /* squares are beyond 128 bits: no standard deviation */
} Moments;

static inline void moments_add(Moments *m, int64_t value)
{
  unsigned __int128 square = (unsigned __int128)((__int128)value * value);
  if (m->n == 0 || value < m->min) m->min = value;
  if (m->n == 0 || value > m->max) m->max = value;
  m->n++;
  m->sum += value;
  m->overflow |= __builtin_add_overflow(m->squares, square, &m->squares);
}

void moments_merge(Moments *into, const Moments *from);

/* Each is false when there is no such number: no values, too few, or overflow. */
bool moments_mean(const Moments *m, double *out);
bool moments_std_population(const Moments *m, double *out);
bool moments_std_sample(const Moments *m, double *out); /* n - 1; needs two values */
/* The sum as int64; INT64_MAX or INT64_MIN when beyond. */
int64_t moments_sum(const Moments *m);

void moments_save(const Moments *m, const MillHost *host);
void moments_load(Moments *m, const MillHost *host);

#endif
