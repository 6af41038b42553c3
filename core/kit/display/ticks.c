/* Marks of axes; see ticks.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/display/ticks.h"

#include <math.h>

#include "base/num.h"

double ticks_scaled(const PictureAxis *a, double v)
{
  return a->scale == SCALE_CATEGORIES ? v : v * a->factor;
}

bool ticks_is_log(const PictureAxis *a) { return a->scale == SCALE_LOG || a->scale == SCALE_LOG2; }

static void free_tick(gpointer tick) { g_free(((Tick *)tick)->text); }

static void add(GArray *ticks, double at, char *text)
{
  Tick t = { at, text };
  g_array_append_val(ticks, t);
}

/* With as many decimals as the step has; very large and very small ones as powers of ten. */
static char *number_text(double v, double step)
{
  char buf[NUM_BUF];
  int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
  if (fabs(v) >= 1e7 || decimals > 6) {
    char digits[8];
    double last = floor(log10(step) + 1e-9);
    int n = v == 0 ? 1 : CLAMP((int)(floor(log10(fabs(v)) + 1e-9) - last) + 1, 1, 17);
    g_snprintf(digits, sizeof digits, "%%.%dg", n);
    return g_strdup(g_ascii_formatd(buf, sizeof buf, digits, v));
  }
  if (fabs(v) < step / 1e6) v = 0; /* and no "-0" */
  if (decimals == 0 && fabs(v) >= 1e4) {
    num_format_count(buf, (int64_t)llround(v));
    return g_strdup(buf);
  }
  char format[8];
  g_snprintf(format, sizeof format, "%%.%df", decimals);
  return g_strdup(g_ascii_formatd(buf, sizeof buf, format, v));
}

/* The next of 1, 2, 5, 10 times a power of ten. */
static double round_step(double least)
{
  double ten = pow(10, floor(log10(least))), part = least / ten;
  return ten * (part <= 1 + 1e-9 ? 1 : part <= 2 + 1e-9 ? 2 : part <= 5 + 1e-9 ? 5 : 10);
}

static void add_linear(GArray *ticks, double low, double high, double least, unsigned most)
{
  double step = fmax(round_step(high / most - low / most), least);
  if (!isfinite(step) || step <= 0) return;
  double first = ceil(low / step - 1e-9);
  for (unsigned i = 0; i <= most + 1; i++) {
    double at = (first + i) * step;
    if (at > high + step * 1e-6) return;
    add(ticks, at, number_text(at, step));
  }
}

static char *power_text(double base, int exponent, bool wide)
{
  double v = pow(base, exponent);
  if (base == 10 && wide && (exponent > 3 || exponent < -3))
    return g_strdup_printf("1e%d", exponent);
  if (base == 2 && (exponent > 20 || exponent < -12)) return g_strdup_printf("2^%d", exponent);
  if (base == 2 && v < 1) return g_strdup_printf("1/%d", 1 << -exponent); /* exactly, and short */
  return number_text(v, fmin(v, 1));
}

static const double between[] = { 2, 3, 4, 5, 6, 7, 8, 9 };

static void add_between(GArray *ticks, double low, double high, int exponent, bool with_text)
{
  for (guint k = 0; k < G_N_ELEMENTS(between); k++) {
    double ten = pow(10, exponent), at = between[k] * ten;
    if (at < low || at > high) continue;
    bool text = with_text && (between[k] == 2 || between[k] == 5);
    add(ticks, at, text ? number_text(at, ten) : NULL);
  }
}

static void add_log(GArray *ticks, double low, double high, double base, double least,
                    unsigned most)
{
  double scale = log(base);
  low = fmax(low, least * (1 - 1e-9));
  int first = (int)ceil(log(low) / scale - 1e-9), last = (int)floor(log(high) / scale + 1e-9);
  int stride = (int)round_step(fmax(1, (double)(last - first + 1) / most));
  bool few = last - first < 2;
  if (few && base == 2) {
    add_linear(ticks, low, high, least, most);
    return;
  }
  for (int e = first - 1; e <= last; e++) {
    if (e >= first && e % stride == 0)
      add(ticks, pow(base, e), power_text(base, e, last > 6 || first < -4));
    if (base == 10 && stride == 1 && last - first < 8) add_between(ticks, low, high, e, few);
  }
  guint with_text = 0;
  for (guint i = 0; i < ticks->len; i++) with_text += g_array_index(ticks, Tick, i).text != NULL;
  if (with_text >= 2) return;
  g_array_set_size(ticks, 0);
  add_linear(ticks, low, high, least, most);
}

