/* Which source reads an input (sources.c), and reading it lane by lane (input.c). */
/* SPDX-License-Identifier: MIT */
#include "input/attach.h"
#include "input/input.h"

#include "engine.h"
#include "input/sources.h"

static void test_list(void)
{
  static const struct {
    const char *allowed; /* an outside source */
    const char *first, *second;
  } rows[] = { { NULL, "lines", "rows" },
               { "acme.lines", "acme.lines", "lines" },
               { "acme.other", "lines", "rows" } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Modules *modules = engine_modules();
    g_autoptr(GPtrArray) allowed = rows[i].allowed ? engine_list(rows[i].allowed, NULL) : NULL;
    Sources *s = sources_new(modules, NULL, allowed);
    const Descriptor *first = sources_at(s, 0), *second = sources_at(s, 1);
    CHECK_STR(first ? first->name : NULL, rows[i].first);
    CHECK_STR(second ? second->name : NULL, rows[i].second);
    CHECK(sources_at(s, 3) == NULL && sources_at(s, 0) == first);
    sources_free(s);
    modules_free(modules);
  }
}

/* By its bytes, or by name; outside sources are shown nobody's bytes unless they are named. */
static void test_choice(void)
{
  static const struct {
    const char *run, *input, *allowed; /* named for the run, for the input; may be tried */
    const char *bytes, *chosen, *code;
  } rows[] = {
    { NULL, NULL, NULL, "lines\n", "lines", NULL },
    { NULL, NULL, NULL, "colour\n", NULL, "RUN-03" },
    { "acme.lines", NULL, NULL, "colour\n", "acme.lines", NULL },
    { "acme.lines", "lines", NULL, "colour\n", "lines", NULL },
    { "lines", "acme.lines", NULL, "lines\n", "acme.lines", NULL },
    { NULL, NULL, "acme.lines", "lines\n", "acme.lines",
      NULL }, /* sure enough: the first is taken */
    { "colours", NULL, NULL, "lines\n", NULL, "STG-01" },
    { "plain", NULL, NULL, "lines\n", NULL, "STG-01" }, /* that is a sink */
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Modules *modules = engine_modules();
    Error *e = NULL;
    g_autoptr(GPtrArray) allowed = rows[i].allowed ? engine_list(rows[i].allowed, NULL) : NULL;
    Sources *s = sources_new(modules, rows[i].run, allowed);
    const Descriptor *d =
        sources_choose(s, rows[i].input, "some input", rows[i].bytes, strlen(rows[i].bytes), &e);
    CHECK_STR(d ? d->name : NULL, rows[i].chosen);
    if (!CHECK_STR(e ? e->code : NULL, rows[i].code)) printf(" (row %zu)", i);
    CHECK_STR(sources_named(s), rows[i].run);
    if (e && !strcmp(e->code, "RUN-03")) {
      CHECK_STR(e->what, "no source here can read the format of some input");
      CHECK_STR(e->help->pdata[0], "formats: lines, rows");
      CHECK(strstr(e->help->pdata[1], "of acme.lines") != NULL);
    }
    error_free(e);
    sources_free(s);
    modules_free(modules);
  }
}

/* All events of all lanes, numbered from the start in each; the input knows when another lane follows. */
static void test_reading(void)
{
  const EngineCase c = { .inputs = { { NULL, "e a 1 1\ne b 2 1\nnext\nnext\ne c 3 1\n" } },
                         .stages = "[]",
                         .options = { .batch_events = 1 } };
  static const uint64_t counts[] = { 2, 0, 1 };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_open(&e, engine_specs(&e, &c), &c);
  Input *in = e.run->inputs->list->pdata[0];
  CHECK(error == NULL);
  CHECK(in->instance == NULL && in->reader == NULL); /* until it is read */
  CHECK(attach_again(in) == NULL);
  CHECK(in->instance != NULL && in->reader != NULL);
  CHECK(attach_rest(in) == NULL);
  CHECK(in->instance == NULL && in->reader == NULL);
  for (uint32_t lane = 0; lane < 3; lane++) {
    Batch *b;
    uint64_t n = 0;
    CHECK(input_start(in) == NULL);
    for (; CHECK(input_next(in, &b) == NULL) && b; batch_give(e.run->pools.batches, b)) {
      CHECK(b->pub.n_events == 1 && b->pub.events[0].seq == n++ && b->pub.lane == lane);
      CHECK_INT(tracks_get(in->lane->tracks, b->pub.events[0].track)->lane, lane);
    }
    CHECK_INT(n, counts[lane]);
    CHECK_INT(in->lane->next_seq, counts[lane]);
    CHECK_INT(in->follows, lane < 2);
    CHECK(input_stop(in) == NULL);
    if (!in->follows) break;
    inputs_follow(e.run->inputs, in);
    const LaneInfo *next = inputs_lane(e.run->inputs, lane + 1);
    g_autofree char *name = g_strdup_printf("%s (run %u)", in->spec->path, lane + 2);
    CHECK_STR(next->name, name);
  }
  CHECK_INT(in->n_lanes, 3);
  CHECK(in->instance == NULL && in->reader == NULL); /* closed */
  engine_end(&e);
}

static void test_shrunk(void)
{
  Engine e;
  EngineCase c = { .stages = "[]" };
  GPtrArray *specs = g_ptr_array_new();
  g_autoptr(GString) text = g_string_new("lines\n");
  while (text->len < 700000) g_string_append(text, "e a 1 1\n");
  engine_begin(&e);
  scratch_write(e.folder, "big", text->str, (gssize)text->len);
  g_autofree char *path = g_build_filename(e.folder, "big", NULL);
  g_ptr_array_add(specs, input_spec_new(path));
  g_autoptr(Error) error = engine_open(&e, specs, &c);
  const Input *in = e.run->inputs->list->pdata[0];
  CHECK(error == NULL && !input_has_shrunk(in));
  CHECK(!truncate(path, 1000));
  CHECK(input_has_shrunk(in));
  g_autoptr(Error) shrank = input_shrank(in);
  CHECK_STR(shrank->code, "RUN-04");
  engine_end(&e);
}

TEST_MAIN({ "sources that may be tried", test_list }, { "the choice", test_choice },
          { "lane by lane", test_reading }, { "a file that shrinks", test_shrunk })
