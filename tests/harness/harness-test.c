/* Tests of the harness: a stage that keeps all promises passes, and each broken one is found. */
#include <stagemill/harness.h>
#include <stdlib.h>

#include "check.h"

enum Crime {
  NONE,
  COUNT_BATCHES,   /* depends on where batches end */
  SHOW_SYMBOLS,    /* depends on the numbers of symbols */
  CHANGE_UNMARKED, /* not through mill_set_* */
  DROP,            /* without MILL_MAY_DROP */
  EMIT,            /* without MILL_MAY_EMIT */
  WRONG_CELL,      /* a real in a column of integers */
  SHORT_ROW,
  UNKNOWN_NOTICE,
  PUT_ANYWHERE,  /* outside of save */
  LEAVE_UNREAD,  /* merge reads less than save wrote */
  READ_TOO_MUCH, /* and more */
  NO_IDENTITY,
  NOT_ASSOCIATIVE,
  LAST_WINS,       /* although MILL_ANY_ORDER */
  NO_REASON,       /* fails without mill_fail */
  FEAR_OF_NOTHING, /* fails on an empty lane */
  PEEK             /* shows an attribute that is not declared */
};
static enum Crime crime;

typedef struct State {
  const MillHost *host;
  bool is_lane;
  int64_t total, last;
  MillSym hidden;
} State;

static int state_open(const MillStage *self, const MillHost *host, const void *options, void **out)
{
  MillLane at = { .size = sizeof at };
  State *s = calloc(1, sizeof *s);
  (void)self;
  (void)options;
  host->lane(host, MILL_NO_LANE, &at);
  s->host = host;
  s->is_lane = at.index != MILL_NO_LANE;
  s->hidden = host->intern(host, "hidden", 6);
  *out = s;
  return 0;
}

static void offend(State *s, MillBatch *b, uint32_t i)
{
  MillEvent copy = b->events[i];
  int64_t hidden = 0;
  if (crime == SHOW_SYMBOLS) s->total += copy.name;
  if (crime == CHANGE_UNMARKED) b->events[i].dur_ns++;
  if (crime == DROP) mill_drop(&b->events[i]);
  if (crime == EMIT) s->host->emit(s->host, b, i, &copy);
  if (crime == UNKNOWN_NOTICE) s->host->note(s->host, 9, b, i, NULL, 0);
  if (crime == PUT_ANYWHERE) s->host->put_int(s->host, 1);
  if (crime == PEEK && mill_attr_int(b, &copy, s->hidden, &hidden)) s->total += hidden;
}

static int state_process(void *instance, MillBatch *b)
{
  State *s = instance;
  if (crime == NO_REASON) return -MILL_STAGE_FAILED;
  if (crime == COUNT_BATCHES) s->total++;
  for (uint32_t i = 0; i < b->n_events; i++) {
    s->total += b->events[i].dur_ns;
    s->last = b->events[i].dur_ns;
    offend(s, b, i);
  }
  return 0;
}

static int state_flush(void *instance, MillBatch *b)
{
  State *s = instance;
  (void)b;
  if (crime != FEAR_OF_NOTHING || s->total) return 0;
  return mill_fail(s->host, MILL_STAGE_FAILED, "nothing came", NULL);
}

static int state_save(void *instance, uint32_t what)
{
  State *s = instance;
  (void)what;
  s->host->put_int(s->host, s->total);
  s->host->put_int(s->host, crime == LAST_WINS ? s->last : 0);
  if (crime == LEAVE_UNREAD) s->host->put_text(s->host, "more", 4);
  return 0;
}

static int state_merge(void *instance, uint32_t what)
{
  State *s = instance;
  (void)what;
  int64_t total = s->host->get_int(s->host);
  s->last = s->host->get_int(s->host);
  if (crime == READ_TOO_MUCH) s->host->get_int(s->host);
  if (crime == NO_IDENTITY) total++;
  if (crime == NOT_ASSOCIATIVE && s->total) total = s->total - 2 * total;
  s->total = crime == NOT_ASSOCIATIVE ? total : s->total + total;
  return 0;
}

static int state_report(void *instance)
{
  State *s = instance;
  MillValue cell = crime == WRONG_CELL ? mill_real(1.5) : mill_int(s->total);
  return s->is_lane ? 0 : s->host->row(s->host, 0, &cell, crime == SHORT_ROW ? 0 : 1);
}

