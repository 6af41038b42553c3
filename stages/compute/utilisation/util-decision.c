/* The choice of tables, and what they say of kernels that ran; see util-run.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/grow.h"
#include "util-run.h"

typedef struct SharedTable { /* what all lanes are told of a table */
  uint32_t phase;
  bool autopilot;
  int64_t cycles;
  UtilKernel *categories; /* all of them */
  UtilRow *rows;          /* of kernels that some lane ran */
  uint32_t n_categories, n_rows;
} SharedTable;

typedef struct Shared {
  Names kernels, texts;
  UtilLane *lanes;
  SharedTable *tables;
  uint32_t n_lanes, n_tables;
  /* Where it is loaded: */
  const MillHost *common;
  uint32_t index; /* of the lane */
  UtilLane own;
} Shared;

static void free_lane(const MillHost *common, const UtilLane *lane)
{
  for (uint32_t i = 0; i < lane->n_groups; i++)
    array_free(common, (void *)(uintptr_t)lane->groups[i].name.text);
  array_free(common, lane->groups);
  array_free(common, lane->jobs);
}

static bool take_lane(void *owner, const void *element)
{
  Shared *s = owner;
  const UtilLane *lane = element;
  if (lane->index == s->index)
    s->own = *lane;
  else
    free_lane(s->common, lane);
  return true;
}

static const StateField category_fields[] = { STATE_NUMBER(UtilKernel, number, 1) };
static const StateType category_state = STATE_TYPE(UtilKernel, category_fields);

static const StateField table_fields[] = {
  STATE_NUMBER(SharedTable, phase, 1),
  STATE_FIRST(SharedTable, autopilot),
  STATE_FIRST(SharedTable, cycles),
  STATE_EXACT_LIST(SharedTable, categories, n_categories, category_state),
  STATE_EXACT_LIST(SharedTable, rows, n_rows, util_row_state),
};
static const StateType table_state = STATE_TYPE(SharedTable, table_fields);

static const StateField shared_fields[] = {
  STATE_NAMES(Shared, kernels, 0),
  STATE_NAMES(Shared, texts, 1),
  STATE_TAKEN(Shared, lanes, n_lanes, util_chosen_lane_state, take_lane),
  STATE_EXACT_LIST(Shared, tables, n_tables, table_state),
};
static const StateType shared_state = STATE_TYPE(Shared, shared_fields);

/* ------------------------------------------------------------- from the run */

/* Gives the kernels that some lane ran numbers of their own: plus 1, by those of the run.  NULL: memory was refused. */
static uint32_t *share_kernels(const UtilRun *run, Names *kernels)
{
  uint32_t *numbers = run->common->scratch(run->common, (run->kernels.n + 1) * sizeof *numbers);
  for (uint32_t i = 0; numbers && i < run->n_lanes; i++)
    for (uint32_t k = 0; k < run->lanes[i].n_kernels; k++)
      numbers[run->lanes[i].kernels[k].number] = 1;
  for (uint32_t i = 0; numbers && i < run->kernels.n; i++) {
    const KeyedEntry *name = run->kernels.entries[i];
    if (!numbers[i]) continue;
    if (!names_number(kernels, name->key, name->len, &numbers[i])) return NULL;
    numbers[i]++;
  }
  return numbers;
}

static void share_row(SharedTable *to, const UtilRow *row, const uint32_t *kernels)
{
  uint32_t number = kernels[row->kernel];
  if (number) to->rows[to->n_rows++] = (UtilRow){ number - 1, row->category, row->cycles };
}

static bool share_table(const UtilRun *run, const UtilTable *table, const uint32_t *kernels,
                        SharedTable *to)
{
  const MillHost *common = run->common;
  uint32_t n_texts = (uint32_t)run->tables.texts.n;
  uint8_t *has = common->scratch(common, n_texts + (size_t)1);
  *to = (SharedTable){ .phase = table->phase,
                       .autopilot = table->autopilot,
                       .cycles = util_table_cycles(table) };
  to->categories = common->scratch(common, (n_texts + (size_t)1) * sizeof *to->categories);
  to->rows = common->scratch(common, (table->n_rows + (size_t)1) * sizeof *to->rows);
  if (!has || !to->categories || !to->rows) return false;
  for (uint32_t i = 0; i < table->n_rows; i++) {
    has[table->rows[i].category] = 1;
    share_row(to, &table->rows[i], kernels);
  }
  for (uint32_t i = 0; i < n_texts; i++)
    if (has[i]) to->categories[to->n_categories++].number = i;
  return true;
}

