/* Cells of a sheet, as XML. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_XLSX_XML_H
#define SINK_XLSX_XML_H

#include <glib.h>
#include <stagemill/types.h>

#define CELL_MAX_UNITS 32767u /* UTF-16 units of a text */

/* Where a cell is, and how it looks. */
typedef struct CellPlace {
  uint32_t column; /* from 0 */
  uint64_t row;    /* from 1 */
  uint32_t style;
} CellPlace;

/* "AB"; at most 3 letters. */
void xml_column_name(uint32_t column, char name[4]);
/* Never a formula.  True: the text was too long, and was cut. */
bool xml_put_text(GString *out, const CellPlace *at, const char *text, size_t len);
/* One that a double cannot hold becomes a text. */
void xml_put_int(GString *out, const CellPlace *at, int64_t v);
void xml_put_real(GString *out, const CellPlace *at, double v); /* finite */
void xml_put_bool(GString *out, const CellPlace *at, bool v);
void xml_put_attribute(GString *out, const char *text);

#endif
