/* Where texts stand in a picture, and that what is narrow is seen: point-texts.c, page.c, marks.c */
/* SPDX-License-Identifier: MIT */
#include "kit/display/words.h"
#include "gallery-test.h"

static PicturePanel *add_panel(Picture *p, const char *title)
{
  return made_panel(p, title, made_axis("", 1, SCALE_LINEAR, 0, 10),
                    made_axis("", 1, SCALE_LINEAR, 0, 10));
}

static Display *points_display(const double *x, const double *y, const char *texts)
{
  Picture *p = made_picture("points", "");
  PictureSeries *s = made_series(add_panel(p, ""), MARK_POINTS, "", BLUE);
  s->x = made_numbers(x);
  s->y = made_numbers(y);
  s->text = made_words(texts);
  Display *d = display_of(p);
  made_free(p);
  return d;
}

/* Six at one place: each of its four corners has one, two have none. */
static void test_corners(void)
{
  static const double at[] = { 5, 5, 5, 5, 5, 5, MADE_END };
  g_autoptr(Display) d = points_display(at, at, "pt0|pt1|pt2|pt3|pt4|pt5");
  const DisplayMark *dot = made_mark(d, DISPLAY_DISCS, BLUE, 0);
  double x = made_number(dot, 0), y = made_number(dot, 1);
  CHECK_INT(made_count_texts(d, "pt"), 4);
  static const struct {
    const char *text;
    DisplayAlign align;
    double x, y;
  } rows[] = { { "pt0", ALIGN_LEFT, 5, -9 },
               { "pt1", ALIGN_RIGHT, -5, -9 },
               { "pt2", ALIGN_LEFT, 5, 9 },
               { "pt3", ALIGN_RIGHT, -5, 9 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    const DisplayMark *m = made_text(d, rows[i].text);
    CHECK(m && m->align == rows[i].align && m->x == x + rows[i].x && m->y == y + rows[i].y);
  }
}

/* Texts of the points, at their upper right corners. */
static guint count_upper_right(const Display *d)
{
  const DisplayMark *dots = made_mark(d, DISPLAY_DISCS, BLUE, 0);
  guint n = 0;
  for (guint i = 0; dots && i < dots->numbers->len / 2; i++) {
    g_autofree char *name = g_strdup_printf("pt%u", i);
    const DisplayMark *m = made_text(d, name);
    n += m && m->x == made_number(dots, 2 * i) + 5 && m->y == made_number(dots, 2 * i + 1) - 9;
  }
  return n;
}

static void test_apart(void)
{
  static const double x[] = { 2, 5, 8, MADE_END }, y[] = { 5, 5, 5, MADE_END };
  g_autoptr(Display) d = points_display(x, y, "pt0|pt1|pt2");
  CHECK_INT(count_upper_right(d), 3);
}

/* Above the panel, in nobody's way: right below the upper end a text is above its point. */
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
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *dot = made_mark(d, DISPLAY_DISCS, BLUE, 0), *text = made_text(d, "pt");
  CHECK(text && text->x == made_number(dot, 0) + 5 && text->y == made_number(dot, 1) - 9);
  const DisplayMark *note = made_text(d, "a note");
  CHECK(note && note->align == ALIGN_RIGHT && note->y + 7 < made_number(dot, 1) - 9 - 7);
  made_free(p);
}

/* ------------------------------------------------------------------- rules, bars */

static Display *rules_display(const double *y, const char *const *names, guint n)
{
  Picture *p = made_picture("rules", "");
  PicturePanel *panel = add_panel(p, "");
  for (guint i = 0; i < n; i++) {
    PictureSeries *s = made_series(panel, MARK_RULE, names[i], RED);
    s->y = NUMBERS(y[i]);
  }
  Display *d = display_of(p);
  made_free(p);
  return d;
}

/* Above its line; where another line runs there, below its own; where both are taken, at the other end. */
static void test_level_rules(void)
{
  static const double y[] = { 5, 5.2, 5.1 };
  static const char *const names[] = { "p50", "p99", "limit" };
  g_autoptr(Display) d = rules_display(y, names, 3);
  const DisplayMark *p50 = made_text(d, "p50"), *p99 = made_text(d, "p99"),
                    *limit = made_text(d, "limit");
  double line = made_number(made_mark(d, DISPLAY_LINES, RED, 0), 1);
  if (!CHECK(p50 && p99 && limit)) return;
  CHECK(p50->y == line + 9 && p50->align == ALIGN_RIGHT && p50->style.rim);
  CHECK(p99->y < line && p99->align == ALIGN_RIGHT && p99->style.rim);
  CHECK(limit->align == ALIGN_LEFT);
}

/* Both at the upper edge, in rows of their own: on the side that has more room, or where no other line runs. */
static void test_upright_rules(void)
{
  Picture *p = made_picture("rules", "");
  PictureSeries *s = made_series(add_panel(p, ""), MARK_RULE, "", RED);
  s->x = NUMBERS(6, 6.1);
  s->text = made_words("p50 6|p99 6.1");
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *p50 = made_text(d, "p50"), *p99 = made_text(d, "p99");
  CHECK(p50 && p99 && p50->align == ALIGN_RIGHT && p99->align == ALIGN_LEFT);
  CHECK(p50 && p99 && p99->y == p50->y + 16 && p99->style.rim);
  made_free(p);
}

