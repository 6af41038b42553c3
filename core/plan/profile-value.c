/* Values of a profile as texts; see profile-parts.h. */
#include "base/num.h"
#include "plan/profile-parts.h"

const char *value_kind(JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT(node)) return "an object";
  if (JSON_NODE_HOLDS_ARRAY(node)) return "a list";
  if (JSON_NODE_HOLDS_NULL(node)) return "null";
  GType type = json_node_get_value_type(node);
  if (type == G_TYPE_STRING) return "a text";
  return type == G_TYPE_BOOLEAN ? "true or false" : "a number";
}

char *value_text(JsonNode *node)
{
  char buffer[NUM_BUF];
  if (!JSON_NODE_HOLDS_VALUE(node)) return NULL;
  GType type = json_node_get_value_type(node);
  if (type == G_TYPE_STRING) return g_strdup(json_node_get_string(node));
  if (type == G_TYPE_BOOLEAN) return g_strdup(json_node_get_boolean(node) ? "true" : "false");
  if (type == G_TYPE_INT64)
    num_format_int(buffer, json_node_get_int(node));
  else
    num_format_real(buffer, json_node_get_double(node));
  return g_strdup(buffer);
}