static const MillColumn columns[] = { { "total", "ns", MILL_INT, 0, "Sum of durations" } };
static const MillTable tables[] = { { sizeof(MillTable), MILL_PER_RUN, "totals", "Sums", columns, 1,
                                      0, NULL } };
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = state_open,
  .process = state_process,
  .flush = state_flush,
  .save = state_save,
  .merge = state_merge,
  .report = state_report,
  .close = free,
};
static MillStage stage = {
  .size = sizeof stage,
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .name = "sum",
  .family = "test",
  .tables = tables,
  .n_tables = 1,
  .ops = &ops,
};

static void three_lanes(void)
{
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

/* Crimes must be found by the properties alone, whatever a test expects. */
static int run(void)
{
  static const HarnessTest tests[] = { { "three lanes", three_lanes } };
  return harness_main(&stage, tests, 1, 0, NULL);
}

static void every_crime_is_found(void)
{
  static const HarnessTest sum[] = { { "sum of three lanes", sum_of_three_lanes } };
  crime = NONE;
  CHECK_INT(harness_main(&stage, sum, 1, 0, NULL), 0);
  for (crime = COUNT_BATCHES; crime < PEEK; crime++) {
    char text[32];
    snprintf(text, sizeof text, "crime %d", (int)crime);
    if (!CHECK_INT(run(), 1)) CHECK_ROW(text);
  }
  crime = PEEK; /* attributes that are not declared are not there to be seen */
  CHECK_INT(harness_main(&stage, sum, 1, 0, NULL), 0);
  crime = NONE;
}

static void claims_are_held_against_the_stage(void)
{
  stage.flags |= MILL_READ_ONLY;
  CHECK_INT(run(), 0);
  crime = CHANGE_UNMARKED;
  CHECK_INT(run(), 1);
  crime = DROP;
  stage.flags |= MILL_MAY_DROP;
  CHECK_INT(run(), 1);
  crime = NONE;
  stage.flags &= (uint32_t) ~(MILL_READ_ONLY | MILL_MAY_DROP);
}

static void wrong_expectation(void)
{
  given("X a 0 1us {k=1}");
  expect("X a 0 1us {k=2}");
}

static void wrong_row(void)
{
  given("X a 0 1us");
  expect_table("totals", "1001");
}

static void missing_event(void)
{
  given("X a 0 1us");
  expect("X a 0 1us", "X b 0 1us");
}

static void wrong_status(void)
{
  given("X a 0 1us");
  expect_status(MILL_STAGE_FAILED);
}

static void unknown_option(void)
{
  with("speed=9");
  given("X a 0 1us");
  expect("X a 0 1us");
}

static void unreadable_event(void) { given("X a nowhere 1us"); }

static void expectations_can_fail(void)
{
  static const HarnessTest bad[] = {
    { "wrong expectation", wrong_expectation }, { "wrong row", wrong_row },
    { "missing event", missing_event },         { "wrong status", wrong_status },
    { "unknown option", unknown_option },       { "unreadable event", unreadable_event },
  };
  for (size_t i = 0; i < MILL_COUNT(bad); i++)
    if (!CHECK_INT(harness_main(&stage, &bad[i], 1, 0, NULL), 1)) CHECK_ROW(bad[i].name);
}

static void lines_come_back_in_one_form(void)
{
  harness_clear();
  given(
      "X \"a b\" 1500 2000000ns p=1 t=\"stream 7\" cat=k id=0x1F {i=1, r=0.5, t=\"x y\", l=[1,2]}",
      "f x 1us id=3 bp=e", "- row -", "C c 0");
  char *text = harness_transcript(&stage, 7);
  CHECK(strstr(text, "X \"a b\" 1500ns 2ms p=1 t=\"stream 7\" cat=k id=0x1f "
                     "{i=1, r=0.5, t=\"x y\", l=[1,2]}\nf x 1us id=3 bp=e\n- row -\nC c 0\n"));
  free(text);
  harness_clear();
}

TEST_MAIN({ "every crime is found", every_crime_is_found },
          { "claims are held against the stage", claims_are_held_against_the_stage },
          { "expectations can fail", expectations_can_fail },
          { "lines come back in one form", lines_come_back_in_one_form })
