/* JSON tokens with their places, pull style: profiles, headers, args, the slow path of the scanner. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  JSON_END, /* after the last token */
  JSON_ERROR,
  JSON_OBJECT,
  JSON_OBJECT_END,
  JSON_ARRAY,
  JSON_ARRAY_END,
  JSON_KEY,
  JSON_STRING,
  JSON_NUMBER,
  JSON_TRUE,
  JSON_FALSE,
  JSON_NULL
} JsonKind;

/* What a tolerant reader repaired, as a mask; strict readers fail instead. */
enum {
  JSON_FIX_CONTROL = 1 << 0,  /* raw control character in a string */
  JSON_FIX_ESCAPE = 1 << 1,   /* bad escape: the backslash is taken literally */
  JSON_FIX_UTF8 = 1 << 2,     /* invalid UTF-8: U+FFFD */
  JSON_FIX_NAN = 1 << 3,      /* NaN, Infinity, -Infinity, N/A: null */
  JSON_FIX_COMMA = 1 << 4,    /* trailing or doubled comma */
  JSON_FIX_NUMBER = 1 << 5,   /* leading zeros, leading plus, bare dot */
  JSON_FIX_SURROGATE = 1 << 6 /* unpaired surrogate: U+FFFD */
};

typedef struct JsonToken {
  JsonKind kind;
  const char *start; /* the token's own bytes, quotes included */
  size_t len;
} JsonToken;

#define JSON_MAX_DEPTH 1000
typedef struct JsonCursor {
  const char *pos, *end;
  bool strict;
  unsigned fixes;    /* accumulated, tolerant only */
  const char *error; /* static text after JSON_ERROR */
  const char *error_at;
  uint32_t depth;
  uint8_t stack[(JSON_MAX_DEPTH + 7) / 8]; /* a bit a level: object or array */
  uint8_t state;
} JsonCursor;

void json_open(JsonCursor *r, const char *text, size_t len, bool strict);
JsonKind json_next(JsonCursor *r, JsonToken *out);
/* After a JSON_KEY or inside an array: passes one whole value; out gets its bytes, the kind is that
 * of its first token.  At the end of an array: JSON_ARRAY_END, as json_next. */
JsonKind json_skip(JsonCursor *r, JsonToken *out);

/* The decoded text of a string or key token (repaired if need be), appended to out. */
unsigned json_decode(const JsonToken *t, GString *out);
/* That text, however it is escaped, is the word; false of any other kind of token, and where there is none. */
bool json_is(const JsonToken *t, const char *word);
/* That text, if it fits with its end; else false, and out is empty. */
bool json_word(const JsonToken *t, char *out, size_t size);
/* Writes escapes such as \u0041 as the characters they stand for and gives the new length: words that are searched
 * for in texts of which nothing is parsed look alike however they were written. */
size_t json_unescape_plain(char *text, size_t len);

/* Appends text as a JSON string with quotes; control characters escaped, UTF-8 kept (invalid
 * becomes U+FFFD). */
void json_quote(GString *out, const char *text, size_t len);
/* One value rewritten as valid JSON without blanks: what a tolerant reader repairs is repaired.  False
 * if it cannot be. */
bool json_repair(const char *text, size_t len, GString *out, unsigned *out_fixes);
/* The same, with only those characters escaped that must be: equal values become equal texts, numbers apart. */
bool json_one_way(const char *text, size_t len, GString *out);
/* True when the text is one valid JSON value by RFC 8259 (names may repeat there, and surrogates
 * stand alone); else *out_at and *out_why say where and why not.  Nesting deeper than
 * JSON_MAX_DEPTH fails. */
bool json_check(const char *text, size_t len, const char **out_at, const char **out_why);

typedef struct JsonPlace {
  uint32_t line, column; /* from 1; columns count characters */
} JsonPlace;
JsonPlace json_place(const char *text, size_t offset);
/* The place after len bytes, of which the first one has this place. */
JsonPlace json_place_after(JsonPlace place, const char *text, size_t len);

/* Strict text to a tree (json-value.h) plus the places of all values by JSON Pointer ("/stages/3/name").
 * Duplicate keys, unpaired surrogates, U+0000 and reals beyond a double are errors too.  On
 * failure NULL, with place and reason. */
typedef struct JsonDoc JsonDoc;
JsonDoc *json_doc_parse(const char *text, size_t len, JsonPlace *out_place, char **out_why);
void json_doc_free(JsonDoc *doc);
const struct JsonValue *json_doc_root(const JsonDoc *doc);
/* Of the value; of its key with "#key" appended.  What is missing has the place of what it is
 * missing from. */
JsonPlace json_doc_place(JsonDoc *doc, const char *pointer);

#endif
