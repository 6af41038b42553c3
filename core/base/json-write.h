/* JSON documents written member by member: commas, blanks and lines are put where they belong. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum JsonLayout {
  JSON_LINES,   /* each item on a line of its own, as Python's json.dumps(indent=2) does */
  JSON_SPACED,  /* {"a": 1, "b": [2, 3]} */
  JSON_COMPACT, /* {"a":1, "b":[2, 3]} */
  JSON_DENSE    /* {"a":1,"b":[2,3]}; lines are not indented */
} JsonLayout;

#define JSON_WRITER_DEPTH 16

/* Starts as { .text = ..., .layout = ... }; the text may be taken away between two calls. */
typedef struct JsonWriter {
  GString *text;
  JsonLayout layout;
  bool more; /* the next item is not the first one of its list or object */
  unsigned depth;
  struct {
    char end;
    bool lines;
  } open[JSON_WRITER_DEPTH + 1]; /* by depth; the first is outside of all */
} JsonWriter;

/* Each puts one value: a member of the open object by its key, or without one an item of the open
 * list, or the document itself. */

/* Begins a list or an object: '[' or '{'. */
void json_put_open(JsonWriter *w, const char *key, char bracket);
/* The same; its items are on lines of their own whatever the layout is. */
void json_put_lines(JsonWriter *w, const char *key, char bracket);
void json_put_close(JsonWriter *w);
void json_put_end(JsonWriter *w); /* closes the document, and ends its line */
void json_put_text(JsonWriter *w, const char *key, const char *text); /* NULL: null */
void json_put_string(JsonWriter *w, const char *key, const char *text, size_t len);
void json_put_raw(JsonWriter *w, const char *key, const char *json, size_t len);
void json_put_int(JsonWriter *w, const char *key, int64_t value);
void json_put_uint(JsonWriter *w, const char *key, uint64_t value);
void json_put_real(JsonWriter *w, const char *key, double value); /* not finite: null */
void json_put_bool(JsonWriter *w, const char *key, bool value);
/* Lists of texts. */
void json_put_list(JsonWriter *w, const char *key,
                   const char *const *items); /* ends in NULL, or is NULL */
void json_put_array(JsonWriter *w, const char *key, const GPtrArray *items); /* char *, or NULL */

#endif
