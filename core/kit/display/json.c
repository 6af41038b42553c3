/* A display list as JSON text; see display.h.  What is not said is 0 or no. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/json-write.h"
#include "kit/display/display.h"

static void put_rounded(JsonWriter *w, const char *key, double v)
{
  double tenths = round(v * 10);
  if (isfinite(v) && fmod(tenths, 10) == 0)
    json_put_int(w, key, (int64_t)(tenths / 10)); /* without a fraction, and no "-0" */
  else
    json_put_real(w, key, tenths / 10);
}

static void put_color(JsonWriter *w, const char *key, unsigned rgb)
{
  g_autofree char *text = g_strdup_printf("#%06x", rgb & 0xffffffu);
  json_put_text(w, key, text);
}

static void put_numbers(JsonWriter *w, const DisplayMark *m)
{
  json_put_open(w, "at", '[');
  for (guint i = 0; i < m->numbers->len; i++)
    put_rounded(w, NULL, g_array_index(m->numbers, double, i));
  json_put_close(w);
}

/* Each colour once, in the order in which they come, and of each item which one it is; -1: none. */
static void put_colors(JsonWriter *w, const GArray *colors)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  json_put_open(w, "colors", '[');
  for (guint i = 0; i < colors->len; i++) {
    guint32 color = g_array_index(colors, guint32, i);
    gpointer key = GUINT_TO_POINTER(color);
    if (color == NO_COLOR || g_hash_table_contains(seen, key)) continue;
    g_hash_table_insert(seen, key, GUINT_TO_POINTER(g_hash_table_size(seen)));
    put_color(w, NULL, color);
  }
  json_put_close(w);
  json_put_open(w, "color_of", '[');
  for (guint i = 0; i < colors->len; i++) {
    guint32 color = g_array_index(colors, guint32, i);
    gpointer place = g_hash_table_lookup(seen, GUINT_TO_POINTER(color));
    json_put_int(w, NULL, color == NO_COLOR ? -1 : (int64_t)GPOINTER_TO_UINT(place));
  }
  json_put_close(w);
}

static void put_clip(JsonWriter *w, const Box *b)
{
  if (box_is_empty(b)) return;
  json_put_open(w, "clip", '[');
  put_rounded(w, NULL, b->left);
  put_rounded(w, NULL, b->top);
  put_rounded(w, NULL, b->right);
  put_rounded(w, NULL, b->bottom);
  json_put_close(w);
}

static void put_text(JsonWriter *w, const DisplayMark *m)
{
  static const char *const aligns[] = { "left", "centre", "right" };
  json_put_text(w, "text", m->text);
  json_put_open(w, "at", '[');
  put_rounded(w, NULL, m->x);
  put_rounded(w, NULL, m->y);
  json_put_close(w);
  json_put_text(w, "align", aligns[m->align]);
  put_rounded(w, "size", m->size);
  if (m->turn != 0) put_rounded(w, "turn", m->turn);
}

static void put_style(JsonWriter *w, const DrawStyle *s)
{
  put_color(w, "color", s->rgb);
  if (s->alpha > 0) json_put_real(w, "alpha", s->alpha);
  if (s->width > 0) json_put_real(w, "width", s->width);
  if (s->radius > 0) json_put_real(w, "radius", s->radius);
  if (s->own_edge) json_put_bool(w, "own_edge", true);
  bool is_area = s->kind == DISPLAY_POLYGONS || s->kind == DISPLAY_RECTS;
  if (is_area && s->width > 0 && !s->own_edge) put_color(w, "edge", s->edge);
  if (s->dashed) json_put_bool(w, "dashed", true);
  if (s->rim) json_put_bool(w, "rim", true);
}

static void put_mark(JsonWriter *w, const DisplayMark *m)
{
  static const char *const kinds[] = {
    [DISPLAY_LINES] = "lines",       [DISPLAY_POLYGONS] = "polygons", [DISPLAY_RECTS] = "rects",
    [DISPLAY_DISCS] = "discs",       [DISPLAY_TEXT] = "text",         [DISPLAY_IMAGE] = "image",
    [DISPLAY_GRADIENT] = "gradient",
  };
  json_put_open(w, NULL, '{');
  json_put_text(w, "kind", kinds[m->style.kind]);
  put_style(w, &m->style);
  if (m->text) put_text(w, m);
  if (m->numbers) put_numbers(w, m);
  if (m->colors) put_colors(w, m->colors);
  if (m->n_across) json_put_uint(w, "n_across", m->n_across);
  put_clip(w, &m->clip);
  json_put_close(w);
}

void display_json(const Display *d, GString *out)
{
  JsonWriter w = { .text = out, .layout = JSON_DENSE };
  json_put_open(&w, NULL, '{');
  put_rounded(&w, "width", d->width);
  put_rounded(&w, "height", d->height);
  json_put_open(&w, "marks", '[');
  for (guint i = 0; i < d->marks->len; i++) put_mark(&w, d->marks->pdata[i]);
  json_put_close(&w);
  json_put_close(&w);
}
