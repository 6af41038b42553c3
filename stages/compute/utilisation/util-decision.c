/* The choice of tables, and what they say of kernels that ran; see util-run.h. */
#include "kit/state/grow.h"
#include "util-run.h"

/* ------------------------------------------------------------- from the run */

static void save_lane(const UtilLane *lane, const MillStageHost *host)
{
  const UtilJobs *jobs = &lane->jobs;
  host->put_int(host, lane->index);
  host->put_int(host, lane->has_table);
  util_groups_save(jobs, host);
  host->put_int(host, jobs->n_jobs);
  for (uint32_t i = 0; i < jobs->n_jobs; i++) {
    util_job_save(&jobs->jobs[i], host);
    host->put_int(host, jobs->jobs[i].doubts);
  }
}

/* Numbers of the kernels that some lane ran, plus 1, and their names; NULL: memory was refused. */
static uint32_t *save_kernels(const UtilRun *run, const MillStageHost *host)
{
  uint32_t *numbers = run->common->scratch(run->common, (run->kernels.n + (size_t)1) * 4), n = 0;
  for (uint32_t i = 0; numbers && i < run->n_lanes; i++) {
    const UtilLane *lane = &run->lanes[i];
    for (uint32_t k = 0; lane->jobs.n_jobs && k < lane->n_kernels; k++) {
      uint32_t *number = &numbers[lane->kernels[k]];
      if (!*number) *number = ++n;
    }
  }
  host->put_int(host, n);
  for (uint32_t i = 0, at = 0; numbers && i < run->kernels.n; i++) {
    const KeyedEntry *name = run->kernels.entries[i];
    if (!numbers[i]) continue;
    host->put_text(host, name->key, name->len);
    numbers[i] = ++at;
  }
  return numbers;
}

static void save_entry(const UtilEntry *entry, uint32_t kernel, const MillStageHost *host)
{
  host->put_int(host, kernel);
  host->put_int(host, entry->category);
  host->put_int(host, entry->cycles);
}

static bool save_table(const UtilRun *run, const UtilTable *table, const uint32_t *kernels,
                       const MillStageHost *host)
{
  const UtilEntry *entries = &run->tables.entries[table->entries];
  uint8_t *has = run->common->scratch(run->common, run->tables.texts.n + (size_t)1);
  uint32_t n_ran = 0, n_categories = 0;
  if (!has) return false;
  for (uint32_t i = 0; i < table->n_entries; i++) {
    n_ran += kernels[entries[i].kernel] != 0;
    n_categories += !has[entries[i].category];
    has[entries[i].category] = 1;
  }
  host->put_int(host, table->phase);
  host->put_int(host, table->autopilot);
  host->put_int(host, util_table_cycles(table));
  host->put_int(host, n_categories);
  for (uint32_t i = 0; i < run->tables.texts.n; i++)
    if (has[i]) host->put_int(host, i);
  host->put_int(host, n_ran);
  for (uint32_t i = 0; i < table->n_entries; i++)
    if (kernels[entries[i].kernel]) save_entry(&entries[i], kernels[entries[i].kernel] - 1, host);
  return true;
}

bool util_run_save(UtilRun *run, const MillStageHost *host)
{
  host->put_int(host, run->n_lanes);
  for (uint32_t i = 0; i < run->n_lanes; i++) save_lane(&run->lanes[i], host);
  const uint32_t *kernels = save_kernels(run, host);
  bool fits = kernels != NULL;
  util_texts_save(&run->tables.texts, host);
  host->put_int(host, run->tables.n_tables);
  for (uint32_t i = 0; i < run->tables.n_tables && fits; i++)
    fits = save_table(run, &run->tables.tables[i], kernels, host);
  return fits;
}

/* --------------------------------------------------------------- to a lane */

typedef struct Loading {
  UtilDecision *decision;
  const MillStageHost *host;
  UtilSeen *seen;
  UtilResults *results;
  const uint32_t *kernels, *texts; /* numbers here */
  uint32_t n_kernels, n_texts;
} Loading;

static void pass_lane(const MillStageHost *host)
{
  size_t len;
  for (uint64_t n = host->get_count(host, 5); n > 0; n--) {
    host->get_text(host, &len);
    host->get_int(host);
  }
  for (uint64_t n = host->get_count(host, UTIL_JOB_BYTES + 2); n > 0; n--) {
    util_job_load(host);
    host->get_int(host);
  }
}

