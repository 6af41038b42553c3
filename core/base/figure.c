/* The fields of figures; see figure.h. */
/* SPDX-License-Identifier: MIT */
#include "base/figure.h"

#include <string.h>

#define KINDS                                                                              \
  "figure|line|bar|stacked-bar|box|violin|heatmap|density|scatter|timeline|pareto|ranked|" \
  "histogram|rule"
#define SCALES "linear|log|log2"

#define FIELD(name_, type_, words_)                                             \
  {                                                                             \
#name_, FIGURE_FIELD_##type_, (uint32_t)offsetof(MillFigure, name_), words_ \
  }
static const FigureField fields[] = {
  FIELD(name, TEXT, NULL),
  FIELD(kind, KIND, KINDS),
  FIELD(title, TEXT, NULL),
  FIELD(table, TEXT, NULL),
  FIELD(x, COLUMNS, NULL),
  FIELD(y, COLUMN, NULL),
  FIELD(series, COLUMN, NULL),
  FIELD(facet, COLUMN, NULL),
  FIELD(annotation, COLUMN, NULL),
  FIELD(scale, CHOICE, SCALES),
  FIELD(flags, FLAGS, "step|cumulative|down|own-axes|moments"),
  FIELD(top, COUNT, NULL),
  FIELD(x_better, BETTER, "neither|lower|higher"),
  FIELD(y_better, BETTER, "neither|lower|higher"),
  FIELD(value, COLUMN, NULL),
  FIELD(x_end, LENGTH, NULL),
  FIELD(x_low, COLUMN, NULL),
  FIELD(x_high, COLUMN, NULL),
  FIELD(y_low, COLUMN, NULL),
  FIELD(y_high, COLUMN, NULL),
  FIELD(group, COLUMN, NULL),
  FIELD(note, COLUMN, NULL),
  FIELD(where, CONDITION, NULL),
  FIELD(reduce, CHOICE, "mean|median|sum|min|max|count"),
  FIELD(over, TEXT, NULL),
  FIELD(colors, TEXT, NULL),
  FIELD(palette, CHOICE, "magnitude|worse|change|ramps"),
  FIELD(x_scale, CHOICE, SCALES),
  FIELD(y_scale, CHOICE, SCALES),
  FIELD(value_scale, CHOICE, SCALES),
  FIELD(x_label, TEXT, NULL),
  FIELD(y_label, TEXT, NULL),
  FIELD(value_label, TEXT, NULL),
  FIELD(value_low, END, NULL),
  FIELD(value_high, END, NULL),
  FIELD(pages, COLUMNS, NULL),
  FIELD(file, TEXT, NULL),
  FIELD(format, TEXT, NULL),
};

const FigureField *figure_fields(uint32_t *out_n)
{
  *out_n = sizeof fields / sizeof fields[0];
  return fields;
}

const FigureField *figure_field(const char *name)
{
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (!strcmp(fields[i].name, name)) return &fields[i];
  return NULL;
}

const char *figure_get_text(const MillFigure *figure, const FigureField *f)
{
  const char *text;
  memcpy(&text, (const char *)figure + f->offset, sizeof text);
  return text;
}

uint32_t figure_get_number(const MillFigure *figure, const FigureField *f)
{
  uint32_t number;
  memcpy(&number, (const char *)figure + f->offset, sizeof number);
  return number;
}

void figure_set_text(MillFigure *io_figure, const FigureField *f, const char *text)
{
  memcpy((char *)io_figure + f->offset, &text, sizeof text);
}

void figure_set_number(MillFigure *io_figure, const FigureField *f, uint32_t number)
{
  memcpy((char *)io_figure + f->offset, &number, sizeof number);
}

/* ------------------------------------------------------------------- words */

/* The word of that position, and its length; NULL: there are fewer. */
static const char *nth_word(const char *words, uint32_t n, size_t *out_len)
{
  while (n-- && (words = strchr(words, '|'))) words++;
  *out_len = words ? strcspn(words, "|") : 0;
  return words;
}

int figure_word(const char *words, const char *word)
{
  const char *at;
  size_t len;
  for (int i = 0; (at = nth_word(words, (uint32_t)i, &len)); i++)
    if (len == strlen(word) && !memcmp(at, word, len)) return i;
  return -1;
}

const char *figure_kind_name(uint32_t kind)
{
  static const char *const names[] = { "figure", "line",    "bar",       "stacked-bar", "box",
                                       "violin", "heatmap", "density",   "scatter",     "timeline",
                                       "pareto", "ranked",  "histogram", "rule" };
  return names[kind < sizeof names / sizeof names[0] ? kind : 0];
}

static void put_word(JsonWriter *out, const char *key, const char *words, uint32_t n)
{
  size_t len;
  const char *word = nth_word(words, n, &len);
  if (word) json_put_string(out, key, word, len);
}

static void put_flags(JsonWriter *out, const FigureField *f, uint32_t flags)
{
  json_put_open(out, f->name, '[');
  for (uint32_t i = 0; i < 32; i++)
    if (flags & 1u << i) put_word(out, NULL, f->words, i);
  json_put_close(out);
}

void figure_put(JsonWriter *out, const MillFigure *figure)
{
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    const FigureField *f = &fields[i];
    if (figure_field_is_text(f)) {
      const char *text = figure_get_text(figure, f);
      if (text) json_put_text(out, f->name, text);
      continue;
    }
    uint32_t number = figure_get_number(figure, f);
    if (!number) continue;
    if (f->type == FIGURE_FIELD_COUNT)
      json_put_uint(out, f->name, number);
    else if (f->type == FIGURE_FIELD_FLAGS)
      put_flags(out, f, number);
    else
      put_word(out, f->name, f->words, number);
  }
}
