/* Painting with cairo and pango: the only file that knows them; see paint.h. */
/* SPDX-License-Identifier: MIT */
#include "paint.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "png.h"

#define FONT "DejaVu Sans"
#define BASELINE 0.36 /* of the size: from the middle of capitals down to the line they stand on */
#define PDF_DATE "1970-01-01T00:00:00Z"
#define PDF_SCALE (72.0 / 96) /* points of a pixel */

#define RIM 3.0 /* width of the line around letters */

enum { PNG_SCALE = 2, GROUP = 64 }; /* shapes of one colour that make one path */

typedef struct Painter {
  cairo_t *cr;
  PangoLayout *layout;
  PangoFontDescription *font;
  double size; /* of the font */
} Painter;

/* --------------------------------------------------------------------- colours */

static void set_rgb(cairo_t *cr, guint32 rgb, double alpha)
{
  double red = (rgb >> 16 & 255) / 255.0, green = (rgb >> 8 & 255) / 255.0,
         blue = (rgb & 255) / 255.0;
  cairo_set_source_rgba(cr, red, green, blue, alpha > 0 ? alpha : 1);
}

static guint32 color_at(const DisplayMark *m, guint i)
{
  return m->colors && i < m->colors->len ? g_array_index(m->colors, guint32, i) & 0xffffffu
                                         : m->style.rgb;
}

static const double *numbers_of(const DisplayMark *m)
{
  return (const double *)(const void *)m->numbers->data;
}

/* ---------------------------------------------------------------- lines, areas */

static void set_pen(cairo_t *cr, const DrawStyle *style)
{
  static const double dashes[] = { 6, 5 };
  cairo_set_line_width(cr, style->width);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
  cairo_set_dash(cr, dashes, style->dashed ? 2 : 0, 0);
}

/* An area ends where the next one begins. */
static void end_piece(cairo_t *cr, const DrawStyle *style)
{
  if (style->kind == DISPLAY_POLYGONS && cairo_has_current_point(cr)) cairo_close_path(cr);
  cairo_new_sub_path(cr);
}

static void put_corners(cairo_t *cr, const DisplayMark *m)
{
  const double *p = numbers_of(m);
  for (guint i = 0; i + 1 < m->numbers->len; i += 2) {
    if (isfinite(p[i]) && isfinite(p[i + 1]))
      cairo_line_to(cr, p[i], p[i + 1]);
    else
      end_piece(cr, &m->style);
  }
  end_piece(cr, &m->style);
}

static void stroke(cairo_t *cr, const DrawStyle *style, guint32 rgb)
{
  set_rgb(cr, rgb, 1);
  set_pen(cr, style);
  cairo_stroke(cr);
}

static void fill(cairo_t *cr, const DrawStyle *style, guint32 rgb)
{
  set_rgb(cr, rgb, style->alpha);
  if (style->width > 0) {
    cairo_fill_preserve(cr);
    stroke(cr, style, style->own_edge ? rgb : style->edge);
  } else {
    cairo_fill(cr);
  }
}

static void paint_lines(Painter *p, const DisplayMark *m)
{
  put_corners(p->cr, m);
  stroke(p->cr, &m->style, m->style.rgb);
}

static void paint_polygons(Painter *p, const DisplayMark *m)
{
  put_corners(p->cr, m);
  fill(p->cr, &m->style, m->style.rgb);
}

/* Neighbours of one colour at once. */
static void paint_rects(Painter *p, const DisplayMark *m)
{
  const double *r = numbers_of(m);
  guint n = m->numbers->len / 4, in_path = 0;
  for (guint i = 0; i < n; i++, r += 4) {
    if (isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]) && isfinite(r[3])) {
      cairo_rectangle(p->cr, r[0], r[1], r[2] - r[0], r[3] - r[1]);
      in_path++;
    }
    bool last = i + 1 == n || in_path == GROUP || color_at(m, i + 1) != color_at(m, i);
    if (!last || !in_path) continue;
    fill(p->cr, &m->style, color_at(m, i));
    in_path = 0;
  }
}

static void end_discs(cairo_t *cr, const DisplayMark *m, guint32 rgb)
{
  set_rgb(cr, rgb, m->style.alpha);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_line_width(cr, 2 * m->style.radius);
  cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
  cairo_stroke(cr);
}

