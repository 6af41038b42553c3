/* What the host call `helper` gives a sink: helper.c, and that phases refuse it elsewhere is in tests/violations. */
#include "host/helper.h"

#include "host-fixture.h"
#include "host/instance.h"

static const MillSinkOps ops = { .size = sizeof ops };
static const Descriptor sink = {
  .kind = MILL_KIND_SINK, .name = "s", .version = "1", .tag = "TST", .code = "TST", .sink_ops = &ops
};

static Instance *enter(HostFixture *f)
{
  host_fixture_open(f, false);
  f->env.jobs = 2;
  f->budget.limit_bytes = 8 << 20;
  Instance *i = instance_new(&f->env, NULL, &sink, "s");
  instance_enter(i, PHASE_RESULTS);
  return i;
}

static void leave(HostFixture *f, Instance *i)
{
  instance_free(i);
  host_fixture_close(f);
}

static MillJob job(const char *program, const char *const *arguments, uint32_t n, const char *in)
{
  return (MillJob){ .size = sizeof(MillJob),
                    .program = program,
                    .arguments = { n, arguments },
                    .in = in,
                    .in_len = in ? strlen(in) : 0 };
}

static void test_runs(void)
{
  static const char *const fails[] = { "-c", "echo gone wrong >&2; exit 3" };
  HostFixture f;
  Instance *i = enter(&f);
  const MillSinkHost *h = &i->host.sink;
  MillJob jobs[] = { job("cat", NULL, 0, "first"), job("no-such-program", NULL, 0, "x"),
                     job("sh", fails, 2, NULL), job("cat", NULL, 0, "fourth") };
  CHECK_INT(h->helper(h, jobs, 4), 0);
  CHECK(jobs[0].out_len == 5 && !memcmp(jobs[0].out, "first", 5));
  CHECK(!jobs[0].why && !jobs[0].missing && jobs[0].status == 0);
  CHECK(jobs[1].missing && jobs[1].status < 0 && !jobs[1].out_len);
  CHECK_STR(jobs[1].why, "no-such-program is not installed, or not on PATH");
  CHECK_INT(jobs[2].status, 3);
  CHECK_STR(jobs[2].why, "exited with status 3: gone wrong");
  CHECK(!jobs[2].missing);
  CHECK(jobs[3].out_len == 6 && !memcmp(jobs[3].out, "fourth", 6));
  CHECK_INT(h->helper(h, jobs, 0), 0);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  CHECK(i->helped == NULL);
  leave(&f, i);
}

static void test_variable(void)
{
  g_autofree char *why = NULL, *none = NULL;
  g_setenv("STAGEMILL_MY_TOOL", "/bin/cat", TRUE);
  g_autofree char *found = helper_find("my-tool", &none);
  CHECK_STR(found, "/bin/cat");
  CHECK(none == NULL);
  g_setenv("STAGEMILL_MY_TOOL", "/nonexistent/x", TRUE);
  CHECK(helper_find("my-tool", &why) == NULL);
  CHECK_STR(why, "STAGEMILL_MY_TOOL names \"/nonexistent/x\", and there is no such program");
  g_unsetenv("STAGEMILL_MY_TOOL");
}

static void test_refused(void)
{
  static const char *const paths[] = { "/bin/cat", "./cat", "", ".", NULL };
  for (size_t k = 0; k < G_N_ELEMENTS(paths); k++) {
    HostFixture f;
    Instance *i = enter(&f);
    MillJob one = job(paths[k], NULL, 0, NULL);
    CHECK_INT(i->host.sink.helper(&i->host.sink, &one, 1), -MILL_STAGE_FAILED);
    fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00", "no bare name");
    leave(&f, i);
  }
  HostFixture f;
  Instance *i = enter(&f);
  MillJob one = job("cat", NULL, 0, NULL);
  one.size = 8;
  CHECK_INT(i->host.sink.helper(&i->host.sink, &one, 1), -MILL_STAGE_FAILED);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00", "without its size");
  leave(&f, i);
}

static void test_interrupted(void)
{
  static const char *const sleeps[] = { "600" };
  HostFixture f;
  Instance *i = enter(&f);
  MillJob one = job("sleep", sleeps, 1, NULL);
  f.cancelled = true;
  CHECK(i->host.sink.helper(&i->host.sink, &one, 1) < 0);
  fails_with(instance_leave(i, "testing", 0), EXIT_INTERRUPTED, "RUN-09", "interrupted");
  leave(&f, i);
}

/* What they write counts as memory of the sink. */
static void test_memory(void)
{
  static const char *const much[] = { "-c", "head -c 9000000 /dev/zero" };
  HostFixture f;
  Instance *i = enter(&f);
  MillJob one = job("sh", much, 2, NULL);
  CHECK_INT(i->host.sink.helper(&i->host.sink, &one, 1), -MILL_LIMIT);
  Error *e = instance_leave(i, "testing", -MILL_LIMIT);
  CHECK(e && e->status == EXIT_LIMIT);
  error_free(e);
  leave(&f, i);
}

TEST_MAIN({ "runs programs", test_runs }, { "variables", test_variable },
          { "refuses paths", test_refused }, { "interrupted", test_interrupted },
          { "counts memory", test_memory })
