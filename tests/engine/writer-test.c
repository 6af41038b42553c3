/* The thread that writes held events while the lane makes the next ones: everything in order, and an error of the
 * sink ends the run. */
/* SPDX-License-Identifier: MIT */
#include "sched/writer.h"

#include "engine.h"

enum { EVENTS = 3000 };

static char *many_events(void)
{
  GString *text = g_string_new("rank 0\n");
  for (int i = 0; i < EVENTS; i++) g_string_append_printf(text, "e n%d %d 1\n", i % 50, i);
  return g_string_free(text, FALSE);
}

static char *expected(void)
{
  GString *text = g_string_new(NULL);
  for (int i = 0; i < EVENTS; i++)
    g_string_append_printf(text, "0 n%d %d 1 x=%d\n", i % 50, i, EVENTS);
  return g_string_free(g_string_append(text, "end\n"), FALSE);
}

/* Rows are made while others are written: each event has its own. */
static void test_order(void)
{
  g_autofree char *text = many_events(), *events = expected();
  for (uint32_t jobs = 1; jobs < 5; jobs++)
    for (uint32_t batch = 1; batch < 500; batch *= 21) {
      const EngineCase c = { .inputs = { { "a", text } },
                             .stages = "[{\"use\":\"count\"}]",
                             .options = { .jobs = jobs, .batch_events = batch } };
      engine_check(&c, events, NULL);
    }
}

static void test_failing_sink(void)
{
  g_autofree char *text = many_events();
  g_autoptr(GPtrArray) set = engine_list("plain.fail-at=2000", NULL);
  const EngineCase c = { .inputs = { { "a", text } },
                         .stages = "[{\"use\":\"count\"}]",
                         .options = { .jobs = 2, .batch_events = 7, .sink_set = set } };
  engine_fails(&c, EXIT_OUTPUT, "PLAIN-01", "it was to fail");
}

TEST_MAIN({ "in order", test_order }, { "a sink that fails", test_failing_sink })
