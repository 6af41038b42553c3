/* Reads the tags of a group; see group.h. */
#include "rules/group.h"

#include <json-glib/json-glib.h>

#include "base/json.h"

static void each_member(JsonObject *object, GroupTag use, void *context)
{
  JsonObjectIter at;
  const char *tag;
  JsonNode *value;
  json_object_iter_init_ordered(&at, object);
  while (json_object_iter_next_ordered(&at, &tag, &value)) {
    const bool text =
        JSON_NODE_HOLDS_VALUE(value) && json_node_get_value_type(value) == G_TYPE_STRING;
    if (text) use(context, tag, json_node_get_string(value));
  }
}

void group_each(const MillValue *group, GroupTag use, void *context)
{
  JsonPlace place;
  g_autofree char *why = NULL;
  if (group->type != MILL_TEXT) return;
  JsonDoc *doc = json_doc_parse(group->u.text, group->len, &place, &why);
  JsonNode *root = doc ? json_doc_root(doc) : NULL;
  if (root && JSON_NODE_HOLDS_OBJECT(root)) each_member(json_node_get_object(root), use, context);
  if (doc) json_doc_free(doc);
}
