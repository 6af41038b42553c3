/* Scripts for gnuplot; see script.h.
 *
 * Text from inputs stands in single quotes only, where nothing has a meaning, and never names a file: data are
 * blocks of numbers. */
#include "script.h"

#include <math.h>

#include "draw.h"
#include "ticks.h"
#include "words.h"

#define COLOR_TEXT "#222222"
#define COLOR_QUIET "#777777"
#define COLOR_AXIS "#888888"
#define COLOR_GRID "#e4e4e4"

enum { GAP = 8, PNG_SCALE = 2, BAR_WIDTH = 16, TICK_LENGTH = 5 };

const char *script_ending(PlotType type)
{
  static const char *const endings[] = { "png", "svg", "pdf", "txt" };
  return endings[type];
}

/* ---------------------------------------------------------------- terminal */

static void put_terminal(GString *out, const Page *page)
{
  switch (page->type) {
  case PLOT_PNG:
    g_string_append_printf(
        out,
        "set terminal pngcairo noenhanced size %.0f,%.0f fontscale %d linewidth %d "
        "pointscale %d font 'DejaVu Sans,%.4g' background rgb '#ffffff'\n",
        page->width * PNG_SCALE, page->height * PNG_SCALE, PNG_SCALE, PNG_SCALE, PNG_SCALE,
        draw_points(page, SIZE_TICK));
    break;
  case PLOT_SVG:
    g_string_append_printf(
        out,
        "set terminal svg noenhanced size %.0f,%.0f dynamic font 'DejaVu Sans,%.4g' "
        "background rgb '#ffffff'\n",
        page->width, page->height, draw_points(page, SIZE_TICK));
    break;
  case PLOT_DUMB:
    g_string_append_printf(out, "set terminal dumb noenhanced mono size %.0f,%.0f\n",
                           page->width + 1, page->height + 1);
    break;
  default: /* 96 pixels are an inch */
    g_string_append_printf(
        out,
        "set terminal pdfcairo noenhanced size %.4fin,%.4fin fontscale 1 linewidth 1 "
        "font 'DejaVu Sans,%.4g' background rgb '#ffffff'\n",
        page->width / 96, page->height / 96, draw_points(page, SIZE_TICK));
  }
}

/* Nothing that a user or the system has set up shows. */
void script_put_begin(GString *out, const Page *page)
{
  put_terminal(out, page);
  g_string_append(out, "set encoding utf8\n"
                       "set datafile separator tab\n"
                       "set datafile commentschars ''\n"
                       "set decimalsign '.'\n"
                       "unset key\n"
                       "unset title\n"
                       "unset colorbox\n"
                       "set style fill solid\n"
                       "set errorbars small\n"
                       "set multiplot\n");
}

/* -------------------------------------------------------------------- labels */

static void put_page_label(GString *out, const Page *page, const char *text, double x, double y,
                           const char *how, double size, const char *color)
{
  g_string_append(out, "set label ");
  words_put(out, text);
  g_string_append_printf(out,
                         " at screen %.6f, screen %.6f %s front font ',%.4g' textcolor rgb '%s'\n",
                         page_x(page, x), page_y(page, y), how, draw_points(page, size), color);
}

/* Cleaned, and cut to what there is of room. */
static void put_text(GString *out, const Page *page, const char *text, double x, double y,
                     const char *how, double size, double room, const char *color)
{
  if (!text || !*text) return;
  g_autofree char *clean = words_clean(page->fonts, text), *cut = words_cut(clean, size, room);
  put_page_label(out, page, cut, x, y, how, size, color);
}

static void put_swatch(GString *out, const Page *page, const Swatch *s, unsigned number)
{
  double side = 6.5;
  if (s->key)
    g_string_append_printf(
        out,
        "set object %u rectangle from screen %.6f, screen %.6f to screen %.6f, screen %.6f front "
        "fc rgb '#%06x' fs solid noborder\n",
        number, page_x(page, s->x), page_y(page, s->y + side), page_x(page, s->x + 2 * side),
        page_y(page, s->y - side), draw_rgb(s->key->color));
  put_page_label(out, page, s->text, s->x + 20, s->y, "left", SIZE_TICK, COLOR_TEXT);
}

