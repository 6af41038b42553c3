/* What results call inputs: lane-names.c */
/* SPDX-License-Identifier: MIT */
#include "model/lane-names.h"

#include "check.h"

enum { MOST = 3 };

/* Their names, joined by " ; ".  A path NULL: standard input. */
static char *names_of(const char *const *paths, const char *suffix)
{
  LaneInfo lanes[MOST], *list[MOST];
  guint n = 0;
  for (; n < MOST && paths[n]; n++) {
    const char *path = strcmp(paths[n], "-") ? paths[n] : NULL;
    lane_info_init(&lanes[n], n, path);
    lanes[n].name = path ? g_strconcat(path, suffix, NULL) : g_strdup("standard input");
    list[n] = &lanes[n];
  }
  lane_names_set(list, n);
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(out, "%s%s", i ? " ; " : "", lane_info_input(&lanes[i]));
    lane_info_clear(&lanes[i]);
  }
  return g_string_free(out, FALSE);
}

static void test_names(void)
{
  static const struct {
    const char *paths[MOST + 1], *suffix, *wanted;
  } rows[] = {
    { { "/a/b/x.json" }, "", "x.json" },
    { { "x.json" }, "", "x.json" },
    { { "../x.json" }, "", "x.json" },
    { { "/x.json" }, "", "x.json" },
    { { "/a/b/x.json", "/a/b/y.json" }, "", "x.json ; y.json" },
    { { "/a/b/x.json", "/a/c/x.json" }, "", "b/x.json ; c/x.json" },
    { { "/a/bee/x.json", "/a/beat/x.json" }, "", "bee/x.json ; beat/x.json" },
    { { "/a/./b//x.json", "/a/q/../c/x.json" }, "", "b/x.json ; c/x.json" },
    { { "b/x.json", "./c/x.json" }, "", "b/x.json ; c/x.json" },
    { { "/a/x.json", "/a/b/c/x.json", "/a/b/x.json" }, "", "x.json ; b/c/x.json ; b/x.json" },
    { { "/a/x.json", "/a/x.json" }, "", "x.json ; x.json" },
    { { "/a/b/x.json" }, " (run 2)", "x.json (run 2)" },
    { { "/a/b/x.json", "/a/c/x.json" }, " (part 1)", "b/x.json (part 1) ; c/x.json (part 1)" },
    { { "-" }, "", "standard input" },
    { { "-", "/a/b/x.json" }, "", "standard input ; x.json" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = names_of(rows[i].paths, rows[i].suffix);
    CHECK_STR(got, rows[i].wanted);
  }
}

/* A side input says something about the others: where it lies does not change what they are called. */
static void test_side_inputs(void)
{
  LaneInfo trace, side, *lanes[] = { &trace, &side };
  lane_info_init(&trace, 0, "/a/b/x.json");
  lane_info_init(&side, 1, "/q/r/compile.log");
  trace.name = g_strdup("/a/b/x.json");
  side.name = g_strdup("/q/r/compile.log");
  side.side = true;
  lane_names_set(lanes, 2);
  CHECK_STR(lane_info_input(&trace), "x.json");
  CHECK_STR(lane_info_input(&side), "compile.log");
  lane_info_clear(&trace);
  lane_info_clear(&side);
}

/* Lanes that follow get names; those that are there keep theirs. */
static void test_more_lanes(void)
{
  LaneInfo first, then, *lanes[] = { &first, &then };
  char *made = NULL;
  lane_info_init(&first, 0, "/a/b/x.json");
  lane_info_init(&then, 1, "/a/b/x.json");
  first.name = g_strdup("/a/b/x.json");
  then.name = g_strdup("/a/b/x.json (run 2)");
  lane_names_set(lanes, 1);
  const char *kept = first.input;
  lane_names_set(lanes, 2);
  CHECK(first.input == kept);
  CHECK_STR(lane_info_tag(&then, "input", &made), "x.json (run 2)");
  CHECK(made == NULL);
  lane_info_clear(&first);
  lane_info_clear(&then);
}

TEST_MAIN({ "names", test_names }, { "side inputs", test_side_inputs },
          { "more lanes", test_more_lanes })
