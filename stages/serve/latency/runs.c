/* The list of runs: reading and asking; see runs.h. */
/* SPDX-License-Identifier: MIT */
#include "runs.h"

#include <string.h>

#include "base/num-digits.h"
#include "serve/lib/card.h"
#include "kit/state/grow.h"

const char *const latency_names[N_LATENCIES] = { "ttft", "tpot", "itl", "e2e" };

/* ---- names of statistics */

enum { DECIMALS = 6, PERCENT = 1000000 };

bool percentile_read(const char *text, size_t len, int64_t *out)
{
  const char *p = text + (len > 0 && *text == 'p'), *end = text + len;
  uint64_t whole, millionths = 0;
  const char *after = digits_scan(p, end, 10, 100, &whole);
  if (!after || after == p) return false;
  if (after < end) {
    p = after + 1;
    if (*after != '.' || p == end || end - p > DECIMALS) return false;
    if (digits_scan(p, end, 10, PERCENT, &millionths) != end) return false;
    millionths *= POW10[DECIMALS - (end - p)];
  }
  *out = (int64_t)(whole * PERCENT + millionths);
  return *out <= 100 * (int64_t)PERCENT;
}

static bool is_word(const char *text, size_t len, const char *word)
{
  return strlen(word) == len && memcmp(text, word, len) == 0;
}

static bool read_kind(const char *text, size_t len, Stat *out)
{
  static const char *const kinds[] = { "mean", "std", "min", "max" };
  for (uint32_t k = 0; k < MILL_COUNT(kinds); k++)
    if (is_word(text, len, kinds[k])) {
      out->kind = k;
      return true;
    }
  out->kind = STAT_PERCENTILE;
  return len > 1 && text[0] == 'p' && percentile_read(text, len, &out->percentile);
}

/* "ttft.p99"; false if it is none of ours. */
static bool read_name(const char *text, size_t len, Stat *out)
{
  const char *dot = memchr(text, '.', len);
  size_t head = dot ? (size_t)(dot - text) : len;
  for (uint32_t l = 0; dot && l < N_LATENCIES; l++)
    if (is_word(text, head, latency_names[l])) {
      out->latency = l;
      return read_kind(dot + 1, len - head - 1, out);
    }
  return false;
}

/* ---- the list */

LatencyRun *runs_add(Runs *runs)
{
  if (!array_reserve(runs->common, &runs->items, &runs->capacity, runs->n + 1, sizeof *runs->items))
    return NULL;
  LatencyRun *run = &runs->items[runs->n++];
  *run = (LatencyRun){
    .completed = BENCH_NONE, .name = "", .card = "", .card_error = "", .phase = ""
  };
  return run;
}

bool run_set_text(const char **to, const MillHost *common, const char *text, size_t len)
{
  char *copy = mill_new(common, len + 1);
  if (!copy) return false;
  memcpy(copy, text, len);
  *to = copy;
  return true;
}

static bool add_stat(LatencyRun *run, const MillHost *common, const Stat *stat)
{
  if (!array_reserve(common, &run->stats, &run->capacity, run->n_stats + 1, sizeof *run->stats))
    return false;
  run->stats[run->n_stats++] = *stat;
  return true;
}

/* ---- from a record */

static bool next_number(const BenchKeys *keys, const MillBatch *b, const MillEvent *e,
                        uint32_t *io_at, double *out)
{
  while (*io_at < e->n_attrs) {
    const MillAttr *a = &b->attrs[e->attrs + (*io_at)++];
    uint32_t type = a->type & MILL_ATTR_TYPE;
    if (a->key != keys->stat_value || (type != MILL_REAL && type != MILL_INT)) continue;
    *out = type == MILL_REAL ? a->u.r : (double)a->u.i;
    return true;
  }
  return false;
}

bool run_read_stats(LatencyRun *run, const BenchKeys *keys, const MillBatch *b, const MillEvent *e)
{
  uint32_t name_at = 0, value_at = 0;
  size_t len;
  for (;;) {
    Stat stat = { 0 };
    const char *name = bench_next_text(keys, b, e, keys->stat_name, &name_at, &len);
    if (!name || !next_number(keys, b, e, &value_at, &stat.ms)) return true;
    if (read_name(name, len, &stat) && !add_stat(run, keys->common, &stat)) return false;
  }
}

/* ---- saved state */

static const StateField stat_fields[] = {
  STATE_FIRST(Stat, latency),
  STATE_FIRST(Stat, kind),
  STATE_FIRST(Stat, percentile),
  STATE_FIRST(Stat, ms),
};
static const StateType stat_state = STATE_TYPE(Stat, stat_fields);

static const StateField run_fields[] = {
  STATE_FIRST(LatencyRun, completed),
  STATE_FIRST(LatencyRun, detailed),
  STATE_FIRSTS(LatencyRun, expected),
  STATE_PART(LatencyRun, moments, moments_state),
  STATE_LIST(LatencyRun, stats, n_stats, capacity, stat_state),
  STATE_FIRST(LatencyRun, name),
  STATE_FIRST(LatencyRun, card),
  STATE_FIRST(LatencyRun, card_error),
  STATE_FIRST(LatencyRun, phase),
};
static const StateType run_state = STATE_TYPE(LatencyRun, run_fields);

static const StateField runs_fields[] = { STATE_LIST(Runs, items, n, capacity, run_state) };
const StateType runs_state = STATE_TYPE(Runs, runs_fields);

/* ---- asking */

static bool reports(const LatencyRun *run, uint32_t latency)
{
  for (uint32_t i = 0; i < run->n_stats; i++)
    if (run->stats[i].latency == latency) return true;
  return false;
}

Part run_part(const LatencyRun *run, uint32_t latency)
{
  if (!card_serves(run->phase)) return PART_NONE;
  if (run->moments[latency].n > 0) return PART_EXACT;
  if (run->completed == 0 || (run->detailed && run->expected[latency] == 0)) return PART_NONE;
  return reports(run, latency) ? PART_REPORTED : PART_MISSING;
}

double run_reported(const LatencyRun *run, uint32_t latency, uint32_t kind, int64_t percentile)
{
  for (uint32_t i = 0; i < run->n_stats; i++) {
    const Stat *s = &run->stats[i];
    if (s->latency == latency && s->kind == kind && s->percentile == percentile) return s->ms;
  }
  return (double)NAN;
}
