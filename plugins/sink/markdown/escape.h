/* Texts of inputs as Markdown that shows them and does nothing else. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_MARKDOWN_ESCAPE_H
#define SINK_MARKDOWN_ESCAPE_H

#include "base/num-scale.h"

/* In one line, the middle of a long one given up.  Safe in a cell, and at the start of a list item or line. */
void escape_text(GString *out, const char *text, size_t len);
void escape_string(GString *out, const char *text); /* the same */

/* At that scale; "<0.001" is no begin of an element. */
void escape_number(GString *out, const NumScale *scale, double v);

#endif
