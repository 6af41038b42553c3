/* A stage that is right, and one for each MUTANT that is not: it finds the name that comes first in the alphabet over all
 * lanes, marks the slices of that name with their sizes, and counts them. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stagemill/stage.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RIGHT 0
#define PRINTS 1
#define ASKS 2           /* the environment */
#define PROVIDES 3       /* an attribute by another name */
#define NEEDS 4          /* the same */
#define SAVES_OBSERVED 5 /* a symbol */
#define SAVES_DECISION 6
#define SAVES_RESULT 7
#define READS 8 /* an attribute that it did not ask for */
#define CRASHES 9
#define EXITS 10
#define FORGETS 11 /* at the end of a batch */
#ifndef MUTANT
#define MUTANT RIGHT
#endif

typedef struct First {
  const MillStageHost *host;
  MillSym size, first_size;
  MillSym name;  /* the first so far; 0: none */
  int64_t marked;
} First;

static int first_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out)
{
  First *f = mill_new(host->common, sizeof *f);
  (void)self, (void)options, (void)level;
  if (!f) return -MILL_LIMIT;
  f->host = host;
  f->size = host->common->intern(host->common, "size", 4);
  f->first_size = host->common->intern(host->common, "first_size", 10);
  *out = f;
  return 0;
}

static const char *text_of(const First *f, MillSym name)
{
  return f->host->common->symbol_text(f->host->common, name, NULL);
}

static void look_at(First *f, MillSym name)
{
  if (!f->name || strcmp(text_of(f, name), text_of(f, f->name)) < 0) f->name = name;
}

static int first_observe(void *instance, const MillBatch *b)
{
  First *f = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    if (b->events[i].kind == MILL_SLICE) look_at(f, b->events[i].name);
  return 0;
}

static int save_name(const First *f, bool as_number)
{
  const char *text = text_of(f, f->name);
  if (as_number)
    f->host->put_int(f->host, f->name);
  else
    f->host->put_text(f->host, text, strlen(text));
  return 0;
}

static void load_name(First *f, bool as_number)
{
  const MillHost *common = f->host->common;
  size_t len = 0;
  const char *text = as_number ? NULL : f->host->get_text(f->host, &len);
  MillSym name = as_number ? (MillSym)f->host->get_int(f->host) : common->intern(common, text, len);
  if (name) look_at(f, name);
}

static int first_save_observed(void *instance) { return save_name(instance, MUTANT == SAVES_OBSERVED); }
static int first_merge_observed(void *instance)
{
  load_name(instance, MUTANT == SAVES_OBSERVED);
  return 0;
}
static int first_save_decision(void *instance) { return save_name(instance, MUTANT == SAVES_DECISION); }
static int first_load_decision(void *instance)
{
  First *f = instance;
  f->name = 0;
  load_name(f, MUTANT == SAVES_DECISION);
  return 0;
}

static int mark(First *f, MillBatch *b, uint32_t i)
{
  int64_t size = 0;
  f->marked++;
  mill_attr_int(b, &b->events[i], f->size, &size);
  return f->host->set(f->host, b, i, f->first_size, mill_int(size));
}

static int first_process(void *instance, MillBatch *b)
{
  First *f = instance;
  if (MUTANT == PRINTS) printf("%u events\n", b->n_events);
  if (MUTANT == ASKS && getenv("FIRST_OFF")) return 0;
  if (MUTANT == CRASHES) raise(SIGSEGV);
  if (MUTANT == EXITS) exit(0);
  if (MUTANT == FORGETS) f->marked = 0;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    int status = e->kind == MILL_SLICE && e->name == f->name ? mark(f, b, i) : 0;
    if (status) return status;
  }
  return 0;
}

static int first_save_result(void *instance)
{
  const First *f = instance;
  f->host->put_int(f->host, f->marked);
  return save_name(f, MUTANT == SAVES_RESULT);
}

static int first_merge_result(void *instance)
{
  First *f = instance;
  f->marked += f->host->get_int(f->host);
  load_name(f, MUTANT == SAVES_RESULT);
  return 0;
}

typedef struct FirstRow {
  MillSym name;
  int64_t marked;
} FirstRow;

static int first_report(void *instance)
{
  const First *f = instance;
  const FirstRow row = { f->name, f->marked };
  return mill_row(f->host, 0, &row);
}

static int first_report_run(void *instance)
{
  const First *f = instance;
  return f->host->metric(f->host, 0, NULL, mill_int(f->marked), 1);
}

static const MillColumn columns[] = {
  MILL_COLUMN(FirstRow, name, "name", NULL, 0, "The first name"),
  MILL_COLUMN(FirstRow, marked, "marked", "count", 0, "Slices of that name"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "first", .help = "The first name", .columns = MILL_ROWS(columns) }
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_RUN, .kind = MILL_INT, .name = "first_marked", .unit = "count", .help = "Marked" }
};
static const MillRead reads[] = {
  { MUTANT == READS ? "other" : "size", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
};
static const char *const needs[] = { "slices", MUTANT == NEEDS ? "attr.sise" : "attr.size", NULL };
static const char *const provides[] = {
  MUTANT == PROVIDES ? "attr.firstsize" : "attr.first_size", NULL
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = first_open,
  .observe = first_observe,
  .save_observed = first_save_observed,
  .merge_observed = first_merge_observed,
  .save_decision = first_save_decision,
  .load_decision = first_load_decision,
  .process = first_process,
  .report = first_report,
  .save_result = first_save_result,
  .merge_result = first_merge_result,
  .report_run = first_report_run,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_RUN,
  .flags = MILL_MERGES,
  .name = "test.first",
  .family = "test",
  .version = "1.0.0",
  .tag = "FIRST",
  .title = "Marks slices of the first name",
  .help = "For tests of the command test.",
  .needs = needs,
  .provides = provides,
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "test", "MIT");
