/* Which lanes get the same plan: those of one source, dialect and set of facts. */
/* SPDX-License-Identifier: MIT */
#include "input/classes.h"

#include "engine.h"

static void test_classes(void)
{
  const EngineCase c = { .inputs = { { NULL, "dialect d\nfact f.a\nfact f.b\n" },
                                     { NULL, "dialect d\nfact f.b\nfact f.a\n" },
                                     { NULL, "dialect d\nfact f.a\n" },
                                     { NULL, "dialect e\nfact f.a\n" },
                                     { NULL, "dialect d\nfact f.a\nrank 1\n" } },
                         .stages = "[]" };
  static const guint wanted[] = { 0, 0, 1, 2, 1 };
  guint of_lane[5];
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  if (CHECK(error == NULL)) {
    GArray *classes = classes_of_inputs(e.run->inputs, of_lane);
    CHECK_INT(classes->len, 3);
    for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) CHECK_INT(of_lane[i], wanted[i]);
    const PlanInputClass *last = &g_array_index(classes, PlanInputClass, 2);
    CHECK_STR(last->dialect, "e");
    CHECK(!last->side && last->facts->len == 2); /* f.a, and events of the source */
    g_array_unref(classes);
  }
  engine_end(&e);
}

TEST_MAIN({ "classes", test_classes })