static bool load_lane(const Loading *l, uint32_t lane)
{
  const MillStageHost *host = l->host;
  bool is_own = host->get_int(host) == lane, has_table = host->get_int(host) != 0;
  if (!is_own) {
    pass_lane(host);
    return true;
  }
  l->decision->has_table = has_table;
  bool fits = util_groups_load(&l->seen->jobs, host);
  for (uint64_t n = host->get_count(host, UTIL_JOB_BYTES + 2); n > 0 && fits; n--) {
    UtilJob job = util_job_load(host);
    job.doubts = (uint8_t)host->get_int(host);
    fits = util_jobs_put(&l->seen->jobs, &job);
  }
  return fits;
}

/* Which tables the jobs of this lane have. */
static bool load_uses(const Loading *l)
{
  UtilDecision *d = l->decision;
  const UtilJobs *jobs = &l->seen->jobs;
  d->n_tables = (uint32_t)l->host->get_count(l->host, 10);
  if (l->n_texts == 0) d->n_tables = 0; /* else the summary is damaged */
  d->tables = mill_new(l->host->common, (d->n_tables + (size_t)1) * sizeof *d->tables);
  for (uint32_t i = 0; d->tables && i < jobs->n_jobs; i++)
    if (jobs->jobs[i].table && jobs->jobs[i].table <= d->n_tables)
      d->tables[jobs->jobs[i].table - 1].used = true;
  return d->tables != NULL;
}

static UtilCategory *category_of(const Loading *l, uint64_t phase, uint64_t category)
{
  const UtilTexts *texts = &l->seen->tables.texts;
  if (phase >= l->n_texts || category >= l->n_texts) phase = category = 0;
  const KeyedEntry *p = texts->entries[l->texts[phase]], *c = texts->entries[l->texts[category]];
  return util_category(l->results, p->key, p->len, c->key, c->len);
}

/* Every table has these. */
static bool load_common(const Loading *l, UtilChosen *table, uint64_t phase)
{
  const KeyedEntry *p = l->seen->tables.texts.entries[l->texts[phase < l->n_texts ? phase : 0]];
  table->total = util_category(l->results, p->key, p->len, "Total", 5);
  table->other = util_category(l->results, p->key, p->len, "other", 5);
  return table->total && table->other &&
         util_category(l->results, p->key, p->len, "StcdpHbm", 8) != NULL;
}

static bool load_cost(const Loading *l, uint32_t table, uint64_t phase)
{
  UtilDecision *d = l->decision;
  const MillStageHost *host = l->host;
  uint64_t kernel = (uint64_t)host->get_int(host), category = (uint64_t)host->get_int(host);
  int64_t cycles = host->get_int(host);
  if (!d->tables[table].used || kernel >= l->n_kernels) return true;
  uint64_t *place = pairmap_at(&d->of_kernel, table, l->kernels[kernel]);
  if (!place ||
      !array_reserve_at(host->common, &d->costs, &d->max_costs, d->n_costs, sizeof *d->costs))
    return false;
  d->costs[d->n_costs] = (UtilCost){ cycles, category_of(l, phase, category) };
  *place = ++d->n_costs;
  return d->costs[d->n_costs - 1].category != NULL;
}

static bool load_table(const Loading *l, uint32_t number)
{
  const MillStageHost *host = l->host;
  UtilChosen *table = &l->decision->tables[number];
  uint64_t phase = (uint64_t)host->get_int(host);
  table->autopilot = host->get_int(host) != 0;
  table->cycles = host->get_int(host);
  bool fits = !table->used || load_common(l, table, phase);
  for (uint64_t n = host->get_count(host, 2); n > 0; n--) {
    uint64_t category = (uint64_t)host->get_int(host);
    if (fits && table->used) fits = category_of(l, phase, category) != NULL;
  }
  for (uint64_t n = host->get_count(host, 6); n > 0 && fits; n--)
    fits = load_cost(l, number, phase);
  return fits;
}

bool util_decision_load(UtilDecision *d, const MillStageHost *host, uint32_t lane, UtilSeen *seen,
                        UtilResults *results)
{
  Loading l = { .decision = d, .host = host, .seen = seen, .results = results };
  bool fits = true;
  pairmap_open(&d->of_kernel, host->common);
  util_jobs_forget_kernels(&seen->jobs);
  for (uint64_t n = host->get_count(host, 8); n > 0 && fits; n--) fits = load_lane(&l, lane);
  if (fits) l.kernels = util_texts_load(&seen->kernels.texts, host, &l.n_kernels);
  if (l.kernels) l.texts = util_texts_load(&seen->tables.texts, host, &l.n_texts);
  fits = l.texts && load_uses(&l);
  for (uint32_t i = 0; i < d->n_tables && fits; i++) fits = load_table(&l, i);
  return fits;
}

const UtilCost *util_cost(const UtilDecision *d, uint32_t table, uint32_t kernel)
{
  uint64_t number = pairmap_get(&d->of_kernel, table, kernel);
  return number ? &d->costs[number - 1] : NULL;
}
