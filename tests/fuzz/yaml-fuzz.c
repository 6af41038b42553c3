/* Fuzz target: any bytes as a YAML document: limits hold, places exist, keys stand once. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/yaml-doc.h"
#include "promise.h"

#include <glib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_scalar(const YamlNode *node)
{
  return node->type != YAML_IS_LIST && node->type != YAML_IS_MAP;
}

/* The nodes of the tree, counted as the reader promises to. */
static uint32_t check_node(const YamlNode *node, uint32_t depth)
{
  uint32_t sum = 1, height = 0;
  PROMISE(node->line && node->column && yaml_type_name(node->type));
  PROMISE(depth <= YAML_DOC_MAX_DEPTH);
  if (is_scalar(node)) {
    PROMISE(node->text && strlen(node->text) == node->len && !node->n && !node->height);
    PROMISE(g_utf8_validate(node->text, (gssize)node->len, NULL));
  }
  for (uint32_t i = 0; i < node->n; i++) {
    sum += check_node(node->items[i], depth + 1);
    height = MAX(height, node->items[i]->height);
    if (node->type == YAML_IS_LIST) continue;
    PROMISE(is_scalar(node->keys[i]));
    PROMISE(yaml_get(node, node->keys[i]->text) == node->items[i]);
    sum += check_node(node->keys[i], depth);
  }
  if (!is_scalar(node)) PROMISE(node->height == height + 1);
  PROMISE(node->n_nodes == sum && sum <= YAML_DOC_MAX_NODES);
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  YamlFault fault;
  YamlDoc *doc = yaml_doc_parse((const char *)data, size, &fault);
  PROMISE((doc == NULL) == (fault.why != NULL));
  if (doc) {
    check_node(yaml_doc_root(doc), 0);
  } else {
    PROMISE(fault.line && fault.column && *fault.why);
    PROMISE(g_utf8_validate(fault.why, -1, NULL));
  }
  g_free(fault.why);
  yaml_doc_free(doc);
  return 0;
}
