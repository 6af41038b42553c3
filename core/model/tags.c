/* The tags of a lane; see tags.h. */
/* SPDX-License-Identifier: MIT */
#include "model/tags.h"

#include <string.h>

static void tag_free(gpointer data)
{
  Tag *t = data;
  g_free(t->name);
  g_free(t->value);
  g_free(t);
}

GPtrArray *tags_new(void) { return g_ptr_array_new_with_free_func(tag_free); }

static Tag *find(const GPtrArray *tags, const char *name, size_t len)
{
  for (guint i = 0; i < tags->len; i++) {
    Tag *t = tags->pdata[i];
    if (!strncmp(t->name, name, len) && !t->name[len]) return t;
  }
  return NULL;
}

void tags_set(GPtrArray *tags, const char *pair, TagWeight weight)
{
  size_t len = strcspn(pair, "=");
  const char *value = pair[len] ? pair + len + 1 : "";
  Tag *t = len ? find(tags, pair, len) : NULL;
  if (!len || (t && t->weight > weight)) return;
  if (!t) {
    t = g_new0(Tag, 1);
    t->name = g_strndup(pair, len);
    g_ptr_array_add(tags, t);
  }
  g_free(t->value);
  t->value = g_strdup(value);
  t->weight = weight;
}

void tags_set_all(GPtrArray *tags, const GPtrArray *pairs, TagWeight weight)
{
  for (guint i = 0; pairs && i < pairs->len; i++) tags_set(tags, pairs->pdata[i], weight);
}

const char *tags_get(const GPtrArray *tags, const char *name)
{
  const Tag *t = find(tags, name, strlen(name));
  return t ? t->value : NULL;
}
