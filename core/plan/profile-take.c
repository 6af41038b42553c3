/* Values of a profile file, each complaint with its place; see profile-take.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/profile-take.h"

#include <string.h>

#include "model/printable.h"

/* ---- places */

static char *pointer_to(const char *parent, const char *key)
{
  GString *step = g_string_new(key);
  g_string_replace(step, "~", "~0", 0);
  g_string_replace(step, "/", "~1", 0);
  g_string_prepend(step, "/");
  g_string_prepend(step, parent);
  return g_string_free(step, FALSE);
}

char *shape_place(const Shape *s, const char *pointer, bool of_key)
{
  g_autofree char *asked = of_key ? g_strconcat(pointer, "#key", NULL) : g_strdup(pointer);
  g_autofree char *safe = printable(pointer);
  JsonPlace place = json_doc_place(s->doc, asked);
  return g_strdup_printf("%s:%u:%u  (%s)", s->file, place.line, place.column, *safe ? safe : "/");
}

char *shape_origin(const Shape *s, const char *pointer)
{
  return g_strdup_printf("profile %s:%u", s->layer->name, json_doc_place(s->doc, pointer).line);
}

Error *shape_complain(Shape *s, const char *code, const char *pointer, bool of_key, char *what)
{
  g_autofree char *place = shape_place(s, pointer, of_key);
  Error *e = error_at(error_new(EXIT_PROFILE, code, "%s", what), "at %s", place);
  g_free(what);
  return problems_add(s->problems, e);
}

/* ---- values */

void shape_wrong_type(Shape *s, const char *pointer, const char *what, const char *expected,
                      const JsonValue *node)
{
  shape_complain(s, "PRF-05", pointer, false,
                 g_strdup_printf("%s must be %s, not %s", what, expected, value_kind(node)));
}

char *shape_text(Shape *s, const char *pointer, const char *what, const JsonValue *node)
{
  if (json_holds(node, JSON_STRING)) return g_strdup(node->text);
  shape_wrong_type(s, pointer, what, "a text", node);
  return NULL;
}

bool shape_bool(Shape *s, const char *pointer, const char *what, const JsonValue *node, bool *out)
{
  if (json_is_truth(node)) {
    *out = node->kind == JSON_TRUE;
    return true;
  }
  shape_wrong_type(s, pointer, what, "true or false", node);
  return false;
}

char *shape_name(Shape *s, const char *pointer, const char *what, const JsonValue *node,
                 bool (*is_name)(const char *))
{
  char *text = shape_text(s, pointer, what, node);
  if (!text || is_name(text)) return text;
  g_autofree char *safe = printable(text);
  Error *e = shape_complain(s, "PRF-05", pointer, false,
                            g_strdup_printf("%s cannot be \"%s\"", what, safe));
  error_why(e, "expected lower-case words joined by '-'; a profile names stages, never files");
  g_free(text);
  return NULL;
}

static char *list_text(Shape *s, const char *pointer, const JsonValue *list)
{
  g_autoptr(GString) out = g_string_new(NULL);
  for (guint i = 0; i < json_count(list); i++) {
    g_autofree char *item = value_text(json_item(list, i));
    if (!item || !*item || strchr(item, ',')) {
      g_autofree char *at = g_strdup_printf("%s/%u", pointer, i);
      shape_complain(s, "PRF-05", at, false,
                     g_strdup("an item of a list must be a text without commas, or a number"));
      return NULL;
    }
    g_string_append_printf(out, "%s%s", i ? "," : "", item);
  }
  return g_strdup(out->str);
}

char *shape_value(Shape *s, const char *pointer, const char *what, const JsonValue *node)
{
  if (json_holds(node, JSON_ARRAY)) return list_text(s, pointer, node);
  char *text = value_text(node);
  if (!text)
    shape_wrong_type(s, pointer, what, "a text, a number, true, false or a list of texts", node);
  return text;
}

/* ---- objects */

static bool is_comment(const char *key) { return g_str_has_prefix(key, "//"); }

static void unknown_key(Shape *s, const char *pointer, const char *key, const char *const *known)
{
  g_autofree char *safe = printable(key);
  g_autofree char *all = g_strjoinv(", ", (char **)known);
  Error *e =
      shape_complain(s, "PRF-04", pointer, true, g_strdup_printf("unknown key \"%s\"", safe));
  error_suggest(e, key, known);
  error_help(e, "known here: %s; comments go under \"//\"", all);
}

/* Calls take for each member whose key is known (NULL: any key). */
void shape_members(Shape *s, const char *pointer, const JsonValue *node, const char *const *known,
                   ShapeMember take, gpointer data)
{
  for (guint i = 0; i < json_count(node); i++) {
    const JsonValue *value = json_item(node, i);
    const char *key = value->key;
    if (is_comment(key)) continue;
    g_autofree char *at = pointer_to(pointer, key);
    if (known && !g_strv_contains(known, key))
      unknown_key(s, at, key, known);
    else
      take(s, at, key, value, data);
  }
}

void shape_items(Shape *s, const char *pointer, const char *what, const JsonValue *node,
                 ShapeItem take)
{
  if (!json_holds(node, JSON_ARRAY)) return shape_wrong_type(s, pointer, what, "a list", node);
  for (guint i = 0; i < json_count(node); i++) {
    g_autofree char *at = g_strdup_printf("%s/%u", pointer, i);
    take(s, at, json_item(node, i));
  }
}

bool shape_is_object(Shape *s, const char *pointer, const char *what, const JsonValue *node)
{
  if (json_holds(node, JSON_OBJECT)) return true;
  shape_wrong_type(s, pointer, what, "an object", node);
  return false;
}
