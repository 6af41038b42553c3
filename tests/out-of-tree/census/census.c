/* Counts events of the merged stream by name, and how often it goes from one lane to another. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

enum { TABLE_CENSUS };
enum { METRIC_SWITCHES, METRIC_EVENTS };

typedef struct Count {
  MillSym name;
  int64_t n;
} Count;

typedef struct Census {
  const MillStageHost *host;
  Count *counts;
  uint32_t n_counts, last_lane;
  int64_t n_events, n_switches;
} Census;

static int census_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)options;
  if (level != MILL_MERGED)
    return mill_fail(host->common, MILL_STAGE_FAILED, "it was opened on another level", NULL);
  Census *c = mill_new(host->common, sizeof *c);
  if (!c) return -MILL_LIMIT;
  c->host = host;
  c->last_lane = MILL_NO_LANE;
  *out_instance = c;
  return 0;
}

static Count *count_of(Census *c, MillSym name)
{
  for (uint32_t i = 0; i < c->n_counts; i++)
    if (c->counts[i].name == name) return &c->counts[i];
  Count *counts =
      c->host->common->resize(c->host->common, c->counts, (c->n_counts + 1) * sizeof *counts);
  if (!counts) return NULL;
  c->counts = counts;
  counts[c->n_counts] = (Count){ .name = name };
  return &counts[c->n_counts++];
}

static int census_process(void *instance, MillBatch *b)
{
  Census *c = instance;
  const MillHost *common = c->host->common;
  for (uint32_t i = 0; i < b->n_events; i++) {
    Count *count = count_of(c, b->events[i].name);
    if (!count) return -MILL_LIMIT;
    uint32_t lane = common->track_lane(common, b->events[i].track);
    count->n++;
    c->n_events++;
    c->n_switches += c->last_lane != MILL_NO_LANE && lane != c->last_lane;
    c->last_lane = lane;
  }
  return 0;
}

static int census_report(void *instance)
{
  const Census *c = instance;
  for (uint32_t i = 0; i < c->n_counts; i++) {
    int status = mill_row(c->host, TABLE_CENSUS, &c->counts[i]);
    if (status < 0) return status;
  }
  int status =
      c->host->metric(c->host, METRIC_EVENTS, NULL, mill_int(c->n_events), (uint64_t)c->n_events);
  if (status < 0) return status;
  if (!c->n_events)
    return c->host->no_metric(c->host, METRIC_SWITCHES, NULL, "there are no events");
  return c->host->metric(c->host, METRIC_SWITCHES, NULL, mill_int(c->n_switches),
                         (uint64_t)c->n_events);
}

static const MillColumn columns[] = {
  MILL_KEY_BRIEF(Count, name, "name", NULL, "Of the events"),
  MILL_BRIEF(Count, n, "events", "count", "Of all lanes"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_RUN,
    .brief_rows = 3,
    .name = "census",
    .help = "Events by name",
    .order = "-events",
    .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .kind = MILL_INT,
    .name = "lane_switches",
    .unit = "count",
    .help = "Times that an event follows one of another lane" },
  { .kind = MILL_INT, .name = "events", .unit = "count", .help = "Events of all lanes" },
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = census_open,
  .process = census_process,
  .report = census_report,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_WHOLE,
  .flags = MILL_READ_ONLY,
  .name = "acme.census",
  .family = "acme",
  .version = "1.0.0",
  .tag = "CENSUS",
  .title = "Count events of all lanes by name",
  .help = "Looks at the lanes as one stream in the order of time.",
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "acme", "MIT");
