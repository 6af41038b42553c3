/* Cells for people: their numbers (at a scale, see base/num-scale.h), text that is safe on a terminal. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SINK_CELL_H
#define KIT_SINK_CELL_H

#include <glib.h>
#include <stagemill/types.h>

#include "base/num-scale.h"

bool cell_has_number(const MillValue *v, double *out); /* a finite one */
/* Control characters, direction overrides and invalid UTF-8 become escapes; at most max_width
 * characters, the middle given up for an ellipsis. */
void cell_text(GString *out, const char *text, size_t len, size_t max_width);
/* Words of a text in lines of at most `width`, those after the first indented; ends the last line. */
void cell_wrap(GString *out, const char *text, size_t width, size_t indent);
size_t cell_width(const char *text); /* in columns of a terminal */

#endif
