/* Option tables at work: text to the author's struct, and back to text for help. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_OPTION_H
#define MODEL_OPTION_H

#include <glib.h>
#include <stagemill/types.h>

#include "model/error.h"

/* One typed options struct of a stage, with the strings and patterns it points to. */
typedef struct OptionValues OptionValues;

OptionValues *option_values_new(const MillOption *rows, uint32_t n_rows, uint32_t struct_size);
void option_values_free(OptionValues *v);
/* Checks and stores one option.  The error says what was expected but not where: the caller adds that. */
Error *option_values_set(OptionValues *v, const MillOption *row, const char *text);
/* Those of a list of "NAME.option=value" that are for this name; the last one wins. */
Error *option_values_set_named(OptionValues *v, const MillOption *rows, uint32_t n_rows,
                               const char *name, const GPtrArray *settings);
/* Stores the defaults of all rows that were not set; a required one without value is an error. */
Error *option_values_complete(OptionValues *v);
const void *option_values_struct(const OptionValues *v);

/* Checks without storing. */
Error *option_check(const MillOption *row, const char *text);
const MillOption *option_find(const MillOption *rows, uint32_t n_rows, const char *name);
const char *option_type_name(const MillOption *row);
/* "1 to 100", "one of a, b, c", or "" */
char *option_expected(const MillOption *row);
/* What is wrong with a row of a table: type, flags, offset, range, default; or NULL. */
char *option_row_fault(const MillOption *row, uint32_t struct_size);

bool pattern_match(const MillPattern *p, const char *text, size_t len);

#endif
