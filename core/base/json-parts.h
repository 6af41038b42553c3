/* Strings and numbers inside JSON, piece by piece; for the json*.c files only. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_PARTS_H
#define BASE_JSON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One character of a string's body, and what had to be repaired to read it. */
typedef struct JsonPiece {
  const char *next;
  uint32_t code; /* the code point it stands for */
  unsigned fix;  /* JSON_FIX_... */
} JsonPiece;

/* Passes printable ASCII other than quote and backslash. */
const char *json_plain_run(const char *p, const char *end);
JsonPiece json_piece(const char *p, const char *end); /* p < end */
/* UTF-8 only, no escapes: one character at p >= 0x80. */
JsonPiece json_utf8(const char *p, const char *end);

/* The parts of a number in the widest syntax that can be repaired. */
typedef struct JsonNumber {
  const char *whole, *fraction, *exponent; /* fraction without point; exponent with its e */
  size_t n_whole, n_fraction, n_exponent;
  bool negative;
  unsigned fix;
  const char *next;
  const char *error; /* cannot be repaired, at next; else NULL */
} JsonNumber;
JsonNumber json_number(const char *p, const char *end);

#endif
