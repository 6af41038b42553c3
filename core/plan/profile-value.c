/* Values of a profile as texts; see profile-parts.h. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "plan/profile-parts.h"

const char *value_kind(const JsonValue *node)
{
  if (json_holds(node, JSON_OBJECT)) return "an object";
  if (json_holds(node, JSON_ARRAY)) return "a list";
  if (json_holds(node, JSON_NULL)) return "null";
  if (json_holds(node, JSON_STRING)) return "a text";
  return json_is_truth(node) ? "true or false" : "a number";
}

char *value_text(const JsonValue *node)
{
  char buffer[NUM_BUF];
  if (json_holds(node, JSON_STRING)) return g_strdup(node->text);
  if (json_is_truth(node)) return g_strdup(node->kind == JSON_TRUE ? "true" : "false");
  if (!json_holds(node, JSON_NUMBER)) return NULL;
  if (node->is_whole)
    num_format_int(buffer, node->whole);
  else
    num_format_real(buffer, node->real);
  return g_strdup(buffer);
}
