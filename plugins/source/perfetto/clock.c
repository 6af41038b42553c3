/* Times of packets in the clock of the trace, by readings of several clocks at one moment. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

static bool is_own(uint32_t id) { return id >= CLOCK_FIRST_OWN && id <= CLOCK_LAST_OWN; }

/* Clocks from 64 to 127 are known to one sequence only.  0: there is no such clock. */
static uint64_t find(const Source *s, const Sequence *q, uint32_t id)
{
  return pair_table_get(&s->clock_by_id, id, is_own(id) ? (uint64_t)q->id + 1 : 0);
}

static Clock *get_clock(Source *s, const Sequence *q, uint32_t id)
{
  uint64_t found = find(s, q, id);
  if (found) return &s->clocks[found - 1];
  Clock *all = array_grow(s->common, s->clocks, s->n_clocks, &s->max_clocks, sizeof *all);
  if (!all) return NULL;
  s->clocks = all;
  if (!pair_table_put(&s->clock_by_id, id, is_own(id) ? (uint64_t)q->id + 1 : 0, s->n_clocks + 1))
    return NULL;
  all[s->n_clocks] = (Clock){ .unit_ns = 1 };
  return &all[s->n_clocks++];
}

static bool to_ns(uint64_t ticks, int64_t unit_ns, int64_t *out)
{
  return ticks <= INT64_MAX && !__builtin_mul_overflow((int64_t)ticks, unit_ns, out);
}

/* The last reading at or before the time, else the first one. */
static const ClockPoint *point_at(const Clock *c, int64_t clock_ns)
{
  uint32_t low = 0, high = c->n_points;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (c->points[middle].clock_ns <= clock_ns)
      low = middle;
    else
      high = middle;
  }
  return &c->points[low];
}

static bool convert(const Clock *c, int64_t clock_ns, int64_t *out)
{
  int64_t since;
  if (!c->n_points) return false;
  const ClockPoint *p = point_at(c, clock_ns);
  return !__builtin_sub_overflow(clock_ns, p->clock_ns, &since) &&
         !__builtin_add_overflow(p->trace_ns, since, out);
}

static bool add_point(Source *s, Clock *c, ClockPoint p)
{
  ClockPoint *last = c->n_points ? &c->points[c->n_points - 1] : NULL;
  if (last && p.clock_ns < last->clock_ns) return true; /* from a writer whose packets come late */
  if (last && p.clock_ns == last->clock_ns) {
    *last = p;
    return true;
  }
  ClockPoint *all = array_grow(s->common, c->points, c->n_points, &c->max_points, sizeof *all);
  if (!all) return false;
  c->points = all;
  all[c->n_points++] = p;
  return true;
}

static int64_t unit_of(const Pft__Clock *c)
{
  bool fits = c->unit_multiplier_ns && c->unit_multiplier_ns <= INT64_MAX;
  return fits ? (int64_t)c->unit_multiplier_ns : 1;
}

/* The trace's time of the snapshot: its reading, else what another clock in it tells. */
static bool trace_time(const Source *s, const Sequence *q, const Pft__ClockSnapshot *snapshot,
                       int64_t *out)
{
  int64_t ns;
  for (size_t i = 0; i < snapshot->n_clocks; i++) {
    const Pft__Clock *c = snapshot->clocks[i];
    if (c->clock_id == s->trace_clock) return to_ns(c->timestamp, unit_of(c), out);
  }
  for (size_t i = 0; i < snapshot->n_clocks; i++) {
    const Pft__Clock *c = snapshot->clocks[i];
    uint64_t known = find(s, q, c->clock_id);
    bool counts = known && !is_own(c->clock_id) && to_ns(c->timestamp, unit_of(c), &ns);
    if (counts && convert(&s->clocks[known - 1], ns, out)) return true;
  }
  return false;
}

/* The absolute time of 0 on the trace's clock. */
static void describe_base(Source *s, int64_t real_ns, int64_t trace_ns)
{
  int64_t base_ns;
  if (s->has_base || s->is_survey || __builtin_sub_overflow(real_ns, trace_ns, &base_ns)) return;
  s->has_base = true;
  s->host->describe(s->host, "base_ns", mill_int(base_ns));
}

/* In one snapshot, by itself. */
void clock_find_base(Source *s, const Pft__ClockSnapshot *snapshot)
{
  uint32_t trace_clock =
      snapshot->has_primary_trace_clock ? snapshot->primary_trace_clock : s->trace_clock;
  const Pft__Clock *real = NULL, *trace = NULL;
  int64_t real_ns, trace_ns;
  for (size_t i = 0; i < snapshot->n_clocks; i++) {
    const Pft__Clock *c = snapshot->clocks[i];
    if (c->clock_id == CLOCK_REALTIME_ID) real = c;
    if (c->clock_id == trace_clock) trace = c;
  }
  if (real && trace && to_ns(real->timestamp, unit_of(real), &real_ns) &&
      to_ns(trace->timestamp, unit_of(trace), &trace_ns))
    describe_base(s, real_ns, trace_ns);
}

static bool take_reading(Source *s, const Sequence *q, const Pft__Clock *reading, bool has_trace,
                         int64_t trace_ns)
{
  int64_t ns;
  if (!to_ns(reading->timestamp, unit_of(reading), &ns)) {
    source_note(s, PFT_BAD_CLOCK);
    return true;
  }
  Clock *c = get_clock(s, q, reading->clock_id);
  if (!c) return false;
  c->unit_ns = unit_of(reading);
  c->is_incremental = reading->is_incremental;
  c->last_ns = ns;
  if (!has_trace) return true;
  if (reading->clock_id == CLOCK_REALTIME_ID) describe_base(s, ns, trace_ns);
  return reading->clock_id == s->trace_clock || add_point(s, c, (ClockPoint){ ns, trace_ns });
}

bool clock_snapshot(Source *s, const Sequence *q, const Pft__ClockSnapshot *snapshot)
{
  int64_t trace_ns = 0;
  if (snapshot->has_primary_trace_clock) s->trace_clock = snapshot->primary_trace_clock;
  bool has_trace = trace_time(s, q, snapshot, &trace_ns);
  for (size_t i = 0; i < snapshot->n_clocks; i++)
    if (!take_reading(s, q, snapshot->clocks[i], has_trace, trace_ns)) return false;
  return true;
}

/* The time on the clock itself. */
static bool own_time(Clock *c, uint64_t ticks, int64_t *out)
{
  int64_t ns;
  if (!to_ns(ticks, c->unit_ns, &ns)) return false;
  if (c->is_incremental) {
    if (__builtin_add_overflow(c->last_ns, ns, &ns)) return false;
    c->last_ns = ns;
  }
  *out = ns;
  return true;
}

bool clock_time(Source *s, const Sequence *q, const Pft__Packet *p, int64_t *out_ns)
{
  uint32_t id = p->has_timestamp_clock_id ? p->timestamp_clock_id
                : q->has_clock            ? q->clock
                                          : s->trace_clock;
  uint64_t found = find(s, q, id);
  if (id == s->trace_clock)
    return to_ns(p->timestamp, found ? s->clocks[found - 1].unit_ns : 1, out_ns);
  if (!found) return false;
  int64_t ns;
  Clock *c = &s->clocks[found - 1];
  return own_time(c, p->timestamp, &ns) && convert(c, ns, out_ns);
}

void clock_clear_all(Source *s)
{
  for (uint32_t i = 0; i < s->n_clocks; i++)
    if (s->clocks[i].points) s->common->resize(s->common, s->clocks[i].points, 0);
}
