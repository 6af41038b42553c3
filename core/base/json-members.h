/* JSON objects read into structs by tables of their members, in one pass over a text. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_MEMBERS_H
#define BASE_JSON_MEMBERS_H

#include "base/json.h"

/* Starts by json_in_open; the text may go after the last call. */
typedef struct JsonIn {
  JsonCursor cursor;
  JsonToken token;     /* the first one of the value at hand */
  const char *text;    /* all of it */
  GStringChunk *texts; /* where texts go that are read; the caller's */
  GString *scratch;
  void *context;  /* the caller's */
  const char *at; /* what is wrong, when a call has returned false */
  char *why;
} JsonIn;

typedef enum JsonMemberType {
  JSON_MEMBER_TEXT,   /* const char *; null: NULL */
  JSON_MEMBER_COUNT,  /* uint32_t */
  JSON_MEMBER_LARGE,  /* uint64_t */
  JSON_MEMBER_NUMBER, /* int64_t; null: stays as it was */
  JSON_MEMBER_BOOL,   /* bool */
  JSON_MEMBER_WORD,   /* uint32_t: position in "a|b|c"; null: stays as it was */
  JSON_MEMBER_OTHER   /* what `take` reads */
} JsonMemberType;

/* Reads the value whose first token is at hand, all of it.  False: json_in_fail was called. */
typedef bool (*JsonTake)(JsonIn *in, void *out);

typedef struct JsonMember {
  const char *name;
  JsonMemberType type;
  uint32_t offset;   /* in the struct that is filled */
  bool needed;       /* it must be there; of a text: and not be null */
  const char *words; /* of JSON_MEMBER_WORD */
  JsonTake take;
} JsonMember;

/* Rows of a table: of a field of a struct, of one that holds a word's position, of what a function reads. */
#define JSON_FIELD(struct_, field, name_, type_, needed_)          \
  {                                                                \
    .name = name_, .type = JSON_MEMBER_##type_, .needed = needed_, \
    .offset = (uint32_t)offsetof(struct_, field)                   \
  }
#define JSON_WORD(struct_, field, name_, words_)                                           \
  {                                                                                        \
    .name = name_, .type = JSON_MEMBER_WORD, .offset = (uint32_t)offsetof(struct_, field), \
    .words = words_                                                                        \
  }
#define JSON_TAKE(name_, needed_, take_)                                       \
  {                                                                            \
    .name = name_, .type = JSON_MEMBER_OTHER, .needed = needed_, .take = take_ \
  }

#define JSON_MEMBERS_MAX 64 /* in one table */

void json_in_open(JsonIn *in, const char *text, size_t len, GStringChunk *texts);
void json_in_close(JsonIn *in);
/* The first token of the next value; false at the end of the list or object, or after a failure. */
bool json_in_next(JsonIn *in);
/* The whole document: one value, and nothing after it. */
bool json_in_document(JsonIn *in, JsonTake take, void *out);
/* Members that the table does not have are passed; none may be there twice. */
bool json_in_object(JsonIn *in, const JsonMember *members, size_t n, void *out);
bool json_in_array(JsonIn *in, JsonTake each, void *out);
/* Each member of an object, whatever its name: in->token is its value. */
typedef bool (*JsonTakeNamed)(JsonIn *in, const char *name, void *out);
bool json_in_each(JsonIn *in, JsonTakeNamed each, void *out);
bool json_in_text(JsonIn *in, const char **out); /* a string, without U+0000 */
/* A string with any characters; valid as long as `texts`. */
bool json_in_string(JsonIn *in, const char **out, size_t *out_len);
bool json_in_pass(JsonIn *in, JsonToken *out); /* any value; out: its bytes, or NULL */
/* False, always; where: NULL for the token at hand.  The first failure counts. */
bool json_in_fail(JsonIn *in, const char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
