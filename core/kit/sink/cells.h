/* Cells of written CSV files (RFC 4180). */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SINK_CELLS_H
#define KIT_SINK_CELLS_H

#include <glib.h>
#include <stagemill/types.h>

#define CELLS_END_OF_ROW "\r\n"

/* Text that came from inputs must not become a formula: what begins like one is quoted with an apostrophe before
 * it, which spreadsheets take as "this is text". */
void cells_put_text(GString *out, const char *text, size_t len);
/* No value, and what no number can be, is an empty cell. */
void cells_put(GString *out, const MillHost *common, const MillValue *v);

#endif
