/* Numbers at a scale that several of them share; see num-scale.h. */
/* SPDX-License-Identifier: MIT */
#include "base/num-scale.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

#define EXACT_LIMIT 9e15 /* doubles below hold every integer */

typedef struct Step {
  const char *unit;
  double divisor;
} Step;

static const Step durations[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
static const Step sizes[] = { { "B", 1 },
                              { "KiB", 1024.0 },
                              { "MiB", 1048576.0 },
                              { "GiB", 1073741824.0 },
                              { "TiB", 1099511627776.0 } };

static Step step_for(const Step *steps, size_t n, double largest)
{
  size_t i = n - 1;
  while (i && largest < steps[i].divisor) i--;
  return steps[i];
}

/* Three to four digits of the largest value. */
static int decimals_for(double largest)
{
  if (largest >= 100) return 1;
  if (largest >= 10) return 2;
  int decimals = 3;
  for (double v = largest; v > 0 && v < 1 && decimals < NUM_SCALE_MAX_DECIMALS; v *= 10) decimals++;
  return decimals;
}

NumScale num_scale(const char *unit, double largest, bool whole)
{
  NumScale s = { unit && strcmp(unit, "count") != 0 ? unit : "", 1, 0 };
  bool duration = !strcmp(s.unit, "ns"), size = !strcmp(s.unit, "bytes");
  if (duration || size) {
    Step step = duration ? step_for(durations, G_N_ELEMENTS(durations), largest)
                         : step_for(sizes, G_N_ELEMENTS(sizes), largest);
    s.unit = step.unit;
    s.divisor = step.divisor;
    whole = whole && s.divisor <= 1;
  }
  if (!strcmp(s.unit, "percent")) {
    s.unit = "%";
    s.decimals = whole ? 0 : 1;
    return s;
  }
  s.decimals = whole ? 0 : decimals_for(largest / s.divisor);
  return s;
}

void num_scale_put(GString *out, const NumScale *scale, double v)
{
  char buf[NUM_BUF];
  static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
  double power = powers[scale->decimals], scaled = v / scale->divisor * power;
  if (!isfinite(v)) {
    g_string_append_c(out, '-');
    return;
  }
  if (fabs(scaled) >= EXACT_LIMIT) {
    num_format_real(buf, v / scale->divisor);
    g_string_append(out, buf);
    return;
  }
  if (scaled != 0 && fabs(scaled) <= 0.5) { /* what is there is not shown as nothing */
    g_string_append(out, v < 0 ? ">-" : "<");
    scaled = 1;
  } else if (scaled < 0)
    g_string_append_c(out, '-');
  int64_t units = (int64_t)rint(fabs(scaled)), whole = units / (int64_t)power;
  num_format_count(buf, whole);
  g_string_append(out, buf);
  if (scale->decimals)
    g_string_append_printf(out, ".%0*" G_GINT64_FORMAT, scale->decimals, units % (int64_t)power);
}