/* The round ends of lines of no length: in files of vectors a tenth of what circles take. */
static void paint_discs(Painter *p, const DisplayMark *m)
{
  const double *at = numbers_of(m);
  guint n = m->numbers->len / 2, in_path = 0;
  for (guint i = 0; i < n; i++, at += 2) {
    if (isfinite(at[0]) && isfinite(at[1])) {
      cairo_move_to(p->cr, at[0], at[1]);
      cairo_close_path(p->cr);
      in_path++;
    }
    bool last = i + 1 == n || in_path == GROUP || color_at(m, i + 1) != color_at(m, i);
    if (!last || !in_path) continue;
    end_discs(p->cr, m, color_at(m, i));
    in_path = 0;
  }
}

/* ---------------------------------------------------------------------- images */

static cairo_surface_t *cells_of(const DisplayMark *m)
{
  guint across = m->n_across, down = m->colors->len / across;
  cairo_surface_t *cells = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)across, (int)down);
  if (cairo_surface_status(cells)) return cells;
  guint8 *to = cairo_image_surface_get_data(cells);
  for (guint k = 0; k < down; k++)
    memcpy(to + k * (gsize)cairo_image_surface_get_stride(cells),
           &g_array_index(m->colors, guint32, k * across), across * sizeof(guint32));
  cairo_surface_mark_dirty(cells);
  return cells;
}

static void paint_image(Painter *p, const DisplayMark *m)
{
  const double *b = numbers_of(m);
  cairo_surface_t *cells = cells_of(m);
  cairo_save(p->cr);
  cairo_translate(p->cr, b[0], b[1]);
  cairo_scale(p->cr, (b[2] - b[0]) / m->n_across,
              (b[3] - b[1]) / (m->colors->len / (double)m->n_across));
  cairo_set_source_surface(p->cr, cells, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(p->cr), CAIRO_FILTER_NEAREST);
  cairo_paint(p->cr);
  cairo_restore(p->cr);
  cairo_surface_destroy(cells);
}

