/* Tests of the harness: a stage that keeps all promises passes, and each broken one is found. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include "hear.h"

enum Violation {
  NONE,
  COUNT_BATCHES,
  SHOW_SYMBOLS,
  CHANGE_UNMARKED,
  DROP,
  EMIT,
  WRONG_CELL,
  SHORT_ROW,
  UNKNOWN_NOTICE,
  UNKNOWN_FAILURE,
  PUT_ANYWHERE,
  LEAVE_UNREAD,
  READ_TOO_MUCH,
  NO_IDENTITY,
  NOT_ASSOCIATIVE,
  LAST_WINS,
  NO_REASON,
  POSITIVE_STATUS,
  FAIL_WITHOUT_EVENTS,
  FAIL_ON_ONE_EVENT,
  SHARE_STATE,
  COUNT_MERGES
};

static const struct {
  enum Violation violation;
  const char *said;
} violations[] = {
  { COUNT_BATCHES, "property: a batch size of 1 changes the result: \"totals: 511\"" },
  { SHOW_SYMBOLS, "property: another order of symbols changes the result" },
  { CHANGE_UNMARKED, "changed dur_ns without mill_set_dur [unmarked-change]" },
  { DROP, "dropped an event without MILL_MAY_DROP [undeclared-drop]" },
  { EMIT, "emitted an event without MILL_MAY_EMIT [undeclared-emit]" },
  { WRONG_CELL, "a cell's type is not its column's" },
  { SHORT_ROW, "the number of cells is not that of the columns" },
  { UNKNOWN_NOTICE, "counted a notice that it does not declare [undeclared-notice]" },
  { UNKNOWN_FAILURE, "failed with a notice that it does not declare [undeclared-notice]" },
  { PUT_ANYWHERE, "asked for put_int in process or flush, where it is not allowed" },
  { LEAVE_UNREAD, "reads less of its summary than it wrote" },
  { READ_TOO_MUCH, "reads its summary in another order than it wrote it" },
  { NO_IDENTITY, "property: saving and merging into a fresh instance changes the state" },
  { NOT_ASSOCIATIVE, "property: merging is not associative" },
  { LAST_WINS, "property: MILL_ANY_ORDER, but the order of merging matters" },
  { NO_REASON, "failed without a reason (status -5)" },
  { POSITIVE_STATUS, "returned a positive status [positive-status]" },
  { FAIL_WITHOUT_EVENTS, "property: with 0 events a lane it fails" },
  { FAIL_ON_ONE_EVENT, "property: with 1 events a lane it fails" },
  { SHARE_STATE, "property: serving lanes from the last one on changes the result" },
};
static enum Violation violation;
static int64_t shared, n_merges;

/* ---- a stage that sums durations */

typedef struct Sum {
  const MillStageHost *host;
  const MillHost *common;
  int64_t total, last, n_events;
} Sum;

static int sum_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                    const void *options, void **out)
{
  (void)self, (void)options, (void)level;
  Sum *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->common = host->common;
  *out = s;
  return 0;
}

static void offend(Sum *s, MillBatch *b, uint32_t i)
{
  MillEvent copy = b->events[i];
  if (violation == SHOW_SYMBOLS) s->total += copy.name;
  if (violation == CHANGE_UNMARKED) mill_events(b)[i].dur_ns++;
  if (violation == DROP) mill_drop(&mill_events(b)[i]);
  if (violation == EMIT) s->host->emit(s->host, b, i, &copy);
  if (violation == UNKNOWN_NOTICE) s->common->note(s->common, 9, b, i, NULL, 0);
  if (violation == PUT_ANYWHERE) s->host->put_int(s->host, 1);
  if (violation == SHARE_STATE) s->total += shared * copy.dur_ns, shared = copy.dur_ns;
}

static int fail_with(const Sum *s, uint32_t number)
{
  const MillFailure f = {
    .size = sizeof f, .status = MILL_STAGE_FAILED, .number = number, .what = "it cannot go on"
  };
  return s->common->fail(s->common, &f);
}

