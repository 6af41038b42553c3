/* A picture as JSON text; see picture.h and core/schemas/picture.schema.json. */
/* SPDX-License-Identifier: MIT */
#include "base/figure.h"
#include "base/json-write.h"
#include "kit/picture/picture.h"

static void put_numbers(JsonWriter *w, const char *key, const PictureNumbers *n)
{
  if (!n) return;
  json_put_open(w, key, '[');
  for (guint i = 0; i < n->len; i++) json_put_real(w, NULL, g_array_index(n, double, i));
  json_put_close(w);
}

static void put_axis(JsonWriter *w, const PictureAxis *a)
{
  static const char *const scales[] = { "linear", "log", "log2", "categories" };
  json_put_text(w, "label", a->label);
  json_put_text(w, "unit", a->unit);
  json_put_real(w, "factor", a->factor);
  json_put_text(w, "scale", scales[a->scale]);
  if (a->categories) json_put_array(w, "categories", a->categories);
  if (a->mark_at) {
    put_numbers(w, "mark_at", a->mark_at);
    json_put_array(w, "mark_text", a->mark_text);
  }
  json_put_real(w, "low", a->low);
  json_put_real(w, "high", a->high);
  if (a->whole) json_put_bool(w, "whole", true);
  if (a->ends) json_put_bool(w, "ends", true);
}

static void put_xy(JsonWriter *w, const char *key, const PictureAxis *a)
{
  json_put_open(w, key, '{');
  put_axis(w, a);
  json_put_bool(w, "down", a->down);
  json_put_close(w);
}

static void put_color(JsonWriter *w, const PictureColorBar *c)
{
  static const char *const palettes[] = { "magnitude", "worse", "change", "ramps" };
  if (!c) return;
  json_put_open(w, "color", '{');
  put_axis(w, &c->axis);
  json_put_text(w, "palette", palettes[c->palette]);
  if (c->colors) json_put_array(w, "colors", c->colors);
  json_put_close(w);
}

static void put_shapes(JsonWriter *w, const GPtrArray *shapes)
{
  if (!shapes) return;
  json_put_open(w, "shapes", '[');
  for (guint i = 0; i < shapes->len; i++) {
    const PictureShape *s = shapes->pdata[i];
    json_put_open(w, NULL, '{');
    json_put_real(w, "low", s->low);
    json_put_real(w, "step", s->step);
    put_numbers(w, "width", s->width);
    json_put_close(w);
  }
  json_put_close(w);
}

static void put_field(JsonWriter *w, const PictureField *f)
{
  if (!f) return;
  json_put_open(w, "field", '{');
  json_put_real(w, "x_low", f->x_low);
  json_put_real(w, "x_step", f->x_step);
  json_put_real(w, "y_low", f->y_low);
  json_put_real(w, "y_step", f->y_step);
  json_put_uint(w, "n_x", f->n_x);
  json_put_uint(w, "n_y", f->n_y);
  put_numbers(w, "value", f->value);
  json_put_close(w);
}

static void put_series(JsonWriter *w, const PictureSeries *s)
{
  static const char *const marks[] = { "line",  "steps",   "points", "front", "bars",      "bins",
                                       "boxes", "violins", "cells",  "field", "intervals", "rule" };
  json_put_open(w, NULL, '{');
  json_put_text(w, "mark", marks[s->mark]);
  json_put_text(w, "name", s->name);
  if (s->color) json_put_text(w, "color", s->color);
  json_put_uint(w, "slot", s->slot);
  json_put_uint(w, "n_slots", s->n_slots);
  put_numbers(w, "x", s->x);
  put_numbers(w, "x_low", s->x_low);
  put_numbers(w, "x_high", s->x_high);
  put_numbers(w, "y", s->y);
  put_numbers(w, "low", s->low);
  put_numbers(w, "high", s->high);
  put_numbers(w, "error_low", s->error_low);
  put_numbers(w, "error_high", s->error_high);
  put_numbers(w, "value", s->value);
  put_numbers(w, "q1", s->q1);
  put_numbers(w, "median", s->median);
  put_numbers(w, "q3", s->q3);
  put_numbers(w, "mean", s->mean);
  put_numbers(w, "n", s->n);
  if (s->text) json_put_array(w, "text", s->text);
  put_shapes(w, s->shapes);
  put_field(w, s->field);
  json_put_close(w);
}

static void put_panel(JsonWriter *w, const PicturePanel *p)
{
  json_put_open(w, NULL, '{');
  json_put_text(w, "title", p->title);
  if (p->note) json_put_text(w, "note", p->note);
  json_put_bool(w, "sideways", p->sideways);
  put_xy(w, "x", &p->x);
  put_xy(w, "y", &p->y);
  put_color(w, p->color);
  json_put_open(w, "series", '[');
  for (guint i = 0; i < p->series->len; i++) put_series(w, p->series->pdata[i]);
  json_put_close(w);
  json_put_close(w);
}

static void put_legend(JsonWriter *w, const GPtrArray *legend)
{
  json_put_open(w, "legend", '[');
  for (guint i = 0; i < legend->len; i++) {
    const PictureKey *key = legend->pdata[i];
    json_put_open(w, NULL, '{');
    json_put_text(w, "name", key->name);
    json_put_text(w, "color", key->color);
    if (key->share) json_put_text(w, "share", key->share);
    json_put_close(w);
  }
  json_put_close(w);
}

void picture_json(const Picture *p, GString *out)
{
  JsonWriter w = { .text = out, .layout = JSON_DENSE };
  json_put_open(&w, NULL, '{');
  json_put_text(&w, "schema_version", "1.1");
  json_put_text(&w, "name", p->name);
  json_put_text(&w, "file", p->file);
  json_put_text(&w, "title", p->title);
  json_put_text(&w, "kind", figure_kind_name(p->kind));
  json_put_text(&w, "table", p->table);
  json_put_text(&w, "description", p->description);
  if (p->left_out) json_put_text(&w, "left_out", p->left_out);
  json_put_text(&w, "footer", p->footer);
  json_put_uint(&w, "n_columns", p->n_columns);
  if (p->legend_title) json_put_text(&w, "legend_title", p->legend_title);
  put_legend(&w, p->legend);
  json_put_open(&w, "panels", '[');
  for (guint i = 0; i < p->panels->len; i++) put_panel(&w, p->panels->pdata[i]);
  json_put_close(&w);
  json_put_close(&w);
}
