/* What a finding refers to; see evidence.h. */
/* SPDX-License-Identifier: MIT */
#include "rules/evidence.h"

#include <string.h>

#include "base/json-value.h"
#include "model/printable.h"

#define NOT_A_LIST "its evidence is not a list of tables and keys"

bool evidence_find_table(const MillResults *r, const char *name, MillTableResult *out)
{
  *out = (MillTableResult){ .size = sizeof *out };
  for (uint32_t i = 0; r->table(r, i, out); i++)
    if (!strcmp(out->name, name)) return true;
  return false;
}

static bool has_column(const MillTableResult *t, const char *name)
{
  for (uint32_t i = 0; i < t->columns.n; i++)
    if (!strcmp(MILL_AT(MillColumn, t->columns, i)->name, name)) return true;
  return false;
}

static char *fault_of_item(const MillResults *r, const JsonValue *item)
{
  const JsonValue *o = json_as(item, JSON_OBJECT),
                  *keys = json_as(json_member(o, "keys"), JSON_OBJECT);
  const char *name = json_text(json_member(o, "table"));
  MillTableResult table;
  if (json_count(o) != 2 || !name || !keys) return g_strdup(NOT_A_LIST);
  g_autofree char *safe = printable(name);
  if (!evidence_find_table(r, name, &table))
    return g_strdup_printf("its evidence is in the table \"%s\", which this run does not have",
                           safe);
  for (guint i = 0; i < json_count(keys); i++) {
    if (has_column(&table, json_item(keys, i)->key)) continue;
    g_autofree char *key = printable(json_item(keys, i)->key);
    return g_strdup_printf("the table \"%s\" of its evidence has no column \"%s\"", safe, key);
  }
  return NULL;
}

char *evidence_fault(const MillResults *results, const char *json)
{
  JsonPlace place;
  g_autofree char *why = NULL;
  JsonDoc *doc = json ? json_doc_parse(json, strlen(json), &place, &why) : NULL;
  const JsonValue *list = doc ? json_as(json_doc_root(doc), JSON_ARRAY) : NULL;
  char *fault = json_count(list) ? NULL : g_strdup(NOT_A_LIST);
  for (guint i = 0; !fault && i < json_count(list); i++)
    fault = fault_of_item(results, json_item(list, i));
  if (doc) json_doc_free(doc);
  return fault;
}
