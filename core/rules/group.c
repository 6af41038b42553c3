/* Reads the tags of a group; see group.h. */
/* SPDX-License-Identifier: MIT */
#include "rules/group.h"

#include "base/json-value.h"

static void each_member(const JsonValue *object, GroupTag use, void *context)
{
  for (guint i = 0; i < json_count(object); i++) {
    const JsonValue *value = json_item(object, i);
    const char *text = json_text(value);
    if (text) use(context, value->key, text);
  }
}

void group_each(const MillValue *group, GroupTag use, void *context)
{
  JsonPlace place;
  g_autofree char *why = NULL;
  if (group->type != MILL_TEXT) return;
  JsonDoc *doc = json_doc_parse(group->u.text, group->len, &place, &why);
  const JsonValue *root = doc ? json_doc_root(doc) : NULL;
  if (json_holds(root, JSON_OBJECT)) each_member(root, use, context);
  if (doc) json_doc_free(doc);
}
