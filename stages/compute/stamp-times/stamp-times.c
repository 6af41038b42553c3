/* How long kernels spend between the stamps of the device, in its own cycles: nothing is converted,
 * so that neither the configured frequency nor the clock of the host matters.  Percentiles are exact
 * up to 2 million values, above that within 0.1 %. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include "kit/declare/rows.h"
#include "kit/numbers/dist.h"
#include "kit/state/instance.h"
#include "kit/text/fold.h"
#include "kit/state/keyed.h"
#include "kit/trace/stamps.h"

enum { INTERVALS = STAMPS - 1 };

typedef struct Options {
  int64_t exact_up_to;
} Options;

typedef struct Name {
  Dist intervals[INTERVALS];
} Name;

typedef struct StampTimes {
  const MillStageHost *host;
  const MillHost *common;
  Hists hists; /* of all names: exact together */
  StampReader stamps;
  FoldedNames folded;
  Keyed *names; /* Name, by folded name */
} StampTimes;

static int stamp_times_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                            const void *options, void **out_instance)
{
  (void)self, (void)level;
  StampTimes *s = instance_new(StampTimes, host, out_instance);
  if (!s) return -MILL_LIMIT;
  hists_init(&s->hists, s->common, (uint64_t)((const Options *)options)->exact_up_to);
  stamps_open(&s->stamps, s->common);
  s->folded.common = s->common;
  s->names = keyed_new(s->common, sizeof(Name));
  return s->names ? 0 : -MILL_LIMIT;
}

/* Cycles from stamp k to the next; stamps of any size are subtracted, what does not fit is clipped. */
static int64_t cycles_after(const Stamps *s, uint32_t k)
{
  int64_t cycles;
  if (!__builtin_sub_overflow(s->cycles[k + 1], s->cycles[k], &cycles)) return cycles;
  return s->cycles[k] < 0 ? INT64_MAX : INT64_MIN;
}

static bool add(StampTimes *s, MillSym name, const Stamps *stamps)
{
  Name *n = keyed_get_sym(s->names, fold_name(&s->folded, name));
  bool fits = n != NULL;
  for (uint32_t k = 0; k < INTERVALS && fits; k++)
    if (stamps->has[k] && stamps->has[k + 1])
      fits = dist_add(&n->intervals[k], &s->hists, cycles_after(stamps, k));
  return fits;
}

static int stamp_times_process(void *instance, MillBatch *b)
{
  StampTimes *s = instance;
  Stamps stamps;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_SLICE || stamps_part(&s->stamps, e->name) != STAMP_EXEC) continue;
    if (!stamps_read(&s->stamps, b, e, &stamps) || stamps.n < 2) continue;
    if (!add(s, e->name, &stamps)) return -MILL_LIMIT;
  }
  return 0;
}

typedef struct StampTimesRow {
  MillText name, interval;
  int64_t calls;
  double mean, median;
  int64_t min, max;
  double std;
} StampTimesRow;

static int write_row(StampTimes *s, const KeyedEntry *name, uint32_t k)
{
  static const char *const intervals[INTERVALS] = { "2-1", "3-2", "4-3", "5-4" };
  Dist *d = &((Name *)name->state)->intervals[k];
  if (d->moments.n == 0) return 0;
  const StampTimesRow row = {
    .name = { name->key, name->len },
    .interval = { intervals[k], 3 },
    .calls = (int64_t)d->moments.n,
    .mean = dist_mean(d),
    .median = dist_percentile(d, 50),
    .min = d->moments.min,
    .max = d->moments.max,
    .std = dist_std(d),
  };
  return mill_row(s->host, 0, &row);
}

static int stamp_times_report(void *instance)
{
  StampTimes *s = instance;
  const KeyedEntry *const *names = keyed_sorted(s->names);
  int status = names ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < keyed_count(s->names) && status == 0; i++)
    for (uint32_t k = 0; k < INTERVALS && status == 0; k++) status = write_row(s, names[i], k);
  return status;
}

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = stamp_times_open,
  .process = stamp_times_process,
  .report = stamp_times_report,
};

static const MillOption options[] = {
  MILL_INT_OPTION(Options, exact_up_to, "exact-up-to", HIST_EXACT_VALUES, "0:", "values",
                  "The median is exact up to this many values, 8 bytes each; with more values it "
                  "is within 0.1 %"),
};

static const MillRead reads[] = { STAMPS_READS };

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(StampTimesRow, name, "name", NULL,
                 "Name of the kernel; [N] stands for any number"),
  MILL_KEY_BRIEF(StampTimesRow, interval, "interval", NULL,
                 "The stamps of the interval: 2-1 is from TS1 to TS2"),
  MILL_BRIEF(StampTimesRow, calls, "calls", "count", "Kernels that have both stamps"),
  MILL_COLUMN(StampTimesRow, mean, "mean", "cycles", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER, "Mean"),
  MILL_COLUMN(StampTimesRow, median, "median", "cycles", MILL_COLUMN_LOWER, "Median"),
  MILL_COLUMN(StampTimesRow, min, "min", "cycles", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Shortest"),
  MILL_COLUMN(StampTimesRow, max, "max", "cycles", MILL_COLUMN_BRIEF | MILL_COLUMN_LOWER,
              "Longest"),
  MILL_COLUMN(StampTimesRow, std, "std", "cycles", 0,
              "Standard deviation (n - 1); empty for one call"),
};

static const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .name = "stamp-times",
    .help = "Cycles between the stamps of kernels, by name",
    .columns = MILL_ROWS(columns) },
};

static const char *const needs[] = { "clock.unwrapped", NULL };
static const char *const provides[] = { "table.stamp-times", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "stamp-times",
  .family = "compute",
  .version = "1.0.0",
  .tag = "STIME",
  .title = "Cycles between the stamps of kernels",
  .help = "Kernels carry five stamps of the device: TS1 issued, TS2 prepared, TS3 compute begins, "
          "TS4 compute ends, TS5 done. Shows the four intervals between them in cycles, by name "
          "without numbers, for each rank.",
  .needs = needs,
  .provides = provides,
  OWN_ROWS(options, reads, tables),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
