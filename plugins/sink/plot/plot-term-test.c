/* Pictures of characters: words as cells, and every mark.  plugins/sink/plot/term.c, term-marks.c, canvas.c */
/* SPDX-License-Identifier: MIT */
#include "term.h"
#include "gallery-test.h"

static void check_words(const char *text, unsigned most, const char *expected)
{
  g_autofree char *words = term_words(text, most);
  CHECK_STR(words, expected);
}

static void test_words(void)
{
  check_words("plain", 5, "plain");
  check_words("abcdefgh", 5, "ab\xe2\x80\xa6gh");
  check_words("abcdefgh", 4, "ab\xe2\x80\xa6h");
  check_words("\xe4\xb8\xad.", 9, "\xe4\xb8\xad\xee\x80\x80."); /* wide: two cells */
  check_words("e\xcc\x81", 9, "e");                             /* a mark on it has none */
  check_words("a\x1b[31m\tb", 9, "a\xe2\x96\xa1[31m b");        /* what a terminal obeys */
  check_words("\xee\x80\x80", 9, "\xe2\x96\xa1");               /* ours alone */
  check_words(NULL, 9, "");
}

/* What is written over one half of a wide character takes both; blanks at ends of lines are none. */
static void test_canvas(void)
{
  static const DrawStyle star = { .kind = DISPLAY_LINES, .sign = '*' };
  g_autoptr(Display) d = display_new(8, 5);
  display_text(d->marks,
               "\xe4\xb8\xad\xee\x80\x80"
               "b",
               1, 0, ALIGN_LEFT, 1, 0, 0);
  display_text(d->marks, "\xe4\xb8\xad\xee\x80\x80", 1, 1, ALIGN_LEFT, 1, 0, 0);
  display_text(d->marks, "x", 2, 1, ALIGN_LEFT, 1, 0, 0);
  display_text(d->marks, "end", 7, 2, ALIGN_RIGHT, 1, 0, 0);
  display_add(d->marks, &star, (const double[]){ 0, 3, 2.2, 3, NAN, NAN, -9, 3, 1e5, 3 }, 4);
  g_autofree char *text = canvas_text(d);
  CHECK_STR(text, " \xe4\xb8\xad"
                  "b\n  x\n     end\n***\n");
}

/* Level parts of a dotted line are dots, steep ones colons; what is outside of the clip is not there. */
static void test_lines(void)
{
  static const DrawStyle dots = { .kind = DISPLAY_LINES, .sign = '.' };
  g_autoptr(Display) d = display_new(6, 4);
  DisplayMark *m = display_add(d->marks, &dots, (const double[]){ 0, 0, 4, 0, 4, 9 }, 6);
  m->clip = (Box){ 1, 0, 5, 2 };
  g_autofree char *text = canvas_text(d);
  CHECK_STR(text, " ...:\n    :\n    :\n");
}

static glong cells_of(const char *line)
{
  glong n = 0;
  for (; *line; line = g_utf8_next_char(line)) {
    gunichar c = g_utf8_get_char(line);
    n += g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
  }
  return n;
}

static bool is_plain(const char *line)
{
  for (; *line; line = g_utf8_next_char(line))
    if (g_unichar_iscntrl(g_utf8_get_char(line))) return false;
  return true;
}

static void check_fits(const Picture *p, unsigned columns, unsigned lines)
{
  g_autofree char *text = term_text(p, columns, lines);
  g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
  bool ok = CHECK(strlen(text) > 40);
  for (char **row = rows; *row; row++)
    ok = CHECK(cells_of(*row) <= columns && is_plain(*row)) && ok;
  if (!ok) CHECK_ROW(p->name);
}

static void test_every_mark(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(gallery); i++) {
    Picture *p = gallery[i]();
    check_fits(p, 80, 24);
    check_fits(p, 40, 10);
    made_free(p);
  }
}

/* 20 lines less two above (title, name) and two below (marks of both axes): rows from 0 to 16, one for each unit.
 * Both bars are in rows 0 to 6, the higher one alone in rows 7 to 12. */
static void test_bars(void)
{
  Picture *p = made_picture("bars", "Bars");
  PicturePanel *panel =
      made_panel(p, "", made_categories("", "a|b"), made_axis("ms", 1, SCALE_LINEAR, 0, 16));
  PictureSeries *s = made_series(panel, MARK_BARS, "", "#0072b2");
  s->x = NUMBERS(0, 1);
  s->low = NUMBERS(0, 0);
  s->high = NUMBERS(6, 12);
  g_autofree char *text = term_text(p, 80, 20);
  made_free(p);
  g_auto(GStrv) rows = g_strsplit(text, "\n", -1);
  unsigned with_one = 0, with_two = 0;
  CHECK_STR(rows[0], "Bars");
  CHECK_STR(rows[1], "ms");
  for (char **row = rows; *row; row++) {
    const char *bar = strchr(*row, '*'), *gap = bar ? strchr(bar, ' ') : NULL;
    bool axis = bar && strchr(*row, '-');
    if (!bar) continue;
    bool both = (gap && strchr(gap, '*')) || axis;
    with_two += both;
    with_one += !both;
  }
  CHECK_INT(with_two, 7);
  CHECK_INT(with_one, 6);
}

/* In the row of its line; two of one row stand side by side.  Upright ones are written at the top. */
static void test_rules(void)
{
  Picture *p = made_picture("rules", "");
  PicturePanel *panel = made_panel(p, "", made_axis("", 1, SCALE_LINEAR, 0, 10),
                                   made_axis("", 1, SCALE_LINEAR, 0, 10));
  made_series(panel, MARK_RULE, "limit", RED)->y = NUMBERS(5);
  made_series(panel, MARK_RULE, "p99", RED)->y = NUMBERS(5.01);
  PictureSeries *s = made_series(panel, MARK_RULE, "", RED);
  s->x = NUMBERS(8);
  s->text = made_words("p50 8 ms");
  g_autofree char *text = term_text(p, 60, 20);
  CHECK(strstr(text, "p99-") && strstr(text, "--limit-\n") && strstr(text, "p50 8 ms:"));
  made_free(p);
}

TEST_MAIN({ "words", test_words }, { "canvas", test_canvas }, { "dotted lines", test_lines },
          { "every mark", test_every_mark }, { "bars", test_bars }, { "rules", test_rules })
