/* A whole JSON text as a tree: what profiles, rules and other small documents are read from.  See json_doc_parse. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_VALUE_H
#define BASE_JSON_VALUE_H

#include "base/json.h"

typedef struct JsonValue {
  JsonKind kind;  /* of its first token */
  bool is_whole;  /* of a number: `whole` holds it exactly */
  const char *at; /* the value as it stands in the text */
  size_t len;
  const char *key; /* of a member, decoded; else NULL */
  const char *key_at;
  int64_t whole;
  double real;      /* of any number */
  const char *text; /* of a string, decoded */
  GPtrArray *items; /* JsonValue: of an object or array, in their order; else NULL */
  GTree *index;     /* of many members, by key; or NULL */
} JsonValue;

static inline bool json_holds(const JsonValue *v, JsonKind kind) { return v && v->kind == kind; }

/* The value if it is of that kind, or else NULL. */
static inline const JsonValue *json_as(const JsonValue *v, JsonKind kind)
{
  return json_holds(v, kind) ? v : NULL;
}

/* NULL: it is no string. */
static inline const char *json_text(const JsonValue *v)
{
  return json_holds(v, JSON_STRING) ? v->text : NULL;
}

static inline bool json_is_truth(const JsonValue *v)
{
  return json_holds(v, JSON_TRUE) || json_holds(v, JSON_FALSE);
}

/* Of an object or array; NULL has none. */
static inline guint json_count(const JsonValue *v) { return v && v->items ? v->items->len : 0; }

static inline const JsonValue *json_item(const JsonValue *v, guint i) { return v->items->pdata[i]; }

/* NULL: the object has no such member, or v is none. */
const JsonValue *json_member(const JsonValue *v, const char *key);

#endif
