/* Mistakes of authors of tests are reported with their place, and expectations can fail. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#include "hear.h"

/* ---- a stage that multiplies durations */

typedef struct Options {
  int64_t factor;
} Options;

typedef struct Times {
  const MillStageHost *host;
  int64_t factor, n;
  MillSym by;
} Times;

static int times_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out)
{
  (void)self, (void)level;
  Times *t = mill_new(host->common, sizeof *t);
  if (!t) return -MILL_LIMIT;
  t->host = host;
  t->factor = ((const Options *)options)->factor;
  t->by = host->common->intern(host->common, "by", 2);
  *out = t;
  return 0;
}

static int times_process(void *instance, MillBatch *b)
{
  Times *t = instance;
  if (t->factor == 13)
    return mill_fail(t->host->common, MILL_BAD_INPUT, "13 is unlucky", "take another");
  for (uint32_t i = 0; i < b->n_events; i++) {
    mill_set_dur(&mill_events(b)[i], b->events[i].dur_ns * t->factor);
    t->host->set(t->host, b, i, t->by, mill_int(t->factor));
    t->n++;
  }
  return 0;
}

static int times_flush(void *instance, MillBatch *b)
{
  const Times *t = instance;
  (void)b;
  if (t->n) t->host->common->note(t->host->common, 2, NULL, MILL_NO_EVENT, NULL, 0);
  return 0;
}

static int times_report(void *instance)
{
  const Times *t = instance;
  MillValue cells[] = { mill_int(t->n), mill_none() };
  t->host->cells(t->host, 0, cells, 2);
  return t->host->metric(t->host, 0, NULL, mill_int(t->n), 1);
}

static const MillOption options[] = { MILL_INT_OPTION(Options, factor, "factor", "2", "1:", NULL,
                                                      "What to multiply by") };
static const MillNotice notices[] = { MILL_INFO(2, "it was done", NULL, NULL, "It was.") };
static const MillColumn columns[] = { MILL_CELL_COLUMN("events", "count", MILL_INT, 0, "Events"),
                                      MILL_CELL_COLUMN("nothing", NULL, MILL_TEXT, 0, "Nothing") };
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "counts", .help = "Counts", .columns = MILL_ROWS(columns) }
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "count", .unit = "count", .help = "Events" }
};
static const char *const needs[] = { "order.lane", "clock.wall", NULL };
static const MillStageOps ops = { .size = sizeof ops,
                                  .open = times_open,
                                  .process = times_process,
                                  .flush = times_flush,
                                  .report = times_report };
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .options_size = sizeof(Options),
  .name = "acme.times",
  .family = "test",
  .version = "1",
  .tag = "TIMES",
  .title = "Multiplies durations",
  .help = "For tests of the harness.",
  .needs = needs,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
static const MillModule module = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_STAGE, &stage, "acme", "MIT"
};

/* It needs order: b comes first.  Each lane has its own rank. */
static void all_is_as_expected(void)
{
  with("factor=3");
  given("X a 5 10 {k=x}", "X b 0 1us");
  expect("X b 0 3us {by=3}", "X a 5 30 {k=x, by=3}");
  expect_attr(1, "k", "x");
  expect_attr(1, "none", NULL);
  expect_table("counts", "0 | 2 | -");
  expect_metric("count", NULL, "2");
  expect_notice(2, 1);
  expect_status(0);
  expect_true(1 + 1 == 2);
}

static void lanes_have_their_facts(void)
{
  given_lane("rank=7 label=x");
  given("X a 0 1");
  given_lane("rank=- name=b.json tag.t=1");
  expect_lane(0, "X a 0 2 {by=2}");
  expect_nothing(1);
  expect_table("counts", "7 | 1 | -", "- | 0 | -");
}

static void a_failure_is_expected(void)
{
  with("factor=13");
  given("X a 0 1");
  expect_status(MILL_BAD_INPUT);
}

static void a_bad_value_is_expected(void)
{
  with("factor=0");
  expect_status(EXIT_USAGE);
}

static void several_cases(void)
{
  given("X a 0 1");
  expect("X a 0 2 {by=2}");
  harness_clear();
  with("factor=5");
  given("X b 0 1");
  expect("X b 0 5 {by=5}");
}

static void what_holds_passes(void)
{
  hear_good(&module, all_is_as_expected);
  hear_good(&module, lanes_have_their_facts);
  hear_good(&module, a_failure_is_expected);
  hear_good(&module, a_bad_value_is_expected);
  hear_good(&module, several_cases);
}

/* ---- each is one line, so that its place is known */

#define TEST_OF(name, ...) \
  static void name(void) { __VA_ARGS__; }