static int sum_process(void *instance, MillBatch *b)
{
  Sum *s = instance;
  if (violation == NO_REASON) return -MILL_STAGE_FAILED;
  if (violation == UNKNOWN_FAILURE) return fail_with(s, 9);
  if (violation == COUNT_BATCHES && b->n_events < 3) s->total++;
  for (uint32_t i = 0; i < b->n_events; i++) {
    s->total += b->events[i].dur_ns;
    s->last = b->events[i].dur_ns;
    s->n_events++;
    offend(s, b, i);
  }
  return violation == POSITIVE_STATUS;
}

static int sum_flush(void *instance, MillBatch *b)
{
  const Sum *s = instance;
  (void)b;
  if (violation == FAIL_WITHOUT_EVENTS && !s->n_events) return fail_with(s, 1);
  if (violation == FAIL_ON_ONE_EVENT && s->n_events == 1) return fail_with(s, 1);
  return 0;
}

static int sum_save(void *instance)
{
  const Sum *s = instance;
  s->host->put_int(s->host, s->total);
  s->host->put_int(s->host, violation == LAST_WINS ? s->last : 0);
  if (violation == LEAVE_UNREAD) s->host->put_text(s->host, "more", 4);
  return 0;
}

static int sum_merge(void *instance)
{
  Sum *s = instance;
  int64_t total = s->host->get_int(s->host);
  s->last = s->host->get_int(s->host);
  if (violation == READ_TOO_MUCH) s->host->get_int(s->host);
  if (violation == NO_IDENTITY) total++;
  if (violation == COUNT_MERGES) total += n_merges++;
  if (violation == NOT_ASSOCIATIVE && s->total) total = s->total - 2 * total;
  s->total = violation == NOT_ASSOCIATIVE ? total : s->total + total;
  return 0;
}

static int sum_report_run(void *instance)
{
  const Sum *s = instance;
  MillValue cell = violation == WRONG_CELL ? mill_real(1.5) : mill_int(s->total);
  return s->host->cells(s->host, 0, &cell, violation == SHORT_ROW ? 0 : 1);
}

static const MillNotice sum_notices[] = { MILL_ERROR(1, "it is afraid", NULL, "Of too little.") };
static const MillColumn sum_columns[] = { MILL_CELL_COLUMN("total", "ns", MILL_INT, 0,
                                                           "Sum of durations") };
static const MillTable sum_tables[] = {
  { .name = "totals", .help = "Sums", .columns = MILL_ROWS(sum_columns) }
};
static const MillStageOps sum_ops = {
  .size = sizeof sum_ops,
  .open = sum_open,
  .process = sum_process,
  .flush = sum_flush,
  .save_result = sum_save,
  .merge_result = sum_merge,
  .report_run = sum_report_run,
};
static MillStage sum = {
  .size = sizeof sum,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .name = "acme.sum",
  .family = "test",
  .version = "1",
  .tag = "SUM",
  .title = "Sums durations",
  .help = "For tests of the harness.",
  .notices = MILL_ROWS(sum_notices),
  .tables = MILL_ROWS(sum_tables),
  .ops = &sum_ops,
};
static const MillModule module = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_STAGE, &sum, "acme", "MIT"
};

static void three_lanes(void)
{
  shared = n_merges = 0;
  given_lane("rank=0");
  given("X a 0 1", "X b 1 2 {hidden=7}", "X a 2 4");
  given_lane("rank=1");
  given("X c 0 8", "X d 0 16", "X a 5 32");
  given_lane("rank=2");
  given("X d 0 64", "X c 0 128", "X e 0 256");
}

/* 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 = 511 */
static void sum_of_three_lanes(void)
{
  three_lanes();
  expect_table("totals", "511");
}