bool util_run_save(const UtilRun *run, const MillStageHost *host)
{
  const MillHost *common = run->common;
  Shared s = { .kernels = { .common = common },
               .texts = run->tables.texts,
               .lanes = run->lanes,
               .n_lanes = run->n_lanes };
  const uint32_t *kernels = share_kernels(run, &s.kernels);
  s.tables = common->scratch(common, (run->tables.n_tables + (size_t)1) * sizeof *s.tables);
  if (!kernels || !s.tables) return false;
  for (; s.n_tables < run->tables.n_tables; s.n_tables++)
    if (!share_table(run, &run->tables.tables[s.n_tables], kernels, &s.tables[s.n_tables]))
      return false;
  state_save(host, &shared_state, &s);
  return true;
}

/* --------------------------------------------------------------- to a lane */

typedef struct Loading {
  UtilDecision *decision;
  const Shared *shared;
  UtilSeen *seen;
  UtilResults *results;
} Loading;

/* Which tables the jobs of this lane have. */
static bool load_uses(const Loading *l)
{
  UtilDecision *d = l->decision;
  const UtilJobs *jobs = &l->seen->jobs;
  d->n_tables = l->shared->n_tables;
  d->tables = mill_new(jobs->common, (d->n_tables + (size_t)1) * sizeof *d->tables);
  for (uint32_t i = 0; d->tables && i < jobs->n_jobs; i++)
    if (jobs->jobs[i].table) d->tables[jobs->jobs[i].table - 1].used = true;
  return d->tables != NULL;
}

static UtilCategory *category_named(const Loading *l, uint32_t phase, const char *name, size_t len)
{
  const KeyedEntry *p = l->shared->texts.entries[phase];
  return util_category(l->results, p->key, p->len, name, len);
}

static UtilCategory *category_of(const Loading *l, uint32_t phase, uint32_t category)
{
  const KeyedEntry *c = l->shared->texts.entries[category];
  return category_named(l, phase, c->key, c->len);
}

/* Every table has these. */
static bool load_common(const Loading *l, UtilChosen *table, uint32_t phase)
{
  table->total = category_named(l, phase, "Total", 5);
  table->other = category_named(l, phase, "other", 5);
  return table->total && table->other && category_named(l, phase, "StcdpHbm", 8) != NULL;
}

static bool load_cost(const Loading *l, uint32_t table, uint32_t phase, const UtilRow *row)
{
  UtilDecision *d = l->decision;
  Names *kernels = &l->seen->kernels.names;
  const KeyedEntry *name = l->shared->kernels.entries[row->kernel];
  uint32_t kernel = util_number(kernels, name->key, name->len);
  uint64_t *place = kernel == UTIL_NO_NAME ? NULL : pairmap_at(&d->of_kernel, table, kernel);
  if (!place ||
      !array_reserve_at(kernels->common, &d->costs, &d->max_costs, d->n_costs, sizeof *d->costs))
    return false;
  d->costs[d->n_costs] = (UtilCost){ row->cycles, category_of(l, phase, row->category) };
  *place = ++d->n_costs;
  return d->costs[d->n_costs - 1].category != NULL;
}

static bool load_table(const Loading *l, uint32_t number)
{
  const SharedTable *from = &l->shared->tables[number];
  UtilChosen *table = &l->decision->tables[number];
  table->autopilot = from->autopilot;
  table->cycles = from->cycles;
  if (!table->used) return true;
  bool fits = load_common(l, table, from->phase);
  for (uint32_t i = 0; i < from->n_categories && fits; i++)
    fits = category_of(l, from->phase, from->categories[i].number) != NULL;
  for (uint32_t i = 0; i < from->n_rows && fits; i++)
    fits = load_cost(l, number, from->phase, &from->rows[i]);
  return fits;
}

static bool load_shared(const Loading *l)
{
  const UtilLane *own = &l->shared->own;
  l->decision->has_table = own->has_table;
  bool fits =
      util_jobs_restore(&l->seen->jobs, own->groups, own->n_groups, own->jobs, own->n_jobs) &&
      load_uses(l);
  for (uint32_t i = 0; i < l->shared->n_tables && fits; i++) fits = load_table(l, i);
  return fits;
}

static void free_shared(const Shared *s)
{
  free_lane(s->common, &s->own);
  for (uint32_t i = 0; i < s->n_tables; i++) {
    array_free(s->common, s->tables[i].categories);
    array_free(s->common, s->tables[i].rows);
  }
  array_free(s->common, s->tables);
}

bool util_decision_load(UtilDecision *d, const MillStageHost *host, uint32_t lane, UtilSeen *seen,
                        UtilResults *results)
{
  Shared shared = { .common = host->common, .index = lane };
  const Loading l = { d, &shared, seen, results };
  pairmap_open(&d->of_kernel, host->common);
  bool fits = state_load(host, &shared_state, &shared) && load_shared(&l);
  free_shared(&shared);
  return fits;
}

const UtilCost *util_cost(const UtilDecision *d, uint32_t table, uint32_t kernel)
{
  uint64_t number = pairmap_get(&d->of_kernel, table, kernel);
  return number ? &d->costs[number - 1] : NULL;
}
