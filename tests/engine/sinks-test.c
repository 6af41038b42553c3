/* The sinks of a run: chosen by format, set by options, called for each lane and for the run. */
/* SPDX-License-Identifier: MIT */
#include "output/sinks.h"

#include "engine.h"

static void test_choice(void)
{
  static const struct {
    const char *formats[3];
    const char *set;
    guint n;
    const char *code, *what;
  } rows[] = {
    { { "plain", NULL }, NULL, 1, NULL, NULL },
    { { "plain", "plain", NULL }, "plain.end=x", 1, NULL, NULL },
    { { NULL }, NULL, 0, NULL, NULL },
    { { "plain", NULL }, "other.end=x", 1, NULL, NULL },
    { { "plain", NULL }, "plain.end", 1, NULL, NULL }, /* no value: of another */
    { { "plan", NULL }, NULL, 0, "RUN-06", "unknown format \"plan\"" },
    { { "lines", NULL }, NULL, 0, "RUN-06", "unknown format \"lines\"" },
    { { "plain", NULL }, "plain.colour=x", 1, "RUN-06", "no option \"colour\"" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Modules *modules = engine_modules();
    Sinks *s = NULL;
    g_autoptr(GPtrArray) set = rows[i].set ? engine_list(rows[i].set, NULL) : NULL;
    g_autoptr(Error) e = sinks_new(modules, rows[i].formats, set, &s);
    CHECK_INT(s->list->len, rows[i].n);
    CHECK_STR(e ? e->code : NULL, rows[i].code);
    if (e && !CHECK(strstr(e->what, rows[i].what) != NULL)) CHECK_ROW(e->what);
    CHECK_INT(sinks_write_events(s), rows[i].n);
    CHECK(!sinks_read_raw(s));
    sinks_free(s);
    modules_free(modules);
  }
}

static void test_options(void)
{
  g_autoptr(GPtrArray) set = engine_list("plain.end=over", NULL);
  const EngineCase c = { .inputs = { { "a", "e x 1 1\n" } },
                         .stages = "[{\"use\":\"echo\"}]",
                         .options = { .sink_set = set } };
  engine_check_all(&c, "0 x 1 1\n0 last 99 -1\nover\n", "");
}

/* The head is written when the first lane has events or has ended, the tail after all. */
static void test_order(void)
{
  const EngineCase c = { .inputs = { { "a", "member m 1\nmember n 2\n" },
                                     { "b", "member not-shown 1\ne x 1 1\n" },
                                     { "c", "" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  engine_check_all(&c, "m: 1\nn: 2\nend\n--\n1 x 1 1\nend\n--\nend\n", NULL);
  const EngineCase merged = { .inputs = { { "a", "member m 1\ne x 2 1\nmember n 2\n" },
                                          { "b", "e x 1 1\n" } },
                              .stages = "[{\"use\":\"number\"}]" };
  engine_check_all(&merged, "m: 1\n1 x 1 1 x=0\n0 x 2 1 x=1\nend\nn: 2\n", NULL);
}

TEST_MAIN({ "chosen by format", test_choice }, { "options", test_options },
          { "heads, lanes and tails", test_order })
