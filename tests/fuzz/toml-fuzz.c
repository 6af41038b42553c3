/* Fuzz target: settings are read whole, with values of their types at places within the text, or refused at one. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/read/toml.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const TomlValue *v, uint32_t depth)
{
  PROMISE(depth <= TOML_MAX_DEPTH);
  PROMISE((v->type == TOML_ARRAY) == (v->items != NULL) && (v->type == TOML_ARRAY) == !v->text);
  if (v->type == TOML_STRING) PROMISE(g_utf8_validate(v->text, -1, NULL));
  if (v->type == TOML_BOOL) PROMISE(v->i == 0 || v->i == 1);
  for (guint i = 0; v->items && i < v->items->len; i++) check_value(v->items->pdata[i], depth + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > 1u << 16) return 0;
  TomlFault fault = { 0, 0, NULL };
  g_autofree char *text = g_malloc(MAX(size, 1)); /* no byte more: reading on is seen */
  if (size) memcpy(text, data, size);
  uint64_t lines = 1;
  for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
  g_autoptr(Toml) toml = toml_read(text, size, &fault);
  if (!toml) {
    PROMISE(fault.what && *fault.what && fault.line >= 1 && fault.line <= lines &&
            fault.column >= 1 && fault.column <= size + 1);
    g_free(fault.what);
    return 0;
  }
  for (guint i = 0; i < toml->entries->len; i++) {
    const TomlEntry *e = toml->entries->pdata[i];
    PROMISE(e->line >= 1 && e->line <= lines && e->column >= 1);
    PROMISE(g_utf8_validate(e->table, -1, NULL) && g_utf8_validate(e->key, -1, NULL));
    check_value(e->value, 0);
    PROMISE(toml_find(toml, e->table, e->key) == e);
  }
  return 0;
}
