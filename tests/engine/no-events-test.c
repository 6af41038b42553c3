/* Inputs without events: an error where none has any, and the profile needs them; else a warning. */
/* SPDX-License-Identifier: MIT */
#include "input/no-events.h"

#include "engine.h"
#include "model/engine.h"

#define TALLY "[{\"use\":\"tally\"}]"
#define NEEDING TALLY ",\"needs-events\":true"

static void test_kinds(void)
{
  static const struct {
    uint8_t kinds[2];
    uint32_t n;
    bool eventful, has_rows;
  } rows[] = { { { 0 }, 0, false, false },
               { { MILL_META, MILL_META }, 2, false, false },
               { { MILL_META, MILL_RECORD }, 2, false, true },
               { { MILL_RECORD, MILL_SLICE }, 2, true, true },
               { { MILL_SLICE }, 1, true, false } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    MillEvent events[2] = { { .kind = rows[i].kinds[0] }, { .kind = rows[i].kinds[1] } };
    const MillBatch some = { .events = events, .n_events = rows[i].n }, none = { .n_events = 0 };
    LaneInfo lane = { .eventful = false };
    no_events_see(&lane, &some);
    no_events_see(&lane, &none);
    CHECK_INT(lane.eventful, rows[i].eventful);
    CHECK_INT(lane.has_rows, rows[i].has_rows);
  }
}

static void test_all(void)
{
  EngineCase c = { .inputs = { { NULL, "rank 0\n" }, { NULL, "rank 1\n" } }, .stages = NEEDING };
  engine_fails(&c, EXIT_INPUT, "RUN-19", "in0.lines, ");
  c.inputs[2] = c.inputs[3] = (EngineInput){ "x", "" };
  engine_fails(&c, EXIT_INPUT, "RUN-19", "in2.lines and 1 more");
  c = (EngineCase){ .inputs = { { NULL, "rank 0\n" } }, .stages = TALLY };
  engine_check(&c, "end\n", NULL); /* it takes what it gets */
  c = (EngineCase){ .inputs = { { NULL, "skipped\n" } }, .stages = NEEDING };
  engine_check(&c, "end\n", NULL); /* its source has said what it is */
}

/* --keep-going: what there is to write is written, and the error comes all the same. */
static void test_keep_going(void)
{
  const EngineCase c = { .inputs = { { NULL, "rank 0\n" } },
                         .stages = NEEDING,
                         .options = { .keep_going = true } };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error != NULL)) CHECK_STR(error->code, "RUN-19");
  CHECK(g_file_test(e.out, G_FILE_TEST_IS_DIR));
  engine_end(&e);
}

static void test_some(void)
{
  static const char *const stages[] = { TALLY, NEEDING };
  for (size_t i = 0; i < G_N_ELEMENTS(stages); i++) {
    const EngineCase c = { .inputs = { { NULL, "rank 0\ne a 1 1\n" },
                                       { NULL, "rank 1\n" },
                                       { NULL, "rank 2\nskipped\n" },
                                       { NULL, "rank 3\n" } },
                           .stages = stages[i] };
    Engine e;
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &c);
    if (CHECK(error == NULL)) {
      g_autofree char *text = engine_text(&e, "results.txt");
      bool said = strstr(text, "RUN-29 2 inputs have no events (first: in1.lines)\n") != NULL;
      CHECK_INT(said, stages[i] == stages[1]);
    }
    engine_end(&e);
  }
}

TEST_MAIN({ "kinds of events", test_kinds }, { "no input has any", test_all },
          { "keep going", test_keep_going }, { "some have", test_some })
