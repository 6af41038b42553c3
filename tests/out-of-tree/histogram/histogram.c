/* Durations of slices over all lanes, by powers of two. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

enum { TABLE_DURATIONS };
enum { METRIC_MEASURED };
enum { N_BUCKETS = 64, BUCKET_BYTES = 4 /* what two ints take in a summary, at least */ };

/* Bucket 0 holds 0 ns, bucket k durations from 2^(k-1) ns to below 2^k. */
typedef struct Histogram {
  const MillStageHost *host;
  int64_t n[N_BUCKETS];
} Histogram;

static int histogram_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                          const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Histogram *h = mill_new(host->common, sizeof *h);
  if (!h) return -MILL_LIMIT;
  h->host = host;
  *out_instance = h;
  return 0;
}

static uint32_t bucket_of(int64_t dur_ns)
{
  uint32_t k = 0;
  for (; dur_ns > 0; dur_ns >>= 1) k++;
  return k;
}

static int histogram_process(void *instance, MillBatch *b)
{
  Histogram *h = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind == MILL_SLICE && e->dur_ns >= 0) h->n[bucket_of(e->dur_ns)]++;
  }
  return 0;
}

static int64_t n_used(const Histogram *h)
{
  int64_t n = 0;
  for (uint32_t k = 0; k < N_BUCKETS; k++) n += h->n[k] > 0;
  return n;
}

static int histogram_save_result(void *instance)
{
  const Histogram *h = instance;
  h->host->put_int(h->host, n_used(h));
  for (uint32_t k = 0; k < N_BUCKETS; k++) {
    if (!h->n[k]) continue;
    h->host->put_int(h->host, k);
    h->host->put_int(h->host, h->n[k]);
  }
  return 0;
}

static int histogram_merge_result(void *instance)
{
  Histogram *h = instance;
  for (uint64_t n = h->host->get_count(h->host, BUCKET_BYTES); n > 0; n--) {
    int64_t k = h->host->get_int(h->host), count = h->host->get_int(h->host);
    if (k >= 0 && k < N_BUCKETS) h->n[k] += count;
  }
  return 0;
}

typedef struct DurationRow {
  int64_t from_ns, slices;
} DurationRow;

static int histogram_report_run(void *instance)
{
  const Histogram *h = instance;
  int64_t total = 0;
  for (uint32_t k = 0; k < N_BUCKETS; k++) {
    const DurationRow row = { k ? (int64_t)1 << (k - 1) : 0, h->n[k] };
    int status = h->n[k] ? mill_row(h->host, TABLE_DURATIONS, &row) : 0;
    if (status < 0) return status;
    total += h->n[k];
  }
  return h->host->metric(h->host, METRIC_MEASURED, NULL, mill_int(total), (uint64_t)total);
}

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(DurationRow, from_ns, "from", "ns", "Shortest duration of the row; twice of it is the next one's"),
  MILL_BRIEF(DurationRow, slices, "slices", "count", "So long"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .name = "durations",
    .help = "Slices by duration",
    .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .kind = MILL_INT, .name = "measured", .unit = "count", .help = "Slices that have a duration" },
};
static const char *const needs[] = { "slices", NULL };
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = histogram_open,
  .process = histogram_process,
  .save_result = histogram_save_result,
  .merge_result = histogram_merge_result,
  .report_run = histogram_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
  .name = "acme.histogram",
  .family = "acme",
  .version = "1.0.0",
  .tag = "HISTO",
  .title = "Count slices by duration",
  .help = "Each row holds durations from a power of two to below the next one, over all lanes.",
  .needs = needs,
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
