/* Axes; see axis.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/axis.h"

#include <math.h>
#include <string.h>

void range_add(Range *r, double value)
{
  if (isnan(value)) return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

/* ------------------------------------------------------------------- units */

typedef struct Step { /* of a ladder of units, from the smallest */
  const char *unit, *shown;
  double size; /* in the smallest */
} Step;

static const Step times[] = { { "ns", "ns", 1 },
                              { "us", "µs", 1e3 },
                              { "µs", "µs", 1e3 },
                              { "ms", "ms", 1e6 },
                              { "s", "s", 1e9 } };
static const Step sizes[] = { { "bytes", "bytes", 1 },
                              { "KiB", "KiB", 1024 },
                              { "MiB", "MiB", 1048576 },
                              { "GiB", "GiB", 1073741824 },
                              { "TiB", "TiB", 1099511627776 } };
static const Step speeds[] = { { "bytes/s", "bytes/s", 1 }, { "B/s", "B/s", 1 },
                               { "kB/s", "kB/s", 1e3 },     { "MB/s", "MB/s", 1e6 },
                               { "GB/s", "GB/s", 1e9 },     { "TB/s", "TB/s", 1e12 } };
static const Step flops[] = { { "FLOP/s", "FLOP/s", 1 },
                              { "GFLOP/s", "GFLOP/s", 1e9 },
                              { "TFLOP/s", "TFLOP/s", 1e12 },
                              { "PFLOP/s", "PFLOP/s", 1e15 } };
static const Step counts[] = {
  { "count", "", 1 }, { NULL, "thousand", 1e3 }, { NULL, "million", 1e6 }, { NULL, "billion", 1e9 }
};

typedef struct Ladder {
  const Step *steps;
  size_t n;
  double least; /* a step is taken from so many of it */
} Ladder;

static const Ladder ladders[] = {
  { times, G_N_ELEMENTS(times), 1 },     { sizes, G_N_ELEMENTS(sizes), 1 },
  { speeds, G_N_ELEMENTS(speeds), 1 },   { flops, G_N_ELEMENTS(flops), 1 },
  { counts, G_N_ELEMENTS(counts), 100 },
};

static const Step *step_of(const char *unit, const Ladder **out_ladder)
{
  for (size_t i = 0; unit && i < G_N_ELEMENTS(ladders); i++)
    for (size_t k = 0; k < ladders[i].n; k++) {
      *out_ladder = &ladders[i];
      if (!g_strcmp0(ladders[i].steps[k].unit, unit)) return &ladders[i].steps[k];
    }
  return NULL;
}

const char *unit_shown(const char *unit, double largest, double *out_factor)
{
  const Ladder *ladder;
  const Step *own = step_of(unit, &ladder), *best;
  *out_factor = 1;
  if (!own) {
    if (!g_strcmp0(unit, "percent") || !g_strcmp0(unit, "pct")) return "%";
    return unit && strcmp(unit, "ratio") != 0 ? unit : "";
  }
  best = largest > 0 ? &ladder->steps[0] : own;
  for (size_t k = 1; k < ladder->n; k++)
    if (largest * own->size >= ladder->least * ladder->steps[k].size) best = &ladder->steps[k];
  *out_factor = own->size / best->size;
  return best->shown;
}

bool unit_counts(const char *unit, bool integers, double factor)
{
  const Ladder *ladder;
  const Step *own = unit && *unit ? step_of(unit, &ladder) : counts;
  if (own == counts) return true;
  if (own) return integers && own == ladder->steps && factor == 1;
  return integers && strcmp(unit, "percent") != 0 && strcmp(unit, "pct") != 0 &&
         strcmp(unit, "ratio") != 0;
}

/* ------------------------------------------------------------------ labels */

