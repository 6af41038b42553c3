/* Bases that become known after the events: found at the end of a file before it is read, described too late, or moved
 * by a stage. */
/* SPDX-License-Identifier: MIT */
#include "input/bases.h"

#include "base/stream.h"
#include "engine.h"
#include "model/engine.h"

#define TALLY "[{\"use\":\"tally\"}]"

static void test_known(void)
{
  const EngineCase c = {
    .inputs = { { "a", "base 1000\ne x 1 1\n" }, { "b", "base 0\ne x 1 1\n" } }, .stages = TALLY
  };
  engine_check_all(&c, "0 x @1001 1\nend\n--\n1 x @1 1\nend\n", NULL);
}

/* A plain file shows its end at once. */
static void test_plain_end(void)
{
  const EngineCase c = { .inputs = { { "a", "e x 1 1\nlate-base 1000\n" },
                                     { "b", "e x 2 1\nlate-base 500\n" } },
                         .stages = TALLY };
  engine_check_all(&c, "0 x @1001 1\nend\n--\n1 x @502 1\nend\n", NULL);
}

/* Compressed: it has to be read twice when the events of two lanes go into one file. */
static void run_packed(const char *const *texts, int n, const char *stages, const char *plain)
{
  Engine e;
  EngineCase c = { .stages = stages };
  GPtrArray *specs = g_ptr_array_new();
  engine_begin(&e);
  for (int i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf("%s/in%d.gz", e.folder, i), *why = NULL;
    Writer *w = writer_open(name, STREAM_GZIP, &why);
    CHECK(w && !writer_write(w, texts[i], strlen(texts[i])) && !writer_close(w));
    g_ptr_array_add(specs, input_spec_new(name));
  }
  g_autoptr(Error) error = engine_open(&e, specs, &c);
  if (!error) error = engine_plan(&e, &c);
  if (!error) error = run_execute(e.run);
  if (CHECK(error == NULL)) {
    g_autofree char *got = engine_text(&e, "plain.txt");
    CHECK_STR(got, plain);
  }
  engine_end(&e);
}

static void test_packed(void)
{
  static const char *const two[] = { "lines\ne x 1 1\nlate-base 1000\n",
                                     "lines\ne x 2 1\nlate-base 500\n" };
  run_packed(two, 2, TALLY, "0 x @1001 1\nend\n--\n1 x @502 1\nend\n");
  /* One lane alone needs no other's base: it is described with the events. */
  run_packed(two, 1, TALLY, "0 x @1001 1\nend\n");
  /* At a barrier all was read before anything is written. */
  run_packed(two, 2, "[{\"use\":\"vote\"}]", "0 x @1001 1 x=10\nend\n--\n1 x @502 1 x=10\nend\n");
}

/* Only the second lane says that it has one, and does so when the first was written: what cannot be read a second
 * time ends the run. */
static void test_too_late(void)
{
  Engine e;
  const EngineCase c = { .inputs = { { "a", "e x 1 1\n" } }, .stages = TALLY };
  engine_begin(&e);
  GPtrArray *specs = engine_specs(&e, &c);
  int ends[2];
  static const char text[] = "lines\ne x 2 1\nlate-base 500\n";
  CHECK(!pipe(ends) && write(ends[1], text, sizeof text - 1) == sizeof text - 1 && !close(ends[1]));
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", ends[0]);
  g_ptr_array_add(specs, input_spec_new(path));
  g_autoptr(Error) error = engine_open(&e, specs, &c);
  if (!error) error = engine_plan(&e, &c);
  if (!error) error = run_execute(e.run);
  if (CHECK(error != NULL)) {
    CHECK_STR(error->code, "RUN-11");
    CHECK(strstr(error->what, path) != NULL);
  }
  CHECK(!g_file_test(e.out, G_FILE_TEST_EXISTS));
  engine_end(&e);
  close(ends[0]);
}

/* A stage moves the base: the absolute times stay what they were, and an unknown base becomes known. */
static void test_moved(void)
{
  const EngineCase c = { .inputs = { { "a", "base 1000\ne x 1 1\n" }, { "b", "e x 7 1\n" } },
                         .stages = "[{\"use\":\"mover\",\"with\":{\"by\":300}}]" };
  engine_check_all(&c, "0 x @1001 1\nend\n--\n1 x @7 1\nend\n", "");
}

/* Lanes of known and of unknown base in one file: each of unknown base that has times is counted. */
static void test_unknown(void)
{
  static const struct {
    const char *texts[3];
    uint64_t count;
  } rows[] = {
    { { "e x 1 1\n", "base 1000\ne x 1 1\n", "e x 2 1\n" }, 2 },
    { { "base 1000\ne x 1 1\n", "base 2000\ne x 1 1\n", "e x 2 1\n" }, 1 },
    { { "e x 1 1\n", "e x 2 1\n", "e x 3 1\n" }, 0 },
    { { "base 1000\ne x 1 1\n", "base 2000\ne x 1 1\n", "e x - 1\n" }, 0 },
  };
  static const char *const stages[] = { TALLY, "[{\"use\":\"vote\"}]" };
  for (size_t i = 0; i < G_N_ELEMENTS(rows) * G_N_ELEMENTS(stages); i++) {
    const char *const *texts = rows[i / 2].texts;
    const EngineCase c = { .inputs = { { "a", texts[0] }, { "b", texts[1] }, { "c", texts[2] } },
                           .stages = stages[i % 2] };
    Engine e;
    engine_begin(&e);
    g_autoptr(Error) error = engine_execute(&e, &c);
    CHECK(error == NULL);
    uint64_t count =
        e.run->aside.notices.counts[notices_find(engine_stage(), ENGINE_UNKNOWN_BASE)].count;
    if (!CHECK_INT(count, rows[i / 2].count)) CHECK_ROW(texts[0]);
    engine_end(&e);
  }
}

TEST_MAIN({ "known from the start", test_known }, { "at the end of a plain file", test_plain_end },
          { "at the end of a compressed file", test_packed }, { "too late", test_too_late },
          { "moved by a stage", test_moved }, { "unknown beside known", test_unknown })