static void add_categories(GArray *ticks, const PictureAxis *a, unsigned most)
{
  guint n = a->categories ? a->categories->len : 0, stride = (n + most - 1) / most;
  for (guint i = 0; i < n; i += stride) add(ticks, i, g_strdup(a->categories->pdata[i]));
}

/* Those with texts of their own, one after another as far as they do not meet. */
static void add_marks(GArray *ticks, const PictureAxis *a, unsigned most)
{
  double last = -1;
  for (guint i = 0; i < a->mark_at->len; i++) {
    double v = g_array_index(a->mark_at, double, i), share = (v - a->low) / (a->high - a->low);
    if (share < 0 || share > 1 || (last >= 0 && share - last < 0.9 / most)) continue;
    add(ticks, ticks_scaled(a, v), g_strdup(a->mark_text->pdata[i]));
    last = share;
  }
}

/* "64 KiB" of 65536. */
static char *size_text(double bytes)
{
  static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  char buf[NUM_BUF];
  guint unit = 0;
  for (; bytes >= 1024 && unit + 1 < G_N_ELEMENTS(units); unit++) bytes /= 1024;
  return g_strdup_printf("%s %s", g_ascii_formatd(buf, sizeof buf, "%.4g", bytes), units[unit]);
}

static void say_sizes(GArray *io_ticks)
{
  for (guint i = 0; i < io_ticks->len; i++) {
    Tick *t = &g_array_index(io_ticks, Tick, i);
    g_autofree char *number = t->text;
    t->text = number ? size_text(t->at) : NULL;
  }
}

/* How far along an axis it is, from 0 to 1. */
static double share_of(const PictureAxis *a, double at)
{
  double low = ticks_scaled(a, a->low), high = ticks_scaled(a, a->high);
  if (!ticks_is_log(a)) return (at - low) / (high - low);
  return (log(at) - log(low)) / (log(high) - log(low));
}

/* An edge of bins, with three digits; marks whose texts would meet its own go. */
static void add_edge(GArray *io_ticks, const PictureAxis *a, double edge, unsigned most)
{
  char buf[NUM_BUF];
  double at = ticks_scaled(a, edge), room = 0.6 / most;
  bool long_one = fabs(at) >= 1000 && fabs(at) < 1e7;
  g_ascii_formatd(buf, sizeof buf, long_one ? "%.0f" : "%.3g", at);
  for (guint i = io_ticks->len; i-- > 0;) {
    double distance = fabs(share_of(a, g_array_index(io_ticks, Tick, i).at) - share_of(a, at));
    if (distance < 1e-9) return;
    if (distance < room && g_array_index(io_ticks, Tick, i).text) g_array_remove_index(io_ticks, i);
  }
  add(io_ticks, at, g_strdup(buf));
}

GArray *ticks_of(const PictureAxis *a, unsigned most)
{
  GArray *ticks = g_array_new(FALSE, FALSE, sizeof(Tick));
  double low = ticks_scaled(a, a->low), high = ticks_scaled(a, a->high);
  double least = a->whole ? a->factor : 0;
  g_array_set_clear_func(ticks, free_tick);
  most = MAX(most, 2);
  if (a->scale == SCALE_CATEGORIES)
    add_categories(ticks, a, most);
  else if (a->mark_at)
    add_marks(ticks, a, most);
  else if (ticks_is_log(a) && low > 0)
    add_log(ticks, low, high, a->scale == SCALE_LOG ? 10 : 2, least, most);
  else
    add_linear(ticks, low, high, least, most);
  if (a->ends && a->scale != SCALE_CATEGORIES) {
    add_edge(ticks, a, a->low, most);
    add_edge(ticks, a, a->high, most);
  }
  if (a->scale == SCALE_LOG2 && !g_strcmp0(a->unit, "bytes")) say_sizes(ticks);
  return ticks;
}