/* By the properties alone, whatever a test expects. */
static void every_violation_is_found(void)
{
  CHECK_INT(MILL_COUNT(violations), COUNT_MERGES - COUNT_BATCHES);
  hear_good(&module, sum_of_three_lanes);
  for (size_t i = 0; i < MILL_COUNT(violations); i++) {
    violation = violations[i].violation;
    hear_bad(&module, three_lanes, violations[i].said);
  }
  violation = NONE;
}

/* Only MILL_ANY_ORDER promises that the run level can save. */
static void other_stages_save_on_lanes_alone(void)
{
  sum.flags = MILL_MERGES;
  violation = LAST_WINS;
  hear_good(&module, sum_of_three_lanes);
  violation = COUNT_MERGES;
  hear_bad(&module, three_lanes, "merging the same states again gives another report");
  violation = NONE;
  sum.flags = MILL_MERGES | MILL_ANY_ORDER;
}

static void claims_are_held_against_the_stage(void)
{
  sum.flags |= MILL_READ_ONLY;
  hear_good(&module, three_lanes);
  violation = CHANGE_UNMARKED;
  hear_bad(&module, three_lanes, "[unmarked-change]");
  sum.flags |= MILL_MAY_DROP;
  violation = NONE;
  hear_bad(&module, three_lanes, "a read-only stage neither drops nor emits");
  sum.flags &= (uint32_t) ~(MILL_READ_ONLY | MILL_MAY_DROP);
}

static void one_half(void) { given("B a 0"); }

static void promised_slices_are_held_against_the_stage(void)
{
  static const char *const slices[] = { "slices", NULL };
  sum.provides = slices;
  hear_good(&module, three_lanes);
  hear_bad(&module, one_half, "let a begin or end through [false-fact]");
  sum.provides = NULL;
}

static void a_faulty_descriptor_fails(void)
{
  sum.tag = "small";
  hear_bad(&module, three_lanes, "tag \"small\": expected 2 to 6 capitals");
  sum.tag = "SUM";
  sum.size = 8;
  hear_bad(&module, three_lanes, "descriptor: a size of 8 bytes");
  sum.size = sizeof sum;
}

/* ---- a stage of two phases that can be replayed: events as far from the mean duration as they are */

static bool forgets;

typedef struct Mean {
  const MillStageHost *host;
  int64_t total, n, mean;
} Mean;

static int mean_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out)
{
  (void)self, (void)options, (void)level;
  Mean *m = mill_new(host->common, sizeof *m);
  if (!m) return -MILL_LIMIT;
  m->host = host;
  *out = m;
  return 0;
}

static int mean_observe(void *instance, const MillBatch *b)
{
  Mean *m = instance;
  for (uint32_t i = 0; i < b->n_events; i++) m->total += b->events[i].dur_ns;
  m->n += b->n_events;
  return 0;
}

static void note_mean(const Mean *m)
{
  m->host->common->note(m->host->common, 1, NULL, MILL_NO_EVENT, NULL, 0);
}

static int mean_decide(void *instance)
{
  Mean *m = instance;
  m->mean = m->n ? m->total / m->n : 0;
  note_mean(m);
  return 0;
}

static int mean_save(void *instance)
{
  const Mean *m = instance;
  m->host->put_int(m->host, m->mean);
  return 0;
}

/* What it counts here was counted before. */
static int mean_load(void *instance)
{
  Mean *m = instance;
  int64_t mean = m->host->get_int(m->host);
  m->mean = forgets ? 0 : mean;
  note_mean(m);
  return 0;
}

static int mean_process(void *instance, MillBatch *b)
{
  const Mean *m = instance;
  for (uint32_t i = 0; i < b->n_events; i++)
    mill_set_dur(&mill_events(b)[i], b->events[i].dur_ns - m->mean);
  return 0;
}