TEST_OF(unknown_option, with("factr=9"))
TEST_OF(option_alone, with("factor"))
TEST_OF(bad_value, with("factor=0"); given("X a 0 1"))
TEST_OF(unreadable_event, given("X a nowhere 1us"))
TEST_OF(unreadable_expectation, given("X a 0 1"); expect("Y a 0 2"))
TEST_OF(unknown_fact, given_lane("rank=1 colour=red"))
TEST_OF(bad_rank, given_lane("rank=one"))
TEST_OF(unknown_table, given("X a 0 1"); expect_table("count", "0 | 1 | -"))
TEST_OF(unknown_metric, given("X a 0 1"); expect_metric("counts", NULL, "1"))
TEST_OF(unknown_notice, given("X a 0 1"); expect_notice(1, 0))
TEST_OF(unknown_lane, given("X a 0 1"); expect_nothing(1))
TEST_OF(unknown_event, given("X a 0 1"); expect_attr(1, "by", "2"))
TEST_OF(bytes_for_a_stage, given_bytes("x"))
TEST_OF(stage_for_a_stage, with_stage(&stage))
TEST_OF(probe_of_a_stage, expect_probe("x", "x.json", 1))
TEST_OF(unknown_to_describe, given("X a 0 1"); expect_described(0, "size=3"))
TEST_OF(wrong_event, given("X a 0 1us {k=1}"); expect("X a 0 2us {k=2, by=2}"))
TEST_OF(missing_event, given("X a 0 1"); expect("X a 0 2 {by=2}", "X b 0 2 {by=2}"))
TEST_OF(wrong_attr, given("X a 0 1"); expect_attr(0, "by", "3"))
TEST_OF(absent_attr, given("X a 0 1"); expect_attr(0, "by", NULL))
TEST_OF(wrong_row, given("X a 0 1"); expect_table("counts", "0 | 2 | -"))
TEST_OF(missing_row, given("X a 0 1"); expect_table("counts", "0 | 1 | -", "1 | 1 | -"))
TEST_OF(another_row, given("X a 0 1"); expect_empty_table("counts"))
TEST_OF(wrong_metric, given("X a 0 1"); expect_metric("count", NULL, "1.00001"))
TEST_OF(wrong_notice, given("X a 0 1"); expect_notice(2, 0))
TEST_OF(wrong_status, given("X a 0 1"); expect_status(MILL_STAGE_FAILED))
TEST_OF(other_status, with("factor=13"); given("X a 0 1"); expect_status(0))
TEST_OF(not_true, expect_true(1 > 2))
TEST_OF(sudden_failure, with("factor=13"); given("X a 0 1"))
TEST_OF(forgotten_failure, with("factor=13"); given("X a 0 1"); expect_notice(2, 0);
        harness_clear())
TEST_OF(missing_after_failure, with("factor=13"); given("X a 0 1");
        expect_table("counts", "0 | 1 | -"))

static const struct {
  void (*run)(void);
  const char *said;
  bool placed; /* the file and a line come first */
} mistakes[] = {
  { unknown_option, "stage \"acme.times\" has no option \"factr\", did you mean \"factor\"?",
    true },
  { option_alone, "\"factor\": an option is NAME=VALUE", true },
  { bad_value, "the run failed: error[PRF-09]: stage \"acme.times\": option \"factor\"", false },
  { unreadable_event, "\"X a nowhere 1us\": the time is missing or no time", true },
  { unreadable_expectation, "\"Y a 0 2\": an event begins with its phase", true },
  { unknown_fact, "\"colour=red\" is not a fact of a lane that can be given here", true },
  { bad_rank, "\"rank=one\" is not a fact of a lane", true },
  { unknown_table, "\"acme.times\" declares no table \"count\"", true },
  { unknown_metric, "\"acme.times\" declares no metric \"counts\"", true },
  { unknown_notice, "\"acme.times\" declares no notice 1", true },
  { unknown_lane, "there is no lane 1: 1 left the run", true },
  { unknown_event, "there is no event 1", true },
  { bytes_for_a_stage, "only a source is given bytes", true },
  { stage_for_a_stage, "a stage is tested alone", true },
  { probe_of_a_stage, "only a source probes", true },
  { unknown_to_describe, "\"size=3\" is not a fact of a lane", true },
  { wrong_event, "event 0 is X a 0 2us {k=1, by=2}\n      expected X a 0 2us {k=2, by=2}", true },
  { missing_event, "event 1 is nothing\n      expected X b 0 2ns {by=2}", true },
  { wrong_attr, "event 0: by is 2, expected 3", true },
  { absent_attr, "event 0: by is 2, expected absent", true },
  { wrong_row, "row 0 of counts is 0 | 1 | -\n      expected 0 | 2 | -", true },
  { missing_row, "row 1 of counts is missing: 1 | 1 | -", true },
  { another_row, "row 0 of counts is 0 | 1 | -\n      expected nothing", true },
  { wrong_metric, "metric count is 1, expected 1.00001", true },
  { wrong_notice, "notice 2 was counted 1 times, expected 0", true },
  { wrong_status, "status is 0, expected 5", true },
  { other_status, "status is 3, expected 0: error[acme.TIMES-00]: 13 is unlucky", true },
  { not_true, "not true: 1 > 2", true },
  { sudden_failure, "the run failed: error[acme.TIMES-00]: 13 is unlucky", false },
  { forgotten_failure, "the run failed: error[acme.TIMES-00]: 13 is unlucky", false },
};

static void every_mistake_is_reported(void)
{
  for (size_t i = 0; i < MILL_COUNT(mistakes); i++) {
    int status;
    g_autofree char *said = hear(&module, mistakes[i].run, &status);
    const char *at = strstr(said, mistakes[i].said);
    if (!CHECK_INT(status, 1) || !CHECK(at != NULL)) CHECK_ROW(mistakes[i].said), CHECK_ROW(said);
    if (!at || !mistakes[i].placed) continue;
    while (at > said && at[-1] != '\n') at--;
    if (!CHECK(g_str_has_prefix(at, "  " __FILE__ ":"))) CHECK_ROW(said);
  }
}

static void the_cause_comes_first(void)
{
  int status;
  g_autofree char *said = hear(&module, missing_after_failure, &status);
  const char *cause = strstr(said, "the run failed: "),
             *missing = strstr(said, "row 0 of counts is missing");
  if (!CHECK(cause && missing && cause < missing)) CHECK_ROW(said);
  CHECK(cause && !strstr(cause + 1, "the run failed: "));
}

TEST_MAIN({ "what holds passes", what_holds_passes },
          { "every mistake is reported", every_mistake_is_reported },
          { "the cause comes first", the_cause_comes_first })
