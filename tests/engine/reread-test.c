/* Inputs that are read again at barriers: what comes out is what held events give, and the source's notices and
 * members count once. */
/* SPDX-License-Identifier: MIT */
#include "sched/reread.h"

#include <utime.h>

#include "engine.h"
#include "input/input.h"

#define ROWS "rows\nbase 5\nmember k 7\nnote\na 1 1\nb 5 1\nnote\nc 9 1\n"

/* The same engine case with rows instead of lines. */
static Error *run_rows(Engine *e, const EngineCase *c, int n_inputs)
{
  GPtrArray *specs = g_ptr_array_new();
  engine_begin(e);
  for (int i = 0; i < n_inputs; i++) {
    g_autofree char *name = g_strdup_printf("in%d.rows", i);
    g_autofree char *path = g_build_filename(e->folder, name, NULL);
    scratch_write(e->folder, name, ROWS, -1);
    InputSpec *spec = input_spec_new(path);
    spec->label = g_strdup("r");
    spec->rank = 4 + i;
    g_ptr_array_add(specs, spec);
  }
  Error *error = engine_open(e, specs, c);
  if (!error) error = engine_plan(e, c);
  return error ? error : run_execute(e->run);
}

static void check_rows(const char *stages, int n_inputs, HoldMode hold, const char *plain,
                       const char *results)
{
  for (uint32_t batch = 1; batch < 4; batch++) {
    const EngineCase c = {
      .stages = stages,
      .options = { .hold = hold, .batch_events = batch, .jobs = batch, .verify = true }
    };
    Engine e;
    g_autoptr(Error) error = run_rows(&e, &c, n_inputs);
    if (error) CHECK_ROW(error->what);
    CHECK(error == NULL);
    g_autofree char *events = engine_text(&e, "plain.txt"), *rest = engine_text(&e, "results.txt");
    CHECK_STR(events, plain);
    CHECK_STR(rest, results);
    engine_end(&e);
  }
}

/* Instances that ran in readings before the last leave nothing; each that decided goes on in one that loaded it. */
static void test_chain(void)
{
  static const char stages[] = "[{\"use\":\"count\"},{\"use\":\"echo\"},"
                               "{\"use\":\"count\",\"as\":\"again\"},{\"use\":\"vote\"}]";
  for (int again = 0; again < 2; again++) {
    g_autofree char *results =
        g_strdup_printf("counts: rank,label,n,loaded\n  4,r,3,%d\n"
                        "again-counts: rank,label,n,loaded\n  4,r,5,%d\n"
                        "ROWS-01 2 lines are odd\nCOUNT-01 1 decided\nCOUNT-01 1 decided\n",
                        again, again);
    check_rows(stages, 1, again ? HOLD_NEVER : HOLD_ALWAYS,
               "k: 7\n0 a @6 1 x=50\n0 echo @6 1 x=50\n0 b @10 1 x=50\n0 c @14 1 x=50\n"
               "0 last @104 -1 x=50\nend\n",
               results);
  }
}

/* What the stage moved stays moved: the source says its base once. */
static void test_base(void)
{
  for (int hold = 0; hold < 3; hold++)
    check_rows("[{\"use\":\"mover\",\"with\":{\"by\":3}}]", 2, (HoldMode)hold,
               "k: 7\n0 a @6 1\n0 b @10 1\n0 c @14 1\nend\n--\n1 a @6 1\n1 b @10 1\n"
               "1 c @14 1\nend\n",
               "ROWS-01 4 lines are odd\n");
}

static void test_never(void)
{
  const EngineCase c = { .inputs = { { "a", "e a 1 1\n" } },
                         .stages = "[{\"use\":\"count\"}]",
                         .options = { .hold = HOLD_NEVER } };
  engine_fails(&c, EXIT_USAGE, "RUN-16", "cannot be reread");
}

/* Without --hold: reading again is what happens, unless later events are held anyway. */
static void test_choice(void)
{
  static const struct {
    const char *stages;
    guint n_reread, lanes, held_later;
  } rows[] = { { "[{\"use\":\"count\"}]", 1, 1, 0 },
               { "[{\"use\":\"tally\"}]", 0, 0, 0 },
               { "[{\"use\":\"count\"},{\"use\":\"count\",\"as\":\"b\"}]", 2, 1, 0 },
               { "[{\"use\":\"vote\"},{\"use\":\"vote\",\"as\":\"b\"}]", 1, 0, 1 },
               { "[{\"use\":\"count\"},{\"use\":\"number\"}]", 1, 0, 0 },
               /* What may drop events before the barrier leaves little to hold. */
               { "[{\"use\":\"echo\"},{\"use\":\"count\"}]", 1, 0, 0 },
               { "[{\"use\":\"count\"},{\"use\":\"echo\"}]", 1, 1, 0 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const EngineCase c = { .stages = rows[i].stages };
    Engine e;
    g_autoptr(Error) error = run_rows(&e, &c, 1);
    const PlanClass *class = e.run->plan->classes->pdata[0];
    CHECK(error == NULL);
    CHECK_INT(class->n_reread, rows[i].n_reread);
    CHECK_INT(class->n_lanes_reread, rows[i].lanes);
    CHECK_INT(class->hold_why != NULL, rows[i].held_later);
    engine_end(&e);
  }
}

static guint read_all(Input *in, Error **out)
{
  Batch *b;
  guint n = 0;
  *out = input_start(in);
  while (!*out && !(*out = input_next(in, &b)) && b) {
    n += b->pub.n_events;
    batch_give(in->env->batches, b);
  }
  *out = error_join(*out, input_stop(in));
  return n;
}

/* Between two readings its time of change moved. */
static void test_changed(void)
{
  Engine e;
  EngineCase c = { .stages = "[{\"use\":\"count\"}]" };
  struct utimbuf then = { 1, 1 };
  GPtrArray *specs = g_ptr_array_new();
  engine_begin(&e);
  g_autofree char *path = g_build_filename(e.folder, "in.rows", NULL);
  scratch_write(e.folder, "in.rows", ROWS, -1);
  g_ptr_array_add(specs, input_spec_new(path));
  g_autoptr(Error) open = engine_open(&e, specs, &c);
  Input *in = e.run->inputs->list->pdata[0];
  Error *error;
  CHECK(open == NULL && input_can_be_read_again(in));
  for (int reading = 0; reading < 2; reading++) {
    CHECK_INT(read_all(in, &error), 3);
    CHECK(error == NULL);
    CHECK_INT(in->lane->n_events, 3);
    input_read_again(in);
  }
  CHECK(!utime(path, &then));
  CHECK_INT(read_all(in, &error), 0);
  CHECK_STR(error->code, "RUN-04");
  CHECK_INT(error->status, EXIT_INPUT);
  error_free(error);
  engine_end(&e);
}

TEST_MAIN({ "a chain of barriers", test_chain }, { "moved bases", test_base },
          { "what cannot be reread", test_never }, { "the choice", test_choice },
          { "a file that changes", test_changed })
