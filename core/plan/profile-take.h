/* Taking values out of a profile file: what is not as it must be is a complaint with its place. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_PROFILE_TAKE_H
#define PLAN_PROFILE_TAKE_H

#include "plan/profile-parts.h"

typedef struct Shape { /* a file that is being read */
  const char *file;    /* fit to be shown */
  JsonDoc *doc;
  Problems *problems;
  Layer *layer;
} Shape;

/* A pointer is a path in the document, as "/stages/3/use"; `what` says of which value a complaint is. */
char *shape_place(const Shape *s, const char *pointer,
                  bool of_key);                          /* "x.json:7:5  (/stages/3)"; g_free */
char *shape_origin(const Shape *s, const char *pointer); /* "profile x:7"; g_free */
/* Takes `what`; NULL when there were too many before. */
Error *shape_complain(Shape *s, const char *code, const char *pointer, bool of_key, char *what);
void shape_wrong_type(Shape *s, const char *pointer, const char *what, const char *expected,
                      const JsonValue *node);

/* NULL or false: it is none, and a complaint was made.  g_free. */
char *shape_text(Shape *s, const char *pointer, const char *what, const JsonValue *node);
bool shape_bool(Shape *s, const char *pointer, const char *what, const JsonValue *node, bool *out);
char *shape_name(Shape *s, const char *pointer, const char *what, const JsonValue *node,
                 bool (*is_name)(const char *));
char *shape_value(Shape *s, const char *pointer, const char *what,
                  const JsonValue *node); /* a list: with commas */
bool shape_is_object(Shape *s, const char *pointer, const char *what, const JsonValue *node);

typedef void (*ShapeMember)(Shape *, const char *pointer, const char *key, const JsonValue *,
                            gpointer);
typedef void (*ShapeItem)(Shape *, const char *pointer, const JsonValue *);

/* Calls take for each member whose key is known (NULL: any key). */
void shape_members(Shape *s, const char *pointer, const JsonValue *object, const char *const *known,
                   ShapeMember take, gpointer data);
void shape_items(Shape *s, const char *pointer, const char *what, const JsonValue *node,
                 ShapeItem take);

#endif