static void put_page_texts(GString *out, const Page *page)
{
  const Picture *p = page->picture;
  double room = page->width - 2 * PAGE_EDGE, foot = page->height - 14;
  put_text(out, page, p->title, PAGE_EDGE, PAGE_EDGE + 8, "left", SIZE_TITLE, room, COLOR_TEXT);
  put_text(out, page, p->footer, page->width - PAGE_EDGE, foot, "right", SIZE_FOOTER, room,
           COLOR_QUIET);
  if (p->left_out && *p->left_out)
    put_text(out, page, p->left_out, PAGE_EDGE, foot - SIZE_FOOTER - GAP, "left", SIZE_SMALL, room,
             COLOR_QUIET);
  for (guint i = 0; i < page->swatches->len; i++)
    put_swatch(out, page, &g_array_index(page->swatches, Swatch, i), i + 1);
}

/* ---------------------------------------------------------------------- axes */

/* What is drawn at the upper end of boxes needs some room. */
static bool has_counts(const PicturePanel *p)
{
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if ((s->mark == MARK_BOXES || s->mark == MARK_VIOLINS) && s->n) return true;
  }
  return false;
}

static bool has_bar_texts(const PicturePanel *p)
{
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if (s->mark == MARK_BARS && s->text) return true;
  }
  return false;
}

/* Each has its text in a row above what is drawn. */
static guint n_rules_down(const PicturePanel *p)
{
  guint n = 0;
  for (guint i = 0; i < p->series->len; i++) {
    const PictureSeries *s = p->series->pdata[i];
    if (s->mark == MARK_RULE) n += draw_n(s->x);
  }
  return n;
}

static double widened(const PictureAxis *a, double low, double high, double part)
{
  return ticks_is_log(a) && low > 0 ? high * pow(high / low, part) : high + (high - low) * part;
}

static void put_range(GString *out, char name, const PictureAxis *a, bool turned, double more)
{
  double low = ticks_scaled(a, a->low), high = ticks_scaled(a, a->high);
  double less = more > 0 && low < 0 ? more : 0;
  if (more > 0) high = widened(a, low, high, more);
  if (less > 0) low -= (high - low) * less;
  if (ticks_is_log(a)) { /* a mark at the very end of such an axis may else be lost */
    low *= 1 - 1e-9;
    high *= 1 + 1e-9;
  }
  bool down = a->down != turned;
  g_string_append_printf(out, "unset logscale %c\nset %crange [", name, name);
  draw_number(out, down ? high : low);
  g_string_append_c(out, ':');
  draw_number(out, down ? low : high);
  g_string_append(out, "]\n");
  if (ticks_is_log(a))
    g_string_append_printf(out, "set logscale %c %d\n", name, a->scale == SCALE_LOG ? 10 : 2);
}

static void put_tick(GString *out, const Tick *t, bool bare, bool *io_any)
{
  g_string_append(out, *io_any ? ", " : "");
  *io_any = true;
  words_put_tick(out, t->text && !bare ? t->text : "");
  g_string_append_c(out, ' ');
  draw_number(out, t->at);
  if (!t->text) g_string_append(out, " 1");
}

static void put_ticks(GString *out, const Page *page, const char *name, const GArray *ticks,
                      const char *how, bool bare)
{
  bool any = false;
  if (!ticks->len) {
    g_string_append_printf(out, "unset %stics\n", name);
    return;
  }
  g_string_append_printf(out, "set %stics %s font ',%.4g' textcolor rgb '" COLOR_TEXT "' (", name,
                         how, draw_points(page, SIZE_TICK));
  for (guint i = 0; i < ticks->len; i++) put_tick(out, &g_array_index(ticks, Tick, i), bare, &any);
  g_string_append(out, ")\n");
}