static const char *abbreviation(const char *word)
{
  static const char *const words[][2] = {
    { "gpu", "GPU" },   { "gpus", "GPUs" }, { "cpu", "CPU" },   { "ttft", "TTFT" },
    { "tpot", "TPOT" }, { "itl", "ITL" },   { "e2e", "E2E" },   { "kv", "KV" },
    { "tp", "TP" },     { "pp", "PP" },     { "dp", "DP" },     { "ep", "EP" },
    { "eplb", "EPLB" }, { "moe", "MoE" },   { "nccl", "NCCL" }, { "id", "ID" },
    { "cv", "CV" },     { "io", "I/O" },    { "sm", "SM" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
    if (!strcmp(words[i][0], word)) return words[i][1];
  return NULL;
}

char *column_title(const char *name)
{
  g_autofree char *clean = names_clean(name, strlen(name), NAMES_LONGEST);
  g_auto(GStrv) words = g_strsplit(clean, "_", -1);
  for (char **word = words; *word; word++) {
    const char *known = abbreviation(*word);
    char *old = *word;
    if (!known && (word != words || !g_ascii_islower(*old))) continue;
    *word = known ? g_strdup(known) : g_strdup_printf("%c%s", g_ascii_toupper(*old), old + 1);
    g_free(old);
  }
  return g_strjoinv(" ", words);
}

/* Sums and differences of numbers beyond have no place in a double: they are shown as multiples of it, but on a log axis. */
#define LARGEST 1e300

static char *unit_text(const char *unit, double largest, double *out_factor)
{
  const char *shown = unit_shown(unit, largest, out_factor);
  if (!(largest * *out_factor > LARGEST)) return g_strdup(shown);
  *out_factor /= LARGEST;
  return g_strdup_printf("1e300%s%s", *shown ? " " : "", shown);
}

/* Along powers of two each mark has its own unit: 64 KiB, 1 MiB. */
static bool has_sizes(const PictureAxis *a, const char *unit)
{
  const Ladder *ladder = NULL;
  return a->scale == SCALE_LOG2 && step_of(unit, &ladder) && ladder->steps == sizes;
}

static void label_sizes(PictureAxis *a, const char *title, const char *unit)
{
  const Ladder *ladder;
  a->factor = step_of(unit, &ladder)->size;
  a->unit = g_strdup(sizes[0].shown);
  a->label = g_strdup(title);
}

/* A label that is a unit is that of numbers without one: "TFLOP/s" of a count. */
static bool is_unit(const char *label, const char *unit)
{
  const Ladder *ladder;
  bool bare = !unit || !*unit || !strcmp(unit, counts[0].unit);
  return bare && step_of(label, &ladder) && ladder->steps != counts;
}

void axis_label(PictureAxis *a, const char *text, const char *name, const char *unit,
                double largest)
{
  g_autofree char *title = text   ? names_clean(text, strlen(text), NAMES_LONGEST)
                           : name ? column_title(name)
                                  : g_strdup("");
  a->factor = 1;
  if (text && g_str_has_suffix(title, ")")) { /* it says a unit itself */
    a->label = g_steal_pointer(&title);
    a->unit = g_strdup("");
    return;
  }
  bool named = is_unit(text, unit);
  if (named) unit = text;
  if (has_sizes(a, unit)) {
    label_sizes(a, title, unit);
    return;
  }
  g_autofree char *shown =
      unit_text(unit, a->scale == SCALE_LINEAR ? largest : fmin(largest, LARGEST), &a->factor);
  a->unit = names_clean(shown, strlen(shown), NAMES_LONGEST);
  a->label = named                ? g_strdup(a->unit)
             : *a->unit && *title ? g_strdup_printf("%s (%s)", title, a->unit)
                                  : g_steal_pointer(&title);
}

/* ------------------------------------------------------------------ limits */

static double clamp(long double v)
{
  return (double)fmaxl(fminl(v, (long double)G_MAXDOUBLE), -(long double)G_MAXDOUBLE);
}

/* 1, 2 or 5 times a power of ten: about a tenth of the span. */
static long double nice_step(long double span)
{
  long double ten = powl(10, floorl(log10l(span / 10)));
  long double part = span / 10 / ten;
  return ten * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

static void spread_apart(PictureAxis *a)
{
  while (!(a->low < a->high)) {
    double room = fmax(fabs(a->low), fabs(a->high)) * 1e-6;
    a->low = clamp((long double)a->low - fmax(room, 1e-300));
    a->high = clamp((long double)a->high + fmax(room, 1e-300));
  }
}

static void linear_limits(PictureAxis *a, Range r, Fit fit)
{
  long double low = r.low, high = r.high;
  if (fit == FIT_FROM_ZERO) {
    low = fminl(low, 0);
    high = fmaxl(high, 0);
  }
  if (low == high) {
    long double room = low == 0 ? 1 : fabsl(low) / 10;
    if (a->whole) room = ceill(room);
    if (low != 0 || fit != FIT_FROM_ZERO) low -= room;
    high += room;
  } else if (fit == FIT_TIGHT) {
    a->low = r.low;
    a->high = r.high;
    return;
  }
  long double room = (high - low) / 25, step = nice_step((high - low) * a->factor) / a->factor;
  bool above = r.low >= 0, below = r.high <= 0;
  if (!(fit == FIT_FROM_ZERO && low == 0)) low = floorl((low - room) / step) * step;
  if (!(fit == FIT_FROM_ZERO && high == 0)) high = ceill((high + room) / step) * step;
  if (above && low < 0) low = 0;
  if (below && high > 0) high = 0;
  a->low = clamp(low);
  a->high = clamp(high);
}

/* The nearest 1, 2 or 5 times a power of ten, or power of two, beyond the value. */
static long double log_step(long double v, bool up, bool two)
{
  long double power = two ? exp2l(floorl(log2l(v))) : powl(10, floorl(log10l(v)));
  static const double of_ten[] = { 1, 2, 5, 10 }, of_two[] = { 1, 2, 2, 2 };
  const double *steps = two ? of_two : of_ten;
  size_t i = up ? 0 : 3;
  while (up && i < 3 && steps[i] * power < v) i++;
  while (!up && i > 0 && steps[i] * power > v) i--;
  return steps[i] * power;
}

static void log_limits(PictureAxis *a, Range r, Fit fit)
{
  if (fit == FIT_TIGHT && r.low < r.high) {
    a->low = r.low;
    a->high = r.high;
    return;
  }
  bool two = a->scale == SCALE_LOG2;
  a->low = clamp(log_step((long double)r.low / 1.05L * a->factor, false, two) / a->factor);
  a->high = clamp(log_step((long double)r.high * 1.05L * a->factor, true, two) / a->factor);
  if (!(a->low > 0)) a->low = r.low;
}

void axis_limits(PictureAxis *a, Range r, Fit fit)
{
  bool log = a->scale == SCALE_LOG || a->scale == SCALE_LOG2;
  if (range_is_empty(&r)) r = log ? (Range){ 1, 1 } : (Range){ 0, 0 };
  if (a->scale == SCALE_CATEGORIES) {
    a->low = -0.5;
    a->high = MAX(1, a->categories ? a->categories->len : 1) - 0.5;
    return;
  }
  if (log)
    log_limits(a, r, fit);
  else
    linear_limits(a, r, fit);
  spread_apart(a);
}

void axis_names(PictureAxis *a, Names *names)
{
  a->scale = SCALE_CATEGORIES;
  a->categories = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < names_len(names); i++)
    g_ptr_array_add(a->categories, g_strdup(names_label(names, i)));
}

/* ----------------------------------------------------------------- numbers */

static char *trimmed(char *number)
{
  char *end = number + strlen(number);
  if (!strchr(number, '.') || strchr(number, 'e')) return number;
  while (end[-1] == '0') *--end = '\0';
  if (end[-1] == '.') *--end = '\0';
  return number;
}

/* Three digits, without an exponent as long as it stays short. */
static char *short_number(double v)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  if (v != 0 && (fabs(v) >= 1e6 || fabs(v) < 1e-4))
    return g_strdup(g_ascii_formatd(buf, sizeof buf, "%.3g", v));
  int whole = v == 0 ? 1 : (int)floor(log10(fabs(v))) + 1;
  g_autofree char *format = g_strdup_printf("%%.%df", MAX(0, 3 - whole));
  return trimmed(g_strdup(g_ascii_formatd(buf, sizeof buf, format, v)));
}

static char *formatted(double value, const char *unit, const char *format)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE + 320];
  size_t len = strspn(format, "0123456789.");
  const char *dot = memchr(format, '.', len), *suffix = format + len;
  int decimals = dot ? (int)(format + len - dot) - 1 : 0;
  bool is_percent = !g_strcmp0(unit, "percent") || !g_strcmp0(unit, "pct");
  if (*suffix == '%' && !is_percent) value *= 100;
  g_autofree char *c = g_strdup_printf("%%.%df", MIN(decimals, 9));
  if (fabs(value) >= 1e15) c[strlen(c) - 1] = 'g';
  g_ascii_formatd(buf, sizeof buf, c, value);
  return g_strconcat(buf, suffix, NULL);
}

char *number_text(double value, const char *unit, const char *format)
{
  double factor;
  if (format && *format) return formatted(value, unit, format);
  const char *shown = unit_shown(unit, fabs(value), &factor);
  g_autofree char *number = short_number(value * factor);
  if (!*shown) return g_steal_pointer(&number);
  return g_strconcat(number, strcmp(shown, "%") ? " " : "", shown, NULL);
}
