/* The fields of figures as text and JSON, by one table: for descriptions, results, profiles and checks. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_FIGURE_H
#define BASE_FIGURE_H

#include <stagemill/types.h>

#include "base/json-write.h"

typedef enum FigureFieldType {
  FIGURE_FIELD_TEXT,
  FIGURE_FIELD_COLUMN,
  FIGURE_FIELD_COLUMNS,   /* "tp,fusion" */
  FIGURE_FIELD_LENGTH,    /* a column, or "+column" */
  FIGURE_FIELD_END,       /* a number, or a column */
  FIGURE_FIELD_CONDITION, /* "type=a|b;layer!=all" */
  FIGURE_FIELD_CHOICE,    /* of its words */
  FIGURE_FIELD_COUNT,     /* from here on uint32_t */
  FIGURE_FIELD_KIND,
  FIGURE_FIELD_FLAGS,
  FIGURE_FIELD_BETTER
} FigureFieldType;

typedef struct FigureField {
  const char *name; /* as in MillFigure */
  FigureFieldType type;
  uint32_t offset;
  const char *words; /* "mean|median": of choices, kinds, flags and better; else NULL */
} FigureField;

const FigureField *figure_fields(uint32_t *out_n);
const FigureField *figure_field(const char *name); /* or NULL */
static inline bool figure_field_is_text(const FigureField *f)
{
  return f->type < FIGURE_FIELD_COUNT;
}
const char *figure_get_text(const MillFigure *figure, const FigureField *f); /* or NULL */
uint32_t figure_get_number(const MillFigure *figure, const FigureField *f);
void figure_set_text(MillFigure *io_figure, const FigureField *f, const char *text);
void figure_set_number(MillFigure *io_figure, const FigureField *f, uint32_t number);

/* Position of a word of "a|b|c", or -1. */
int figure_word(const char *words, const char *word);
/* "line", "stacked-bar", ...; "figure" for one that is not known */
const char *figure_kind_name(uint32_t kind);
/* Writes the fields that are set as members. */
void figure_put(JsonWriter *out, const MillFigure *figure);

#endif