static void paint_gradient(Painter *p, const DisplayMark *m)
{
  const double *b = numbers_of(m);
  cairo_pattern_t *ramp = cairo_pattern_create_linear(0, b[3], 0, b[1]);
  for (guint i = 0; i < m->colors->len; i++) {
    guint32 rgb = color_at(m, i);
    cairo_pattern_add_color_stop_rgb(ramp, i / (m->colors->len - 1.0), (rgb >> 16 & 255) / 255.0,
                                     (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
  }
  cairo_rectangle(p->cr, b[0], b[1], b[2] - b[0], b[3] - b[1]);
  cairo_set_source(p->cr, ramp);
  cairo_fill(p->cr);
  cairo_pattern_destroy(ramp);
}

/* ----------------------------------------------------------------------- texts */

static void set_size(Painter *p, double size)
{
  if (p->size == size) return;
  p->size = size;
  pango_font_description_set_absolute_size(p->font, size * PANGO_SCALE);
  pango_layout_set_font_description(p->layout, p->font);
}

static void paint_rim(cairo_t *cr, PangoLayoutLine *line)
{
  double x, y;
  cairo_get_current_point(cr, &x, &y);
  pango_cairo_layout_line_path(cr, line);
  set_rgb(cr, 0xffffff, 1);
  cairo_set_dash(cr, NULL, 0, 0);
  cairo_set_line_width(cr, RIM);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke(cr);
  cairo_move_to(cr, x, y);
}

/* All on one line, whatever is in it: never markup. */
static void paint_text(Painter *p, const DisplayMark *m)
{
  set_size(p, m->size);
  pango_layout_set_text(p->layout, m->text, -1);
  PangoLayoutLine *line = pango_layout_get_line_readonly(p->layout, 0);
  PangoRectangle all;
  pango_layout_line_get_extents(line, NULL, &all);
  double width = all.width / (double)PANGO_SCALE;
  cairo_save(p->cr);
  cairo_translate(p->cr, m->x, m->y);
  cairo_rotate(p->cr, -m->turn * G_PI / 180);
  cairo_move_to(p->cr, -width * m->align / 2, BASELINE * m->size);
  if (m->style.rim) paint_rim(p->cr, line);
  set_rgb(p->cr, m->style.rgb, 1);
  pango_cairo_show_layout_line(p->cr, line);
  cairo_restore(p->cr);
}

/* ----------------------------------------------------------------------- pages */

static void paint_mark(Painter *p, const DisplayMark *m)
{
  static void (*const kinds[])(Painter *, const DisplayMark *) = {
    [DISPLAY_LINES] = paint_lines,       [DISPLAY_POLYGONS] = paint_polygons,
    [DISPLAY_RECTS] = paint_rects,       [DISPLAY_DISCS] = paint_discs,
    [DISPLAY_TEXT] = paint_text,         [DISPLAY_IMAGE] = paint_image,
    [DISPLAY_GRADIENT] = paint_gradient,
  };
  const Box *c = &m->clip;
  bool clips = !box_is_empty(c);
  if (clips) {
    cairo_save(p->cr);
    cairo_rectangle(p->cr, c->left, c->top, c->right - c->left, c->bottom - c->top);
    cairo_clip(p->cr);
  }
  cairo_new_path(p->cr);
  kinds[m->style.kind](p, m);
  if (clips) cairo_restore(p->cr);
}

/* Letters are as wide in every size and in every kind of file. */
static void set_even_letters(PangoLayout *layout)
{
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(pango_layout_get_context(layout), options);
  pango_cairo_context_set_resolution(pango_layout_get_context(layout), 96);
  cairo_font_options_destroy(options);
}

/* Without any all texts would be missing. */
static bool has_font(cairo_t *cr)
{
  PangoLayout *layout = pango_cairo_create_layout(cr);
  pango_layout_set_text(layout, "Aa0", -1);
  bool has = !pango_layout_get_unknown_glyphs_count(layout);
  g_object_unref(layout);
  return has;
}

static void paint_page(cairo_t *cr, const Display *d)
{
  Painter p = { .cr = cr,
                .layout = pango_cairo_create_layout(cr),
                .font = pango_font_description_from_string(FONT) };
  set_even_letters(p.layout);
  pango_layout_set_single_paragraph_mode(p.layout, TRUE);
  set_rgb(cr, 0xffffff, 1);
  cairo_paint(cr);
  for (guint i = 0; i < d->marks->len; i++) paint_mark(&p, d->marks->pdata[i]);
  pango_font_description_free(p.font);
  g_object_unref(p.layout);
}

/* ----------------------------------------------------------------------- files */

static cairo_status_t put_bytes(void *out, const unsigned char *bytes, unsigned len)
{
  g_byte_array_append(out, bytes, len);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *pixels_for(const Display *d, GByteArray *io_room)
{
  enum { MOST = 32767 }; /* of cairo */
  double width = d->width * PNG_SCALE, height = d->height * PNG_SCALE;
  if (width > MOST || height > MOST) return cairo_image_surface_create(CAIRO_FORMAT_RGB24, -1, -1);
  int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, (int)width);
  guint size = (guint)stride * (guint)height;
  if (io_room->len < size) g_byte_array_set_size(io_room, size);
  return cairo_image_surface_create_for_data(io_room->data, CAIRO_FORMAT_RGB24, (int)width,
                                             (int)height, stride);
}

static cairo_surface_t *svg_for(const Display *d, GByteArray *out)
{
  cairo_surface_t *svg = cairo_svg_surface_create_for_stream(put_bytes, out, d->width, d->height);
  cairo_svg_surface_set_document_unit(svg, CAIRO_SVG_UNIT_PX);
  return svg;
}

static cairo_surface_t *pdf_for(const Display *d, GByteArray *out)
{
  cairo_surface_t *pdf = cairo_pdf_surface_create_for_stream(put_bytes, out, d->width * PDF_SCALE,
                                                             d->height * PDF_SCALE);
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, PDF_DATE);
  return pdf;
}

static double scale_of_type(PaintType type)
{
  return type == PAINT_PNG ? PNG_SCALE : type == PAINT_PDF ? PDF_SCALE : 1;
}

static void take_png(cairo_surface_t *s, GByteArray *out)
{
  cairo_surface_flush(s);
  g_autoptr(GByteArray) png =
      png_of(cairo_image_surface_get_data(s), (guint)cairo_image_surface_get_width(s),
             (guint)cairo_image_surface_get_height(s), (guint)cairo_image_surface_get_stride(s));
  g_byte_array_append(out, png->data, png->len);
}

static guint place_of(GArray *numbers, guint64 number)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index(numbers, guint64, i) == number) return i;
  g_array_append_val(numbers, number);
  return numbers->len - 1;
}

