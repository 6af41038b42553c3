/* stagemill list facts, and explain of one: the vocabulary of what is known of events, and who provides, needs and
 * spoils it. */
/* SPDX-License-Identifier: MIT */
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

static Fact *find_fact(const GPtrArray *facts, const char *name)
{
  for (guint i = 0; i < facts->len; i++)
    if (!strcmp(((Fact *)facts->pdata[i])->name, name)) return facts->pdata[i];
  return NULL;
}

static Fact *fact_of(GPtrArray *facts, const char *name)
{
  Fact *f = find_fact(facts, name);
  if (f) return f;
  f = g_new0(Fact, 1);
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

GPtrArray *list_fact_names(Modules *modules)
{
  g_autoptr(GPtrArray) facts = collect_facts(modules);
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < facts->len; i++)
    g_ptr_array_add(names, g_strdup(((const Fact *)facts->pdata[i])->name));
  return names;
}

/* ------------------------------------------------------------------- all facts */

enum { PROVIDERS_WIDTH = 30 };

/* As many names as fit, and how many more there are. */
static char *in_short(const GPtrArray *names)
{
  GString *text = g_string_new(names->len ? NULL : "-");
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    bool last = i + 1 == names->len;
    if (i && text->len + strlen(name) + (last ? 2 : 10) > PROVIDERS_WIDTH) {
      g_string_append_printf(text, " +%u", names->len - i);
      break;
    }
    g_string_append_printf(text, "%s%s", i ? ", " : "", name);
  }
  return g_string_free(text, FALSE);
}

static char *number(const GPtrArray *names)
{
  return names->len ? g_strdup_printf("%u", names->len) : g_strdup("-");
}

static void put_members(JsonWriter *out, const Fact *f)
{
  json_put_array(out, "provided_by", f->provided_by);
  json_put_array(out, "needed_by", f->needed_by);
  json_put_array(out, "used_by", f->used_by);
  json_put_array(out, "spoiled_by", f->spoiled_by);
}

static void put_all_json(const GPtrArray *facts, GString *out)
{
  JsonWriter json = { .text = out, .layout = JSON_COMPACT };
  json_put_open(&json, NULL, '[');
  for (guint i = 0; i < facts->len; i++) {
    const Fact *f = facts->pdata[i];
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "name", f->name);
    put_members(&json, f);
    json_put_close(&json);
  }
  json_put_end(&json);
}

void list_facts(Modules *modules, bool as_json, GString *out)
{
  g_autoptr(GPtrArray) facts = collect_facts(modules);
  if (as_json) {
    put_all_json(facts, out);
    return;
  }
  CliGrid *grid = cli_grid_new(5);
  cli_grid_add(grid, "fact", "provided by", "needed", "used", "spoiled", NULL);
  for (guint i = 0; i < facts->len; i++) {
    const Fact *f = facts->pdata[i];
    g_autofree char *provided = in_short(f->provided_by), *needed = number(f->needed_by),
                    *used = number(f->used_by), *spoiled = number(f->spoiled_by);
    cli_grid_add(grid, f->name, provided, needed, used, spoiled, NULL);
  }
  cli_grid_write(grid, "", out);
  g_string_append(out, "\nstagemill explain FACT    says what it means, and names the modules\n");
}

/* ------------------------------------------------------------------- one fact */

/* What the program itself knows of facts; "attr." and its like begin a name.  Any other is between modules. */
static const struct {
  const char *name, *text;
} meanings[] = {
  { "order.lane",
    "The events of a lane come in order: by time, events without one first; of one time the "
    "longest first, so that a slice comes before the slices inside it, and those without a "
    "duration last; then as they were read, and what a stage emitted behind its parent. Where "
    "a stage needs this fact and it does not hold, the program sorts." },
  { "order.run",
    "The events of all lanes come as one stream, in order: by time, events without one first; "
    "of one time the longest first; then by lane, then as they were read. The program merges "
    "the lanes for stages of scope whole." },
  { "slices",
    "Slices are complete events with a duration: there are no begins and ends that would have "
    "to be paired." },
  { "events", "The input is a trace: it has events with times." },
  { "attr.", "Events have this attribute, where it applies." },
  { "table.", "This table is reported, so that sinks and rules can look at it." },
  { "input.", "The input holds records of this kind: rows without a time, whose attributes are the "
              "columns." },
};

static const char *meaning_of(const char *fact)
{
  for (size_t i = 0; i < G_N_ELEMENTS(meanings); i++) {
    const char *name = meanings[i].name;
    bool family = name[strlen(name) - 1] == '.';
    if (family ? g_str_has_prefix(fact, name) : !strcmp(fact, name)) return meanings[i].text;
  }
  return "What it promises is between the modules that provide and need it: stagemill show "
         "NAME says more of each.";
}

static void put_names(GString *out, const char *label, const GPtrArray *names)
{
  if (!names->len) return;
  g_autoptr(GString) text = g_string_new(label);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
  cli_wrap(out, text->str, (int)strlen(label));
}

bool explain_fact(Modules *modules, const char *name, bool as_json, GString *out)
{
  g_autoptr(GPtrArray) facts = collect_facts(modules);
  const Fact *f = find_fact(facts, name);
  if (!f) return false;
  if (as_json) {
    JsonWriter json = { .text = out, .layout = JSON_COMPACT };
    json_put_open(&json, NULL, '{');
    json_put_text(&json, "fact", name);
    json_put_text(&json, "explain", meaning_of(name));
    put_members(&json, f);
    json_put_end(&json);
    return true;
  }
  g_string_append_printf(out, "fact %s\n\n", name);
  cli_wrap(out, meaning_of(name), 0);
  g_string_append_c(out, '\n');
  put_names(out, "provided by: ", f->provided_by);
  put_names(out, "needed by: ", f->needed_by);
  put_names(out, "used by: ", f->used_by);
  put_names(out, "spoiled by: ", f->spoiled_by);
  return true;
}
