/* What the files of the TOML reader share: a place in the text, and its fault. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TOML_PARTS_H
#define KIT_TOML_PARTS_H

#include "kit/read/toml.h"

typedef struct TomlText {
  const char *begin, *p, *end;
  TomlFault *fault; /* the first one */
} TomlText;

/* Always false. */
bool toml_fault_at(TomlText *t, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);
void toml_place(const TomlText *t, const char *at, uint64_t *out_line, uint64_t *out_column);

void toml_skip_blanks(TomlText *t); /* of one line */
void toml_skip_empty(TomlText *t);  /* blanks, comments and ends of lines */

/* Strings of the four kinds; *out is g_free. */
bool toml_read_string(TomlText *t, char **out);
/* Where no string and no bracket begins. */
bool toml_read_word(TomlText *t, TomlValue *out);

#endif
