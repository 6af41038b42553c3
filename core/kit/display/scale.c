/* Places on axes; see scale.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/scale.h"

#include <math.h>

#include "kit/display/ticks.h"

#define FAR 1e5 /* pixels: painters count in fractions of them */

static double widened(const Scale *s, double part)
{
  if (s->log && s->low > 0) return s->high * pow(s->high / s->low, part);
  return s->high + (s->high - s->low) * part;
}

Scale scale_of(const PictureAxis *a, double more, double from, double to)
{
  Scale s = { ticks_scaled(a, a->low), ticks_scaled(a, a->high), ticks_is_log(a), from, to };
  double less = more > 0 && s.low < 0 ? more : 0;
  if (more > 0) s.high = fmin(widened(&s, more), G_MAXDOUBLE);
  if (less > 0) s.low = fmax(s.low - (s.high - s.low) * less, -G_MAXDOUBLE);
  if (a->down) s.from = to, s.to = from;
  return s;
}

/* Halves: the distance of the largest and the least number is none. */
static double part_of(const Scale *s, double v)
{
  if (s->log && s->low > 0)
    return (log(fmax(v, G_MINDOUBLE)) - log(s->low)) / (log(s->high) - log(s->low));
  return (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2);
}

double scale_at(const Scale *s, double printed)
{
  if (!isfinite(printed)) return (double)NAN;
  return CLAMP(s->from + (s->to - s->from) * part_of(s, printed), -FAR, FAR);
}

/* A bar that begins at zero begins at the edge of a logarithmic axis. */
double scale_place(const Scale *s, const PictureAxis *a, double v)
{
  double low = fmin(a->low, a->high);
  if (s->log && v <= 0) v = low;
  return scale_at(s, ticks_scaled(a, v));
}