static bool is_area(const PicturePanel *p)
{
  const PictureSeries *s = p->series->len ? p->series->pdata[0] : NULL;
  return s && (s->mark == MARK_CELLS || s->mark == MARK_FIELD);
}

static void put_grid(GString *out, const Page *page, const Tile *t)
{
  bool area = is_area(t->panel);
  bool x = t->across->scale != SCALE_CATEGORIES && !area,
       y = t->up->scale != SCALE_CATEGORIES && !area;
  g_string_append_printf(out, "set border %d back lw 0.8 lc rgb '" COLOR_AXIS "'\n", area ? 15 : 3);
  g_string_append(out, "unset grid\n");
  if (page->type != PLOT_DUMB && (x || y))
    g_string_append_printf(out, "set grid %s %s back lt 1 lw 0.6 lc rgb '" COLOR_GRID "'\n",
                           x ? "xtics" : "noxtics", y ? "ytics" : "noytics");
}

static void put_axes(GString *out, const Page *page, const Tile *t)
{
  bool sideways = t->panel->sideways, area = is_area(t->panel);
  double more = has_counts(t->panel)      ? 0.09
                : has_bar_texts(t->panel) ? 0.06
                                          : fmin(0.06 * n_rules_down(t->panel), 0.24);
  const char *scale = area ? "scale 0" : "scale 0.5, 0.25";
  g_autofree char *across =
      g_strdup_printf("nomirror out %s %s", scale, t->turned ? "rotate by 40 right" : "norotate");
  g_autofree char *up = g_strdup_printf("nomirror out %s norotate", scale);
  put_range(out, 'x', t->across, false, sideways ? more : 0);
  put_range(out, 'y', t->up, sideways, sideways ? 0 : more);
  put_ticks(out, page, "x", t->across_ticks, across, false);
  put_ticks(out, page, "y", t->up_ticks, up, t->bare);
  put_grid(out, page, t);
}

static void put_axis_labels(GString *out, const Page *page, const Tile *t)
{
  const Box *b = &t->plot;
  double x = (b->left + b->right) / 2, y = (b->top + b->bottom) / 2;
  double width = b->right - b->left + 60, height = b->bottom - b->top + 60;
  put_text(out, page, t->across->label, x, b->bottom + t->across_height + 2.5 * GAP + 4, "center",
           SIZE_LABEL, width, COLOR_TEXT);
  if (!t->bare)
    put_text(out, page, t->up->label, b->left - t->up_width - 2 * GAP - SIZE_LABEL / 2.0 - 3, y,
             "center rotate by 90", SIZE_LABEL, height, COLOR_TEXT);
  double room = page->tiles->len > 1 ? b->right - b->left + GAP : width; /* others are beside it */
  put_text(out, page, t->panel->title, x, b->top - GAP - 5, "center", SIZE_PANEL, room, COLOR_TEXT);
}

/* In the corner where it hides least: the upper right one. */
static void put_note(GString *out, const Page *page, const Tile *t)
{
  if (!t->panel->note || !*t->panel->note) return;
  put_text(out, page, t->panel->note, t->plot.right - GAP, t->plot.top + GAP + 4, "right",
           SIZE_SMALL, t->plot.right - t->plot.left - 2 * GAP, "#444444");
}

/* Texts of points stand elsewhere. */
static void keep_note_free(GArray *io_texts, const Page *page, const Tile *t)
{
  if (!t->panel->note || !*t->panel->note) return;
  g_autofree char *clean = words_clean(page->fonts, t->panel->note);
  double right = t->plot.right - t->plot.left, top = t->plot.bottom - t->plot.top;
  Box note = { right - GAP - words_width(clean, SIZE_SMALL), top, right, top - 2 * GAP - 3 };
  g_array_append_val(io_texts, note);
}

/* ----------------------------------------------------------------- colour bars */

