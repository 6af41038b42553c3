/* Whole documents of pictures, from few, many, empty and extreme data: tests/unit/pictures/NAME.json.  With
 * PICTURE_UPDATE set they are written anew; look at the difference. */
#include "picture-make.h"

typedef struct Golden {
  const char *name, *columns, *rows; /* rows NULL: many, made below */
  MillFigure figure;
} Golden;

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
static const Golden goldens[] = {
  { "bar-few", SAMPLES, FEW, FIGURE(BAR, .x = "name", .y = "t") },
  { "bar-many", SAMPLES, NULL, FIGURE(BAR, .x = "name", .y = "t", .top = 4) },
  { "bar-extreme", SAMPLES, EXTREME, FIGURE(BAR, .x = "name", .y = "share", .series = "rank") },
  { "stacked-few", SAMPLES, FEW, FIGURE(STACKED_BAR, .x = "rank", .y = "t", .series = "name") },
  { "stacked-many", SAMPLES, NULL, FIGURE(STACKED_BAR, .x = "rank", .y = "t", .series = "name") },
  { "line-few", SAMPLES, FEW, FIGURE(LINE, .x = "n", .y = "t", .annotation = "name") },
  { "line-many", SAMPLES, NULL, FIGURE(LINE, .x = "n", .y = "t", .reduce = "mean") },
  { "line-extreme", SAMPLES, EXTREME, FIGURE(LINE, .x = "n", .y = "t", .scale = "log") },
  { "box-few", SAMPLES, FEW, FIGURE(BOX, .x = "name", .y = "t") },
  { "box-many", SAMPLES, NULL, FIGURE(BOX, .x = "name", .y = "t", .series = "gone") },
  { "violin-few", SAMPLES, FEW, FIGURE(VIOLIN, .x = "rank", .y = "share") },
  { "heatmap-few", SAMPLES, FEW, FIGURE(HEATMAP, .x = "name", .y = "rank", .series = "share") },
  { "heatmap-extreme", SAMPLES, EXTREME,
    FIGURE(HEATMAP, .x = "name", .y = "rank", .value = "share", .palette = "change") },
  { "density-few", SAMPLES, FEW, FIGURE(DENSITY, .x = "n", .y = "rank", .value = "t") },
  { "scatter-extreme", SAMPLES, EXTREME, FIGURE(SCATTER, .x = "n", .y = "share") },
  { "timeline-few", SAMPLES, FEW,
    FIGURE(TIMELINE, .x = "n", .x_end = "+t", .y = "rank", .series = "name") },
  { "pareto-few", SAMPLES, FEW,
    FIGURE(PARETO, .x = "t", .y = "share", .x_better = MILL_LOWER, .annotation = "name") },
  { "ranked-few", SAMPLES, FEW, FIGURE(RANKED, .x = "name", .y = "t") },
  { "ranked-many", SAMPLES, NULL, FIGURE(RANKED, .x = "name", .y = "t", .top = 5) },
  { "histogram-few", SAMPLES, FEW, FIGURE(HISTOGRAM, .x = "t", .series = "rank") },
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

static char *document_of(const Golden *g)
{
  Made m;
  MillFigure f = g->figure;
  GString *json = g_string_new(NULL);
  g_autofree char *many = g->rows ? NULL : many_rows();
  f.name = g->name;
  f.table = "t";
  made_open(&m);
  made_all(&m, "t", g->columns, g->rows ? g->rows : many);
  made_figure(&m, &f);
  results_set_info(m.results, "profile", "golden");
  results_set_info(m.results, "plan", "sha256:abcdef1234567890");
  g_autoptr(GPtrArray) sets = made_sets(&m);
  const Picture *p = made_picture(sets, 0);
  if (p) picture_json(p, json);
  g_string_append_c(json, '\n');
  made_close(&m);
  return g_string_free(json, FALSE);
}

static void test_goldens(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(goldens); i++) {
    g_autofree char *made = document_of(&goldens[i]), *wanted = NULL;
    g_autofree char *path =
        g_strdup_printf("%s/tests/unit/pictures/%s.json", getenv("SOURCE_ROOT"), goldens[i].name);
    if (getenv("PICTURE_UPDATE")) CHECK(g_file_set_contents(path, made, -1, NULL));
    if (!CHECK(g_file_get_contents(path, &wanted, NULL, NULL) && !strcmp(made, wanted)))
      CHECK_ROW(goldens[i].name);
  }
}

TEST_MAIN({ "whole documents", test_goldens })
