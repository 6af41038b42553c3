/* Writing a JSON document in pieces: members, values, and the commas between them. */
#ifndef SINK_JSON_DOC_H
#define SINK_JSON_DOC_H

#include <glib.h>
#include <stagemill/stage.h>

typedef struct Doc {
  const MillHost *host;
  const char *file;
  GString *text;
  bool comma; /* the next member or item needs one */
} Doc;

void doc_init(Doc *d, const MillHost *host, const char *file);
void doc_free(Doc *d);
int doc_flush(Doc *d);        /* hands over everything */
int doc_flush_pieces(Doc *d); /* only when much has gathered */

/* A short object or list stays on one line: { "a": 1, "b": [2, 3] } */
void doc_open(Doc *d, char bracket);
void doc_close(Doc *d, char bracket);
void doc_key(Doc *d, const char *key);      /* with the comma before it */
void doc_item(Doc *d);                      /* the comma between items of a list */
void doc_line(Doc *d, unsigned indent);     /* the comma if needed, then a new line */
void doc_end_line(Doc *d, unsigned indent); /* a new line without comma, before a closing bracket */

void doc_text(Doc *d, const char *text, size_t len);
void doc_int(Doc *d, int64_t v);
void doc_uint(Doc *d, uint64_t v);
void doc_bool(Doc *d, bool v);
void doc_null(Doc *d);
void doc_value(Doc *d, const MillValue *v); /* null for what JSON cannot hold */

void doc_text_member(Doc *d, const char *key, const char *text);     /* "" for NULL */
void doc_optional_member(Doc *d, const char *key, const char *text); /* nothing for NULL or "" */
void doc_uint_member(Doc *d, const char *key, uint64_t v);

#endif