/* Of two bars side by side the lower one has no room for a text that would lie on the other one. */
static void test_texts_of_bars(void)
{
  static const double heights[] = { 2, 8 };
  static const char *const texts[] = { "123456789012", "8 ms" };
  Picture *p = made_picture("bars", "");
  PicturePanel *panel = made_panel(p, "", made_categories("", "a|b|c|d|e|f|g"),
                                   made_axis("", 1, SCALE_LINEAR, 0, 10));
  for (guint k = 0; k < 2; k++) {
    PictureSeries *s = made_series(panel, MARK_BARS, "", k ? RED : BLUE);
    s->slot = k;
    s->n_slots = 2;
    s->x = NUMBERS(0);
    s->low = NUMBERS(0);
    s->high = made_numbers((const double[]){ heights[k], MADE_END });
    s->text = made_words(texts[k]);
  }
  g_autoptr(Display) d = display_of(p);
  CHECK_INT(made_count_texts(d, "123456789012"), 0);
  const DisplayMark *bar = made_mark(d, DISPLAY_RECTS, RED, 0), *text = made_text(d, "8 ms");
  CHECK(text && text->y == made_number(bar, 1) - 9);
  made_free(p);
}

/* Where it covers what: of texts that lie level. */
static Box text_box(const DisplayMark *m)
{
  double width = words_width(m->text, m->size), left = m->x - width * m->align / 2,
         half = m->size * 0.4;
  return (Box){ left, m->y - half, left + width, m->y + half };
}

static bool overlap(const Box *a, const Box *b)
{
  return a->left + 1 < b->right && b->left + 1 < a->right && a->top < b->bottom &&
         b->top < a->bottom;
}

static const char *first_overlap(const Display *d)
{
  for (guint i = 0; i < d->marks->len; i++) {
    const DisplayMark *m = d->marks->pdata[i];
    if (!m->text || m->turn != 0 || !*m->text) continue;
    Box box = text_box(m);
    for (guint k = 0; k < i; k++) {
      const DisplayMark *other = d->marks->pdata[k];
      if (!other->text || other->turn != 0 || !*other->text) continue;
      Box there = text_box(other);
      if (overlap(&box, &there)) return m->text;
    }
  }
  return NULL;
}

static void test_no_text_covers_another_one(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(gallery); i++) {
    Picture *p = gallery[i]();
    g_autoptr(Display) d = display_of(p);
    const char *text = first_overlap(d);
    if (!CHECK(text == NULL)) fprintf(stderr, "%s: %s\n", p->name, text);
    made_free(p);
  }
}

/* At the edge to the inner side; what fits nowhere loses its middle. */
static void test_edges(void)
{
  static const double x[] = { 10, 5, MADE_END }, y[] = { 8, 2, MADE_END };
  g_autofree char *longest = g_strnfill(300, 'k'), *texts = g_strdup_printf("edge|%s", longest);
  g_autoptr(Display) d = points_display(x, y, texts);
  const DisplayMark *edge = made_text(d, "edge");
  CHECK(edge && edge->align == ALIGN_RIGHT);
  CHECK_INT(made_count_texts(d, longest), 0);
  CHECK_INT(made_count_texts(d, "kkk\xe2\x80\xa6kkk"), 1);
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
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *wide = made_mark(d, DISPLAY_RECTS, BLUE, 0),
                    *thin = made_mark(d, DISPLAY_RECTS, BLUE, 1);
  CHECK(wide && thin && wide->numbers->len == 4 && thin->numbers->len == 4);
  double tenth = made_number(wide, 2) - made_number(wide, 0), least = 1e4 / 2400 / 1000;
  CHECK(fabs(made_number(thin, 2) - made_number(thin, 0) - tenth * least) < 1e-6);
  CHECK(wide->style.edge == 0xffffff && !wide->style.own_edge);
  CHECK(thin->style.own_edge && thin->style.width == 1);
  made_free(p);
}

static void test_legend_title(void)
{
  Picture *p = made_picture("legend", "");
  add_panel(p, "");
  made_key(p, "prefill", BLUE);
  p->legend_title = g_strdup("Phase 'x'");
  g_autoptr(Display) d = display_of(p);
  const DisplayMark *title = made_text(d, "Phase 'x':"), *key = made_text(d, "prefill");
  CHECK(title && key && title->x < key->x && title->y == key->y);
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
  g_autoptr(Display) d = display_of(p);
  guint n_swatches = 0;
  while (made_mark(d, DISPLAY_RECTS, BLUE, n_swatches)) n_swatches++;
  CHECK_INT(made_count_texts(d, "Phase:"), 1);
  CHECK(n_swatches > 10 && made_count_texts(d, "a rather long name") == n_swatches);
  CHECK_INT(made_count_texts(d, " more"), 1);
  made_free(p);
}

/* Titles of panels end where the next one begins. */
static void test_panel_titles(void)
{
  Picture *p = made_picture("panels", "");
  g_autofree char *longest = g_strnfill(60, 'w');
  p->n_columns = 3;
  for (int i = 0; i < 3; i++) add_panel(p, longest);
  g_autoptr(Display) d = display_of(p);
  CHECK_INT(made_count_texts(d, "www\xe2\x80\xa6www"), 3);
  made_free(p);
}

TEST_MAIN({ "corners", test_corners }, { "apart", test_apart }, { "edges", test_edges },
          { "note", test_note }, { "thin intervals", test_thin_intervals },
          { "level rules", test_level_rules }, { "upright rules", test_upright_rules },
          { "texts of bars", test_texts_of_bars },
          { "no text covers another one", test_no_text_covers_another_one },
          { "title of a legend", test_legend_title }, { "long legend", test_long_legend },
          { "titles of panels", test_panel_titles })
