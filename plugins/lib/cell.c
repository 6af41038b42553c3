/* Cells for people; see cell.h. */
#include "lib/cell.h"

#include <math.h>
#include <string.h>

#include "base/columns.h"
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
  for (double v = largest; v > 0 && v < 1 && decimals < 9; v *= 10) decimals++;
  return decimals;
}

CellScale cell_scale(const char *unit, double largest, bool whole)
{
  CellScale s = { unit && strcmp(unit, "count") ? unit : "", 1, 0 };
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

bool cell_has_number(const MillValue *v, double *out)
{
  if (v->type == MILL_INT)
    *out = (double)v->u.i;
  else if (v->type == MILL_REAL && isfinite(v->u.r))
    *out = v->u.r;
  else
    return false;
  return true;
}

void cell_number(GString *out, const CellScale *scale, double v)
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
  int64_t units = (int64_t)rint(fabs(scaled)), whole = units / (int64_t)power;
  if (v < 0 && units) g_string_append_c(out, '-');
  num_format_count(buf, whole);
  g_string_append(out, buf);
  if (scale->decimals)
    g_string_append_printf(out, ".%0*" G_GINT64_FORMAT, scale->decimals, units % (int64_t)power);
}

/* Characters that move the cursor or reorder what is shown. */
static bool harmful(gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || c == 0x061c ||
         c == 0x200e || c == 0x200f || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void escape(GString *out, const char *text, size_t len)
{
  const char *end = text + len;
  while (text < end) {
    gunichar c = g_utf8_get_char_validated(text, end - text);
    if (c == (gunichar)-1 || c == (gunichar)-2 || !c) {
      g_string_append_printf(out, "\\x%02x", (unsigned char)*text++);
      continue;
    }
    if (!harmful(c))
      g_string_append_unichar(out, c);
    else
      g_string_append_printf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
    text = g_utf8_next_char(text);
  }
}

/* Long texts are cut first: what is shown depends on their ends only. */
void cell_text(GString *out, const char *text, size_t len, size_t max_width)
{
  const size_t most = 4 * max_width; /* bytes of so many characters */
  bool is_long = len > 2 * most;
  g_autoptr(GString) begin = g_string_new(NULL), last = g_string_new(NULL);
  escape(begin, text, is_long ? most : len);
  if (!is_long && columns_of(begin->str, begin->len) <= max_width) {
    g_string_append_len(out, begin->str, (gssize)begin->len);
    return;
  }
  if (is_long) escape(last, text + len - most, most);
  const GString *end = is_long ? last : begin;
  size_t tail = (max_width - 1) / 2, head = max_width - 1 - tail;
  g_string_append_len(out, begin->str, (gssize)columns_head(begin->str, begin->len, head));
  g_string_append(out, "…");
  g_string_append(out, end->str + end->len - columns_tail(end->str, end->len, tail));
}

void cell_wrap(GString *out, const char *text, size_t width, size_t indent)
{
  size_t used = strspn(text, " ");
  g_string_append_len(out, text, (gssize)used);
  text += used;
  for (bool first = true; *text; first = false) {
    size_t n = strcspn(text, " ");
    g_autofree char *word = g_strndup(text, n);
    size_t wide = cell_width(word);
    if (!first && used + 1 + wide > width) {
      g_string_append_printf(out, "\n%*s", (int)indent, "");
      used = indent;
    } else if (!first) {
      g_string_append_c(out, ' ');
      used++;
    }
    g_string_append(out, word);
    used += wide;
    text += n;
    text += strspn(text, " ");
  }
  g_string_append_c(out, '\n');
}

size_t cell_width(const char *text) { return columns_of(text, strlen(text)); }
