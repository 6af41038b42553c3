/* A gate's verdict in the forms of its files. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_GATE_TEXT_H
#define CMD_GATE_TEXT_H

#include "compare/gate.h"

/* What it was about, for titles. */
typedef struct GateTitle {
  const CompareSide *sides;
  guint n_sides;
  const char *profile;
} GateTitle;

void gate_put_json(const Gate *gate, const GateTitle *title, GString *out);
void gate_put_text(const Gate *gate, const GateTitle *title, GString *out);
void gate_put_markdown(const Gate *gate, const GateTitle *title, GString *out);
void gate_put_junit(const Gate *gate, const GateTitle *title, GString *out);

/* For a cell of a Markdown table: nothing in it is markup. */
void gate_put_markdown_text(GString *out, const char *text);

#endif