static const MillNotice mean_notices[] = { MILL_INFO(1, "there is a mean", NULL, NULL, "One.") };
static const MillStageOps mean_ops = {
  .size = sizeof mean_ops,
  .open = mean_open,
  .observe = mean_observe,
  .decide = mean_decide,
  .save_decision = mean_save,
  .load_decision = mean_load,
  .process = mean_process,
};
static const MillStage mean = {
  .size = sizeof mean,
  .scope = MILL_SCOPE_LANE,
  .name = "mean",
  .family = "test",
  .version = "1",
  .tag = "MEAN",
  .title = "Takes the mean off",
  .help = "For tests of the harness.",
  .notices = MILL_ROWS(mean_notices),
  .ops = &mean_ops,
};
static const MillModule mean_module = { MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_STAGE,
                                        &mean,      "stagemill",        "MIT" };

/* (10 + 20 + 60) / 3 = 30 */
static void takes_the_mean_off(void)
{
  given("X a 0 10", "X b 1 20", "X c 2 60");
  expect("X a 0 -20", "X b 1 -10", "X c 2 30");
  expect_notice(1, 1);
}

static void a_replayed_stage_goes_on_as_it_was(void)
{
  hear_good(&mean_module, takes_the_mean_off);
  forgets = true;
  hear_bad(&mean_module, takes_the_mean_off,
           "property: going on in a fresh instance changes the result: \"lane 0: X a 0 -20ns\"");
  forgets = false;
}

/* ---- a host on its own */

static void the_host_stands_alone(void)
{
  const MillStageHost *host = harness_host();
  const MillHost *common = host->common;
  MillLane at = { .size = sizeof at };
  size_t len;
  host->put_int(host, -5);
  host->put_text(host, "ab", 2);
  host->put_real(host, 0.5);
  CHECK_INT(host->get_int(host), -5);
  CHECK_STR(host->get_text(host, &len), "ab");
  CHECK(host->get_real(host) == 0.5);
  CHECK(!host->get_more(host));
  CHECK_STR(common->symbol_text(common, common->intern(common, "gemm", 4), &len), "gemm");
  common->lane(common, MILL_NO_LANE, &at);
  CHECK_INT(at.rank, 0);
  CHECK_INT(common->n_lanes(common), 1);
  CHECK_INT(host->track(host, mill_int(1), mill_int(2)),
            host->track(host, mill_int(1), mill_int(2)));
  char *memory = mill_new(common, 3);
  CHECK(memory && !memory[0] && !memory[2]);
}

/* ---- lines */

static void check_form(const char *given_text, const char *wanted)
{
  char *why = NULL;
  HarnessLine *line = harness_line_parse(given_text, &why);
  g_autofree char *text = line ? harness_line_format(line) : why;
  CHECK_STR(text, wanted);
  harness_line_free(line);
}

static void lines_come_back_in_one_form(void)
{
  check_form("X \"a b\" 1500 2000000ns p=1 t=\"stream 7\" cat=k id=0x1F {i=1, r=0.5, t=\"x y\", "
             "n=\"7\", l=[1,2]}",
             "X \"a b\" 1500ns 2ms p=1 t=\"stream 7\" cat=k id=0x1f {i=1, r=0.5, t=\"x y\", "
             "n=\"7\", l=[1,2]}");
  check_form("f x 1us id=3 bp=e", "f x 1us id=3 bp=e");
  check_form("- row -", "- row -");
  check_form("C c 0", "C c 0");
  check_form("X a 0", "\"X a 0\": a slice needs a duration");
}

TEST_MAIN({ "every violation is found", every_violation_is_found },
          { "other stages save on lanes alone", other_stages_save_on_lanes_alone },
          { "claims are held against the stage", claims_are_held_against_the_stage },
          { "promised slices are held against the stage",
            promised_slices_are_held_against_the_stage },
          { "a faulty descriptor fails", a_faulty_descriptor_fails },
          { "a replayed stage goes on as it was", a_replayed_stage_goes_on_as_it_was },
          { "the host stands alone", the_host_stands_alone },
          { "lines come back in one form", lines_come_back_in_one_form })
