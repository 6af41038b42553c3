/* stagemill list facts: the vocabulary of what is known of events, and who provides, needs and spoils it. */
#include <string.h>

#include "base/json-write.h"
#include "cmd/cli.h"
#include "cmd/lists.h"

typedef struct Fact {
  char *name;
  GPtrArray *provided_by, *needed_by, *used_by, *spoiled_by; /* const char * */
} Fact;

static void fact_free(gpointer data)
{
  Fact *f = data;
  g_free(f->name);
  g_ptr_array_unref(f->provided_by);
  g_ptr_array_unref(f->needed_by);
  g_ptr_array_unref(f->used_by);
  g_ptr_array_unref(f->spoiled_by);
  g_free(f);
}

static Fact *fact_of(GPtrArray *facts, const char *name)
{
  for (guint i = 0; i < facts->len; i++)
    if (!strcmp(((Fact *)facts->pdata[i])->name, name)) return facts->pdata[i];
  Fact *f = g_new0(Fact, 1);
  f->name = g_strdup(name);
  f->provided_by = g_ptr_array_new();
  f->needed_by = g_ptr_array_new();
  f->used_by = g_ptr_array_new();
  f->spoiled_by = g_ptr_array_new();
  g_ptr_array_add(facts, f);
  return f;
}

static void add_module(GPtrArray *facts, const Descriptor *d)
{
  bool source = d->kind == MILL_KIND_SOURCE;
  for (const char *const *p = d->provides; p && *p; p++)
    g_ptr_array_add(fact_of(facts, *p)->provided_by, (gpointer)d->name);
  for (const char *const *p = d->needs; p && *p; p++)
    g_ptr_array_add(fact_of(facts, *p)->needed_by, (gpointer)d->name);
  for (const char *const *p = d->wants; p && *p; p++) {
    Fact *f = fact_of(facts, *p);
    g_ptr_array_add(source ? f->provided_by : f->used_by, (gpointer)d->name);
  }
  for (const char *const *p = d->spoils; p && *p; p++)
    g_ptr_array_add(fact_of(facts, *p)->spoiled_by, (gpointer)d->name);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(Fact *const *)a)->name, (*(Fact *const *)b)->name);
}

/* The program itself brings order about: by sorting, and by merging. */
static GPtrArray *collect_facts(Modules *modules)
{
  GPtrArray *facts = g_ptr_array_new_with_free_func(fact_free);
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  g_ptr_array_add(fact_of(facts, "order.lane")->provided_by, (gpointer) "stagemill");
  g_ptr_array_add(fact_of(facts, "order.run")->provided_by, (gpointer) "stagemill");
  for (guint i = 0; i < all->len; i++) add_module(facts, ((const Module *)all->pdata[i])->stage);
  g_ptr_array_sort(facts, by_name);
  return facts;
}

static char *joined(GPtrArray *names)
{
  g_autoptr(GString) text = g_string_new(names->len ? NULL : "-");
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
  return g_strdup(text->str);
}

static void put_json(JsonWriter *out, const Fact *f)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", f->name);
  json_put_array(out, "provided_by", f->provided_by);
  json_put_array(out, "needed_by", f->needed_by);
  json_put_array(out, "used_by", f->used_by);
  json_put_array(out, "spoiled_by", f->spoiled_by);
  json_put_close(out);
}

void list_facts(Modules *modules, bool as_json, GString *out)
{
  g_autoptr(GPtrArray) facts = collect_facts(modules);
  CliGrid *grid = cli_grid_new(5);
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  if (as_json) json_put_open(&json, NULL, '[');
  cli_grid_add(grid, "fact", "provided by", "needed by", "used by", "spoiled by", NULL);
  for (guint i = 0; i < facts->len; i++) {
    const Fact *f = facts->pdata[i];
    g_autofree char *provided = joined(f->provided_by), *needed = joined(f->needed_by),
                    *used = joined(f->used_by), *spoiled = joined(f->spoiled_by);
    if (as_json)
      put_json(&json, f);
    else
      cli_grid_add(grid, f->name, provided, needed, used, spoiled, NULL);
  }
  if (as_json) json_put_end(&json);
  cli_grid_write(grid, "", as_json ? NULL : out);
}
