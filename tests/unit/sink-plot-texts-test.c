/* Where texts stand in a picture, and that what is narrow is seen: point-texts.c, page.c, marks.c */
#include "sink-plot-gallery.h"

static guint count(const char *text, const char *part)
{
  guint n = 0;
  for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) n++;
  return n;
}

static PicturePanel *add_panel(Picture *p, const char *title)
{
  return made_panel(p, title, made_axis("", 1, SCALE_LINEAR, 0, 10),
                    made_axis("", 1, SCALE_LINEAR, 0, 10));
}

static GString *points_script(const double *x, const double *y, const char *texts)
{
  Picture *p = made_picture("points", "");
  PictureSeries *s = made_series(add_panel(p, ""), MARK_POINTS, "", BLUE);
  s->x = made_numbers(x);
  s->y = made_numbers(y);
  s->text = made_words(texts);
  GString *script = script_of(p, PLOT_SVG, NULL);
  made_free(p);
  return script;
}

/* Six at one place: each of its four corners has one, two have none. */
static void test_corners(void)
{
  static const double at[] = { 5, 5, 5, 5, 5, 5, MADE_END };
  g_autoptr(GString) script = points_script(at, at, "pt0|pt1|pt2|pt3|pt4|pt5");
  CHECK_INT(count(script->str, "'pt"), 4);
  CHECK(strstr(script->str, "'pt0' at first 5.0, first 5.0 left "));
  CHECK(strstr(script->str, "'pt1' at first 5.0, first 5.0 right "));
  CHECK_INT(count(script->str, "offset character 0.6, 0.6\n"), 1);
  CHECK_INT(count(script->str, "offset character -0.6, 0.6\n"), 1);
  CHECK_INT(count(script->str, "offset character 0.6, -0.6\n"), 1);
  CHECK_INT(count(script->str, "offset character -0.6, -0.6\n"), 1);
}

static void test_apart(void)
{
  static const double x[] = { 2, 5, 8, MADE_END }, y[] = { 5, 5, 5, MADE_END };
  g_autoptr(GString) script = points_script(x, y, "pt0|pt1|pt2");
  CHECK_INT(count(script->str, "offset character 0.6, 0.6\n"), 3);
}

/* Right below the upper end the note stands: the text is below its point. */
static void test_note(void)
{
  static const double x[] = { 9, MADE_END }, y[] = { 9.7, MADE_END };
  Picture *p = made_picture("points", "");
  PicturePanel *panel = add_panel(p, "");
  PictureSeries *s = made_series(panel, MARK_POINTS, "", BLUE);
  panel->note = g_strdup("a note of some length, so that it is in the way");
  s->x = made_numbers(x);
  s->y = made_numbers(y);
  s->text = made_words("pt");
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  CHECK(strstr(script->str, "offset character 0.6, -0.6\n"));
  made_free(p);
}

/* At the edge to the inner side; what fits nowhere loses its middle. */
static void test_edges(void)
{
  static const double x[] = { 10, 5, MADE_END }, y[] = { 8, 2, MADE_END };
  g_autofree char *longest = g_strnfill(300, 'k'), *texts = g_strdup_printf("edge|%s", longest);
  g_autoptr(GString) script = points_script(x, y, texts);
  CHECK(strstr(script->str, "'edge' at first 10.0, first 8.0 right "));
  CHECK(!strstr(script->str, longest));
  CHECK_INT(count(script->str, "kkk\xe2\x80\xa6kkk"), 1);
}

/* Of nothing in 10,000 a 2,400th is drawn: an edge in white would hide it. */
static void test_thin_intervals(void)
{
  static const double x[] = { 1000, 5000, MADE_END }, end[] = { 1000, 6000, MADE_END },
                      y[] = { 0, 0, MADE_END };
  Picture *p = made_picture("intervals", "");
  PicturePanel *panel =
      made_panel(p, "", made_axis("", 1, SCALE_LINEAR, 0, 1e4), made_categories("", "a"));
  PictureSeries *s = made_series(panel, MARK_INTERVALS, "", BLUE);
  s->x = made_numbers(x);
  s->x_high = made_numbers(end);
  s->y = made_numbers(y);
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  const char *wide = strstr(script->str, "$d1 << END\n5000.0"),
             *thin = strstr(script->str, "$d2 << END\n1000.0");
  CHECK(wide && thin && strstr(thin, "\t1004.166"));
  CHECK_INT(count(script->str, "border rgb '#ffffff' fc rgb '" BLUE "'"), 1);
  CHECK(strstr(script->str,
               "$d2 using 1:2:3:4:5:6 with boxxyerror fs solid border fc rgb '" BLUE "' lw 1 "));
  made_free(p);
}

static void test_legend_title(void)
{
  Picture *p = made_picture("legend", "");
  add_panel(p, "");
  made_key(p, "prefill", BLUE);
  p->legend_title = g_strdup("Phase 'x'");
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  const char *title = strstr(script->str, "'Phase ''x'':' at screen"),
             *key = strstr(script->str, "'prefill' at screen");
  CHECK(title && key && title < key);
  made_free(p);
}

/* Many names stand at the right, below their title. */
static void test_long_legend(void)
{
  Picture *p = made_picture("legend", "");
  add_panel(p, "");
  for (int i = 0; i < 40; i++) {
    g_autofree char *name = g_strdup_printf("a rather long name of a key %d", i);
    made_key(p, name, BLUE);
  }
  p->legend_title = g_strdup("Phase");
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  CHECK_INT(count(script->str, "'Phase:' at screen"), 1);
  CHECK(count(script->str, "'a rather long name") == count(script->str, " rectangle from"));
  CHECK_INT(count(script->str, " more' at screen"), 1);
  made_free(p);
}

/* Titles of panels end where the next one begins. */
static void test_panel_titles(void)
{
  Picture *p = made_picture("panels", "");
  g_autofree char *longest = g_strnfill(60, 'w');
  p->n_columns = 3;
  for (int i = 0; i < 3; i++) add_panel(p, longest);
  g_autoptr(GString) script = script_of(p, PLOT_SVG, NULL);
  CHECK_INT(count(script->str, "www\xe2\x80\xa6www"), 3);
  made_free(p);
}

TEST_MAIN({ "corners", test_corners }, { "apart", test_apart }, { "edges", test_edges },
          { "note", test_note }, { "thin intervals", test_thin_intervals },
          { "title of a legend", test_legend_title }, { "long legend", test_long_legend },
          { "titles of panels", test_panel_titles })