/* In the order in which they come, instead of how many surfaces the process has had. */
static const char *even_name(GArray *seen, const char *digits, GString *out)
{
  char *end;
  guint64 number = g_ascii_strtoull(digits, &end, 10);
  g_string_append_printf(out, "%u", place_of(seen, number) + 1);
  return end;
}

static bool begins_name(const char *at, const char **out_digits)
{
  static const char *const names[] = { "\"surface", "#surface",  "\"image",
                                       "#image",    "\"source-", "#source-" };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    *out_digits = at + strlen(names[i]);
    if (g_str_has_prefix(at, names[i]) && g_ascii_isdigit(**out_digits)) return true;
  }
  return false;
}

/* Cells stay cells where a viewer makes them larger: cairo says nothing about it. */
#define IMAGE "<image "
#define SHARP IMAGE "style=\"image-rendering:pixelated\" "

static void make_even(GByteArray *io_svg)
{
  g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_autoptr(GString) out = g_string_sized_new(io_svg->len);
  g_byte_array_append(io_svg, (const guint8 *)"", 1);
  for (const char *at = (const char *)io_svg->data; *at;) {
    const char *digits;
    if ((*at == '"' || *at == '#') && begins_name(at, &digits)) {
      g_string_append_len(out, at, digits - at);
      at = even_name(seen, digits, out);
    } else if (*at == '<' && g_str_has_prefix(at, IMAGE)) {
      g_string_append(out, SHARP);
      at += strlen(IMAGE);
    } else {
      g_string_append_c(out, *at++);
    }
  }
  g_byte_array_set_size(io_svg, 0);
  g_byte_array_append(io_svg, (const guint8 *)out->str, (guint)out->len);
}

/* Who cannot see the picture is told what it is. */
static void put_title(GByteArray *io_svg, const char *title)
{
  const char *bytes = (const char *)io_svg->data, *tag = g_strstr_len(bytes, io_svg->len, "<svg"),
             *end = tag ? memchr(tag, '>', io_svg->len - (gsize)(tag - bytes)) : NULL;
  if (!end) return;
  g_autofree char *text = g_markup_escape_text(title, -1);
  g_autofree char *element = g_strdup_printf("\n<title>%s</title>", text);
  gsize head = (gsize)(end + 1 - bytes);
  g_autoptr(GByteArray) rest = g_byte_array_new();
  g_byte_array_append(rest, io_svg->data + head, io_svg->len - (guint)head);
  g_byte_array_set_size(io_svg, (guint)head);
  g_byte_array_append(io_svg, (const guint8 *)element, (guint)strlen(element));
  g_byte_array_append(io_svg, rest->data, rest->len);
}

bool paint_is_there(void) { return true; }

/* What was painted is in `out`; the surface goes.  NULL, or why there is none. */
static const char *paint_on(cairo_surface_t *surface, const Display *d, PaintType type,
                            GByteArray *out)
{
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, scale_of_type(type), scale_of_type(type));
  bool with_font = !cairo_status(cr) && has_font(cr);
  if (with_font) paint_page(cr, d);
  cairo_status_t status = cairo_status(cr);
  cairo_destroy(cr);
  if (!status && type == PAINT_PNG) take_png(surface, out);
  cairo_surface_finish(surface);
  if (!status) status = cairo_surface_status(surface);
  cairo_surface_destroy(surface);
  if (status) return cairo_status_to_string(status);
  return with_font ? NULL : "no font is installed: apt-get install fonts-dejavu-core";
}

GByteArray *paint(const Display *d, PaintType type, const char *title, GByteArray *io_room,
                  char **out_why)
{
  GByteArray *out = g_byte_array_new();
  cairo_surface_t *surface = type == PAINT_PNG   ? pixels_for(d, io_room)
                             : type == PAINT_SVG ? svg_for(d, out)
                                                 : pdf_for(d, out);
  const char *why = paint_on(surface, d, type, out);
  if (why) {
    *out_why = g_strdup(why);
    g_byte_array_unref(out);
    return NULL;
  }
  if (type == PAINT_SVG) make_even(out), put_title(out, title);
  return out;
}