static void put_palette(GString *out, const Page *page, const PictureColorBar *bar)
{
  const PictureAxis *a = &bar->axis;
  g_autoptr(GArray) ticks = ticks_of(a, PAGE_BAR_TICKS);
  g_string_append(out, "set palette ");
  palette_put(out, bar->palette);
  g_string_append_c(out, '\n');
  g_string_append(out, "unset logscale cb\nset cbrange [");
  draw_number(out, ticks_scaled(a, a->low));
  g_string_append_c(out, ':');
  draw_number(out, ticks_scaled(a, a->high));
  g_string_append(out, "]\n");
  if (ticks_is_log(a))
    g_string_append_printf(out, "set logscale cb %d\n", a->scale == SCALE_LOG ? 10 : 2);
  put_ticks(out, page, "cb", ticks, "scale 0.3", false);
}

static void put_bar(GString *out, const Page *page, const PictureColorBar *bar, const Box *b)
{
  double label_x = b->left + page_bar_width(bar) - GAP - SIZE_LABEL;
  g_string_append_printf(
      out,
      "set colorbox user origin screen %.6f, screen %.6f size screen %.6f, screen %.6f noborder\n",
      page_x(page, b->left), page_y(page, b->bottom), (b->right - b->left) / page->width,
      (b->bottom - b->top) / page->height);
  put_text(out, page, bar->axis.label, label_x, (b->top + b->bottom) / 2, "center rotate by 90",
           SIZE_LABEL, b->bottom - b->top + 60, COLOR_TEXT);
}

static void put_color(GString *out, const Page *page, const Tile *t, guint index)
{
  g_string_append(out, "unset colorbox\n");
  if (!t->has_bar) return;
  put_palette(out, page, t->panel->color);
  Box own = { t->plot.right + 2 * GAP, t->plot.top, t->plot.right + 2 * GAP + BAR_WIDTH,
              t->plot.bottom };
  if (!page->shared_bar)
    put_bar(out, page, t->panel->color, &own);
  else if (index == 0)
    put_bar(out, page, t->panel->color, &page->bar);
}

/* -------------------------------------------------------------------- panels */

static void put_margins(GString *out, const Page *page, const Box *b)
{
  g_string_append_printf(out,
                         "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
                         "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                         page_x(page, b->left), page_x(page, b->right), page_y(page, b->top),
                         page_y(page, b->bottom));
}

void script_put_frame(GString *out, const Page *page, const Tile *t)
{
  put_margins(out, page, &t->plot);
  put_axes(out, page, t);
}

void script_put_plot(GString *out, const Draw *d)
{
  g_string_append_len(out, d->blocks->str, (gssize)d->blocks->len);
  g_string_append_len(out, d->labels->str, (gssize)d->labels->len);
  g_string_append_printf(out, "plot %s\n", d->clauses->len ? d->clauses->str : "NaN notitle");
}

static void put_panel(GString *out, const Page *page, guint index, unsigned *io_blocks)
{
  const Tile *t = &g_array_index(page->tiles, Tile, index);
  g_autoptr(GString) blocks = g_string_new(NULL), clauses = g_string_new(NULL),
                     labels = g_string_new(NULL), data = g_string_new(NULL);
  g_autoptr(GArray) texts = g_array_new(FALSE, FALSE, sizeof(Box));
  Draw d = { page, t, t->panel, *io_blocks, blocks, clauses, labels, data, texts };
  g_string_append(out, "\nunset label\nunset object\n");
  if (index == 0) put_page_texts(out, page);
  script_put_frame(out, page, t);
  put_axis_labels(out, page, t);
  put_color(out, page, t, index);
  keep_note_free(texts, page, t);
  draw_marks(&d);
  put_note(labels, page, t);
  *io_blocks = d.n_blocks;
  script_put_plot(out, &d);
}

GString *script_of(const Picture *p, PlotType type, const Fonts *fonts)
{
  GString *out = g_string_new(NULL);
  unsigned n_blocks = 0;
  Page page;
  page_init(&page, p, type, type == PLOT_SVG ? NULL : fonts);
  script_put_begin(out, &page);
  for (guint i = 0; i < page.tiles->len; i++) put_panel(out, &page, i, &n_blocks);
  g_string_append(out, "\nunset multiplot\n");
  page_clear(&page);
  return out;
}
