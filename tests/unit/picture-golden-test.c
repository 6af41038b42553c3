/* Whole documents of pictures, each kind from few, many, no and extreme data: tests/unit/pictures/NAME.json.  With
 * PICTURE_UPDATE set they are written anew; look at the difference. */
/* SPDX-License-Identifier: MIT */
#include "picture-make.h"

typedef struct Kind {
  const char *name;
  MillFigure figure;
} Kind;

#define SAMPLES "*rank:int name:text n:int:count:key t:int:ns share:real:percent"
#define FEW                                                                             \
  "0|gemm|1|4000|40 0|copy|2|1000|10 0|idle|3|5000|50 1|gemm|1|4400|44 1|copy|2|900|9 " \
  "1|idle|3|4700|47"
#define EXTREME \
  "0|<b>&`id`$(x)|1|-1|1e300 0|=1+1|2|0|-1e300 1|核心|3|9223372036854775807|0 1|EOD|4|-|-"

#define FIGURE(kind_, ...)                                     \
  {                                                            \
    .kind = MILL_FIGURE_##kind_, .title = "Title", __VA_ARGS__ \
  }
static const Kind kinds[] = {
  { "bar", FIGURE(BAR, .x = "name", .y = "t", .series = "rank", .top = 4) },
  { "stacked", FIGURE(STACKED_BAR, .x = "rank", .y = "t", .series = "name") },
  { "line", FIGURE(LINE, .x = "n", .y = "t", .reduce = "mean", .annotation = "name") },
  { "line-log", FIGURE(LINE, .x = "n", .y = "t", .scale = "log") },
  { "box", FIGURE(BOX, .x = "name", .y = "t", .series = "gone") },
  { "violin", FIGURE(VIOLIN, .x = "rank", .y = "share") },
  { "heatmap", FIGURE(HEATMAP, .x = "name", .y = "rank", .value = "share", .palette = "change") },
  { "density", FIGURE(DENSITY, .x = "n", .y = "rank", .value = "t") },
  { "scatter", FIGURE(SCATTER, .x = "n", .y = "share") },
  { "timeline", FIGURE(TIMELINE, .x = "n", .x_end = "+t", .y = "rank", .series = "name") },
  { "pareto",
    FIGURE(PARETO, .x = "t", .y = "share", .x_better = MILL_LOWER, .annotation = "name") },
  { "ranked", FIGURE(RANKED, .x = "name", .y = "t", .top = 5) },
  { "histogram", FIGURE(HISTOGRAM, .x = "t", .series = "rank") },
};

/* Of 15 ranks and 8 names, in a fixed way. */
static char *many_rows(void)
{
  GString *rows = g_string_new(NULL);
  uint32_t seed = 1;
  for (int r = 0; r < 15; r++)
    for (int n = 0; n < 16; n++) {
      seed = seed * 1664525u + 1013904223u;
      g_string_append_printf(rows, "%d|k%d|%d|%u|%u ", r, n % 8, n, seed % 100000, seed % 100);
    }
  return g_string_free(rows, FALSE);
}

/* The pictures of a figure, or why there are none. */
static void add_document(const PictureSet *set, GString *json)
{
  for (guint i = 0; i < set->pictures->len; i++) {
    picture_json(set->pictures->pdata[i], json);
    g_string_append_c(json, '\n');
  }
  if (set->reason) g_string_append_printf(json, "%s\n", set->reason);
}

static char *document_of(const Kind *kind, const char *name, const char *rows)
{
  Made m;
  MillFigure f = kind->figure;
  GString *json = g_string_new(NULL);
  f.name = name;
  f.table = "t";
  made_open(&m);
  made_all(&m, "t", SAMPLES, rows);
  made_figure(&m, &f);
  results_set_info(m.results, "profile", "golden");
  results_set_info(m.results, "plan", "sha256:abcdef1234567890");
  g_autoptr(GPtrArray) sets = made_sets(&m);
  add_document(sets->pdata[0], json);
  made_close(&m);
  return g_string_free(json, FALSE);
}

static void check_golden(const Kind *kind, const char *amount, const char *rows)
{
  g_autofree char *name = g_strdup_printf("%s-%s", kind->name, amount), *wanted = NULL;
  g_autofree char *made = document_of(kind, name, rows);
  g_autofree char *path = g_strdup_printf("%s/tests/unit/pictures/%s.%s", getenv("SOURCE_ROOT"),
                                          name, *rows ? "json" : "txt");
  if (getenv("PICTURE_UPDATE")) CHECK(g_file_set_contents(path, made, -1, NULL));
  if (!CHECK(g_file_get_contents(path, &wanted, NULL, NULL) && !strcmp(made, wanted)))
    CHECK_ROW(name);
}

static void test_goldens(void)
{
  g_autofree char *many = many_rows();
  for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
    check_golden(&kinds[i], "empty", "");
    check_golden(&kinds[i], "few", FEW);
    check_golden(&kinds[i], "many", many);
    check_golden(&kinds[i], "extreme", EXTREME);
  }
}

TEST_MAIN({ "whole documents", test_goldens })
