/* Finding the lines of a counter; see clock-lines.h. */
/* SPDX-License-Identifier: MIT */
#include "clock/lib/clock-lines.h"

#include "kit/state/grow.h"

#define NS_PER_S INT64_C(1000000000)

static RateWide size_of(RateWide a) { return a < 0 ? -a : a; }

static RateWide distance_of(int64_t hz, const ClockMark *mark)
{
  return rate_cycles(hz, mark->ts_ns) - mark->count;
}

/* Whether a count is where the line has it, by its last one. */
static bool is_on(const ClockLines *c, const ClockLine *line, int64_t ts_ns, int64_t count)
{
  RateWide span_ns = (RateWide)ts_ns - line->last.ts_ns;
  int64_t hz = c->found_hz ? c->found_hz : c->hz;
  RateWide share = c->found_hz ? CLOCK_SURE_SHARE : CLOCK_UNSURE_SHARE;
  RateWide expected = rate_divide_down(span_ns * hz, NS_PER_S);
  RateWide off = size_of(expected - rate_nearest(count - line->last.count, expected));
  return off * NS_PER_S <= (CLOCK_JITTER_NS + size_of(span_ns) / share) * hz;
}

static uint32_t begin_line(ClockLines *c, const ClockMark *mark)
{
  if (!array_reserve_at(c->common, &c->lines, &c->max_lines, c->n, sizeof *c->lines))
    return UINT32_MAX;
  ClockLine *line = &c->lines[c->n];
  *line = (ClockLine){ .first = *mark, .last = *mark, .epoch = distance_of(c->hz, mark) };
  line->first.line = c->n;
  if (c->n > 0) line->before = c->lines[c->latest].last;
  return c->n++;
}

static uint32_t find_line(ClockLines *c, const ClockJob *job, const ClockMark *mark)
{
  uint32_t own = job->has_line ? job->line : c->latest;
  if (c->n > 0 && is_on(c, &c->lines[own], mark->ts_ns, mark->count)) return own;
  for (uint32_t i = c->n; i-- > 0;)
    if (i != own && is_on(c, &c->lines[i], mark->ts_ns, mark->count)) return i;
  return c->n < CLOCK_LINES_MAX ? begin_line(c, mark) : own;
}

static bool keep_mark(ClockLines *c, const ClockMark *mark)
{
  if (c->stride == 0) c->stride = 1;
  if (c->seen++ % c->stride != 0) return true;
  if (!array_reserve_at(c->common, &c->marks, &c->max_marks, c->n_marks, sizeof *c->marks))
    return false;
  c->marks[c->n_marks++] = *mark;
  if (c->n_marks < CLOCK_MARKS_MAX) return true;
  c->n_marks /= 2;
  for (uint32_t i = 0; i < c->n_marks; i++) c->marks[i] = c->marks[2 * i];
  c->stride *= 2;
  return true;
}

static bool put_on_line(ClockLines *c, ClockMark *mark)
{
  mark->line = find_line(c, mark->job, mark);
  if (mark->line == UINT32_MAX) return false;
  ClockLine *line = &c->lines[mark->line];
  RateWide distance = distance_of(c->hz, mark);
  if (distance < line->epoch) line->epoch = distance;
  line->last = *mark;
  line->n++;
  c->latest = mark->job->line = mark->line;
  mark->job->has_line = true;
  return true;
}

/* A job that begins on the line of the count before goes on from there.  Once lines are sure no pair leads from one to
 * another. */
static bool take(ClockLines *c, ClockMark *mark)
{
  ClockJob *job = mark->job;
  bool is_new = !job->has_line;
  uint32_t before = is_new ? c->latest : job->line;
  if (!put_on_line(c, mark)) return false;
  if (is_new && mark->line == before) job->anchor = c->anchor;
  if (c->found_hz && mark->line != before) job->anchor.known = false;
  bool fits = rate_see_from(c->common, &c->rate, &job->anchor, mark->ts_ns, mark->count);
  c->anchor = job->anchor;
  return fits;
}

/* What was put on lines by a frequency that was but configured; all of it is kept. */
static bool begin_anew(ClockLines *c)
{
  bool fits = true;
  c->n = c->latest = 0;
  rate_forget(&c->rate);
  c->anchor = (RateAnchor){ 0 };
  for (uint32_t i = 0; i < c->n_marks; i++) *c->marks[i].job = (ClockJob){ 0 };
  for (uint32_t i = 0; i < c->n_marks && fits; i++) fits = take(c, &c->marks[i]);
  c->is_anew = true;
  return fits;
}

/* Each time there are twice as many pairs; most of them must agree. */
static bool find_frequency(ClockLines *c)
{
  if (c->next_estimate == 0) c->next_estimate = RATE_MIN_PAIRS;
  if (c->found_hz || c->rate.seen < c->next_estimate) return true;
  c->next_estimate = 2 * c->rate.seen;
  RateEstimate e = rate_estimate(&c->rate);
  if (!rate_is_sure(&e) || 2 * e.pairs < c->rate.n) return true;
  c->found_hz = e.hz;
  return c->stride != 1 || begin_anew(c);
}

uint32_t clock_lines_see(ClockLines *c, ClockJob *job, int64_t ts_ns, int64_t count)
{
  ClockMark mark = { ts_ns, count, job, 0 };
  bool fits = take(c, &mark) && keep_mark(c, &mark) && find_frequency(c);
  return fits ? c->latest : UINT32_MAX;
}

/* The absolute count of a mark whose line has this epoch. */
static RateWide absolute(const ClockLines *c, const ClockMark *mark, RateWide epoch)
{
  return rate_nearest(mark->count, rate_cycles(c->hz, mark->ts_ns) - epoch);
}

void clock_lines_epochs(const ClockLines *c, RateWide *out)
{
  for (uint32_t i = 0; i < c->n; i++) {
    const ClockLine *line = &c->lines[i];
    out[i] = line->epoch;
    if (i == 0) continue;
    if (line->n == 1) {
      out[i] = out[line->before.line];
      continue;
    }
    RateWide before = absolute(c, &line->before, out[line->before.line]);
    RateWide back = before - absolute(c, &line->first, line->epoch);
    out[i] -= rate_divide_down(back + RATE_PERIOD - 1, RATE_PERIOD) * RATE_PERIOD;
  }
}

uint32_t clock_lines_parts(const ClockLines *c)
{
  uint32_t parts = 0;
  for (uint32_t i = 0; i < c->n; i++) parts += c->lines[i].n > 1;
  return parts ? parts : 1;
}

RateWide clock_lines_residual(const ClockLines *c, int64_t hz)
{
  RateWide epochs[CLOCK_LINES_MAX], sum = 0;
  bool known[CLOCK_LINES_MAX] = { false };
  for (uint32_t i = 0; i < c->n_marks; i++) {
    const ClockMark *mark = &c->marks[i];
    RateWide distance = distance_of(hz, mark);
    if (known[mark->line] && distance >= epochs[mark->line]) continue;
    epochs[mark->line] = distance;
    known[mark->line] = true;
  }
  for (uint32_t i = 0; i < c->n_marks; i++) {
    const ClockMark *mark = &c->marks[i];
    RateWide expected = rate_cycles(hz, mark->ts_ns) - epochs[mark->line];
    sum += size_of(expected - rate_nearest(mark->count, expected)) * NS_PER_S / hz;
  }
  return sum;
}

void clock_lines_clear(ClockLines *c)
{
  array_free(c->common, c->rate.pairs);
  array_free(c->common, c->lines);
  array_free(c->common, c->marks);
  *c = (ClockLines){ .common = c->common, .hz = c->hz };
}
