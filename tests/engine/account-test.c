/* The account of a run: what was read and made is what was used and left out, however events are held. */
#include "sched/account.h"

#include "engine.h"
#include "sched/collect.h"

#define FAULTS "e odd 5 1\ne a - 1\ne b 3 -1\ne c 4 2\ne gone 7 1\n"

static char *account_of(const EngineCase *c)
{
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, c);
  if (error) CHECK_ROW(error->what);
  CHECK(error == NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter out = { .text = text, .layout = JSON_DENSE };
  json_put_open(&out, NULL, '{');
  g_autoptr(GPtrArray) sources = collect_sources_of(e.run);
  account_put(&out, e.run, sources);
  json_put_close(&out);
  engine_end(&e);
  return g_strdup(text->str);
}

static void check(const char *stages, const char *wanted)
{
  for (uint32_t batch = 1; batch < 6; batch++)
    for (int hold = 0; hold < 2; hold++) {
      const EngineCase c = { .inputs = { { "a", FAULTS }, { "b", FAULTS } },
                             .stages = stages,
                             .options = { .hold = hold ? HOLD_ALWAYS : HOLD_AUTO,
                                          .batch_events = batch,
                                          .jobs = 1 + batch % 2,
                                          .verify = true } };
      g_autofree char *got = account_of(&c);
      CHECK_STR(got, wanted);
    }
}

static void test_faults(void)
{
  check("[{\"use\":\"count\"}]",
        "{\"events\":{\"read\":10,\"made\":0,\"used\":6,\"left_out\":{\"stage\":0,\"phase\":0,"
        "\"no_time\":2,\"no_duration\":2,\"notice\":0,\"failed\":0}}}");
}

/* Events are held between the notice and the stage that makes and drops some. */
static void test_noticed(void)
{
  check("[{\"use\":\"tally\"},{\"use\":\"vote\"},{\"use\":\"echo\",\"with\":{\"first\":false}}]",
        "{\"events\":{\"read\":10,\"made\":4,\"used\":4,\"left_out\":{\"stage\":2,\"phase\":0,"
        "\"no_time\":4,\"no_duration\":2,\"notice\":2,\"failed\":0}}}");
}

TEST_MAIN({ "events without what they need", test_faults },
          { "events that a notice counts", test_noticed })
