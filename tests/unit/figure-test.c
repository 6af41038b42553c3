/* The table of a figure's fields: it covers the struct, and writes what is set. */
/* SPDX-License-Identifier: MIT */
#include "base/figure.h"

#include "check.h"

static void test_fields(void)
{
  uint32_t n, bytes = 0;
  const FigureField *fields = figure_fields(&n);
  for (uint32_t i = 0; i < n; i++)
    bytes += figure_field_is_text(&fields[i]) ? sizeof(char *) : sizeof(uint32_t);
  CHECK_INT(bytes + sizeof(uint32_t), sizeof(MillFigure)); /* padding after `kind` */
  MillFigure f = { .kind = MILL_FIGURE_BAR };
  const FigureField *top = figure_field("top"), *x = figure_field("x");
  CHECK(figure_field("colour") == NULL);
  figure_set_number(&f, top, 7);
  figure_set_text(&f, x, "rank");
  CHECK_INT(f.top, 7);
  CHECK_STR(f.x, "rank");
  CHECK_INT(figure_get_number(&f, top), 7);
  CHECK_STR(figure_get_text(&f, x), "rank");
}

static void test_words(void)
{
  CHECK_INT(figure_word("mean|median|sum", "sum"), 2);
  CHECK_INT(figure_word("mean|median|sum", "med"), -1);
  CHECK_INT(figure_word("mean|median|sum", ""), -1);
  CHECK_STR(figure_kind_name(MILL_FIGURE_HISTOGRAM), "histogram");
  CHECK_STR(figure_kind_name(99), "figure");
}

/* The words of kinds and their names are one list. */
static void test_kinds(void)
{
  for (uint32_t k = 0; k <= MILL_FIGURE_HISTOGRAM; k++)
    CHECK_INT(figure_word(figure_field("kind")->words, figure_kind_name(k)), (int)k);
}

static void test_put(void)
{
  const MillFigure f = { .kind = MILL_FIGURE_STACKED_BAR,
                         .name = "a",
                         .table = "t",
                         .x = "rank",
                         .flags = MILL_FIGURE_STEP | MILL_FIGURE_OWN_AXES,
                         .top = 3,
                         .y_better = MILL_HIGHER };
  JsonWriter out = { .text = g_string_new(NULL), .layout = JSON_DENSE };
  json_put_open(&out, NULL, '{');
  figure_put(&out, &f);
  json_put_close(&out);
  CHECK_STR(out.text->str,
            "{\"name\":\"a\",\"kind\":\"stacked-bar\",\"table\":\"t\",\"x\":\"rank\","
            "\"flags\":[\"step\",\"own-axes\"],\"top\":3,\"y_better\":\"higher\"}");
  g_string_free(out.text, TRUE);
}

TEST_MAIN({ "fields", test_fields }, { "words", test_words }, { "kinds", test_kinds },
          { "as JSON", test_put })
