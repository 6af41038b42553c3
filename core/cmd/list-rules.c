/* Rules that were found: their names, and a list. */
/* SPDX-License-Identifier: MIT */
#include "base/json-write.h"
#include "cmd/cli.h"
#include "cmd/lists.h"
#include "plan/rule-find.h"

GPtrArray *list_rule_names(const ProfileSearch *search)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) all = rule_list(search);
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add(names, g_strdup(((const RuleFound *)all->pdata[i])->name));
  g_ptr_array_add(names, NULL);
  return names;
}

static void put_json(JsonWriter *out, const RuleFound *r)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", r->name);
  json_put_text(out, "path", r->path);
  json_put_text(out, "origin", r->origin);
  json_put_text(out, "title", r->title);
  json_put_bool(out, "shadowed", r->shadowed);
  json_put_close(out);
}

void list_rules(const ProfileSearch *search, bool as_json, GString *out)
{
  g_autoptr(GPtrArray) all = rule_list(search);
  CliGrid *grid = cli_grid_new(3);
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  if (as_json) json_put_open(&json, NULL, '[');
  cli_grid_add(grid, "name", "found in", "what it finds", NULL);
  for (guint i = 0; i < all->len; i++) {
    const RuleFound *r = all->pdata[i];
    g_autofree char *origin = g_strconcat(r->origin, r->shadowed ? ", hidden" : "", NULL);
    if (as_json)
      put_json(&json, r);
    else
      cli_grid_add(grid, r->name, origin, r->title, NULL);
  }
  if (as_json) json_put_end(&json);
  cli_grid_write(grid, "", as_json ? NULL : out);
}
