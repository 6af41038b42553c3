/* Making a run: inputs are opened and looked at, those of a folder are left out when nobody knows them, ranks are
 * compared; all problems are reported at once. */
/* SPDX-License-Identifier: MIT */
#include "input/open.h"

#include "engine.h"

static void add(GPtrArray *specs, const Engine *e, const char *name, bool optional)
{
  g_autofree char *path = g_build_filename(e->folder, name, NULL);
  InputSpec *spec = input_spec_new(path);
  spec->optional = optional;
  g_ptr_array_add(specs, spec);
}

static unsigned count_errors(const Error *e)
{
  unsigned n = 0;
  for (; e; e = e->next) n++;
  return n;
}

static void test_what_is_opened(void)
{
  static const struct {
    const char *names[4]; /* "?": optional */
    guint lanes;
    unsigned errors;
    const char *code;
  } rows[] = {
    { { "good" }, 1, 0, NULL },
    { { "good", "?unknown", "?empty", "good" }, 2, 0, NULL },
    { { "good", "?nothing" }, 0, 1, "RUN-02" }, /* it was listed, and is gone */
    { { "unknown" }, 0, 1, "RUN-03" },
    { { "empty" }, 0, 1, "RUN-05" },
    { { "unknown", "good", "empty", "nothing" }, 0, 3, "RUN-03" },
    { { "?unknown", "?empty" }, 0, 1, "RUN-92" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Engine e;
    EngineCase c = { .stages = "[]" };
    GPtrArray *specs = g_ptr_array_new();
    engine_begin(&e);
    scratch_write(e.folder, "good", "lines\ne x 1 1\n", -1);
    scratch_write(e.folder, "unknown", "what is this?", -1);
    scratch_write(e.folder, "empty", "", 0);
    for (int k = 0; k < 4 && rows[i].names[k]; k++) {
      const char *name = rows[i].names[k];
      add(specs, &e, name + (*name == '?'), *name == '?');
    }
    g_autoptr(Error) error = engine_open(&e, specs, &c);
    CHECK_INT(count_errors(error), rows[i].errors);
    if (!CHECK_STR(error ? error->code : NULL, rows[i].code)) CHECK_ROW(rows[i].names[0]);
    CHECK_INT(e.run ? e.run->inputs->lanes->len : 0, rows[i].lanes);
    CHECK_INT(e.run ? e.run->inputs->list->len : 0, rows[i].lanes);
    engine_end(&e);
  }
}

static void test_lanes(void)
{
  const EngineCase c = { .inputs = { { "a", "rank 3\nbase 5\ndialect d\nfact f.g\ntag m=1\n" },
                                     { NULL, "rank 3\n" } },
                         .stages = "[]" };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  if (CHECK(error == NULL)) {
    const LaneInfo *l = inputs_lane(e.run->inputs, 0);
    CHECK(l->rank == 3 && l->base_ns == 5 && l->index == 0 && !l->merged);
    CHECK_STR(l->label, "a");
    CHECK_STR(l->dialect, "d");
    CHECK_STR(tags_get(l->tags, "m"), "1");
    CHECK(l->facts->len == 2 && !strcmp(l->facts->pdata[0], "f.g") &&
          !strcmp(l->facts->pdata[1], "events"));
    CHECK_INT(inputs_lane(e.run->inputs, 1)->base_ns, MILL_NO_BASE);
    CHECK_INT(e.run->inputs->lanes->len, 2);
    CHECK(engine_plan(&e, &c) == NULL);
    CHECK_INT(e.run->aside.notices.counts[0].count, 0); /* of one rank, but with other labels */
  }
  engine_end(&e);
}

/* In a file's name, by a pattern for it, or from what it says itself. */
static void test_ranks(void)
{
  static const struct {
    const char *name, *text, *regex;
    int64_t rank;
  } rows[] = {
    { "x-rank7.lines", "lines\n", NULL, 7 },
    { "x-rank7.lines", "lines\nrank 2\n", NULL, 2 },
    { "x-rank7-n5.lines", "lines\n", "n([0-9]+)", 5 },
    { "x-n5.lines", "lines\nrank 2\n", "n([0-9]+)", 5 },
    { "x.lines", "lines\n", "n([0-9]+)", -1 },
    { "x.lines", "lines\n", "(", -1 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Engine e;
    EngineCase c = { .stages = "[]", .options = { .rank_regex = rows[i].regex } };
    GPtrArray *specs = g_ptr_array_new();
    engine_begin(&e);
    scratch_write(e.folder, rows[i].name, rows[i].text, -1);
    add(specs, &e, rows[i].name, false);
    g_autoptr(Error) error = engine_open(&e, specs, &c);
    if (CHECK(error == NULL) && !CHECK_INT(inputs_lane(e.run->inputs, 0)->rank, rows[i].rank))
      CHECK_ROW(rows[i].name);
    engine_end(&e);
  }
}

TEST_MAIN({ "what is opened", test_what_is_opened }, { "lanes", test_lanes },
          { "ranks", test_ranks })
