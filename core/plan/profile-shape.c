/* The shape of one profile file: keys, types and names, each complaint with its place. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/figure.h"
#include "model/printable.h"
#include "plan/profile-parts.h"
#include "plan/profile-take.h"

static const char *const top_keys[] = {
  "$schema",     "profile",      "name",    "description", "inherits", "params",     "stages",
  "formats",     "sinks",        "sources", "for",         "figures",  "join-ranks", "inputs",
  "inputs-help", "needs-events", "rules",   "verdict",     "views",    "modules",    NULL
};
static const char *const entry_keys[] = { "use",  "as",    "enabled", "optional",
                                          "with", "after", "before",  NULL };
static const char *const for_keys[] = {
  "dialect", "facts", "labels", "unless", "only-named", NULL
};
static const char *const param_keys[] = { "default", "unit", "help", "sets", "option", NULL };

/* ---- params */

/* As in "--output DIR". */
static char *take_placeholder(Shape *s, const char *pointer, const JsonValue *node)
{
  char *text = shape_text(s, pointer, "\"option\"", node);
  if (!text || (*text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-")])) return text;
  char *what = g_strdup("\"option\" must be a word of capital letters");
  error_why(shape_complain(s, "PRF-05", pointer, false, what),
            "it names the value in the list of options, as in --output DIR");
  g_free(text);
  return NULL;
}

static void take_param_member(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                              gpointer data)
{
  ProfileParam *p = data;
  if (strcmp(key, "default") == 0)
    p->default_text = shape_value(s, pointer, "the default of a parameter", node);
  else if (strcmp(key, "unit") == 0)
    p->unit = shape_text(s, pointer, "\"unit\"", node);
  else if (strcmp(key, "sets") == 0)
    p->sets = shape_name(s, pointer, "\"sets\"", node, module_is_name);
  else if (strcmp(key, "option") == 0)
    p->option = take_placeholder(s, pointer, node);
  else
    p->help = shape_text(s, pointer, "\"help\"", node);
}

static void take_param(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                       gpointer data)
{
  (void)data;
  g_autofree char *safe = printable(key);
  if (!module_is_kebab(key)) {
    char *what = g_strdup_printf("a parameter cannot be named \"%s\"", safe);
    error_why(shape_complain(s, "PRF-05", pointer, true, what),
              "expected lower-case words joined by '-'");
    return;
  }
  if (!shape_is_object(s, pointer, "a parameter", node)) return;
  ProfileParam *p = g_new0(ProfileParam, 1);
  p->name = g_strdup(key);
  p->place = shape_place(s, pointer, false);
  p->origin = shape_origin(s, pointer);
  g_ptr_array_add(s->layer->params, p);
  shape_members(s, pointer, node, param_keys, take_param_member, p);
  if (!s->layer->inherits && !json_member(node, "default"))
    shape_complain(s, "PRF-05", pointer, false,
                   g_strdup_printf("parameter \"%s\" has no \"default\"", key));
}

/* ---- stages */

static void take_setting(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                         gpointer data)
{
  ProfileEntry *entry = data;
  g_autofree char *text = shape_value(s, pointer, "the value of an option", node);
  if (!text) return;
  g_autofree char *origin = shape_origin(s, pointer);
  g_autofree char *place = shape_place(s, pointer, false);
  g_ptr_array_add(entry->with, setting_new(key, text, origin, place));
}

static char *take_anchor(Shape *s, const char *pointer, const char *what, const JsonValue *node,
                         LayerEntry *layer_entry)
{
  char *anchor = shape_name(s, pointer, what, node, module_is_name);
  if (anchor) text_replace(&layer_entry->place_anchor, shape_place(s, pointer, false));
  return anchor;
}

static void take_entry_member(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                              gpointer data)
{
  LayerEntry *layer_entry = data;
  ProfileEntry *entry = layer_entry->entry;
  if (strcmp(key, "use") == 0) {
    entry->use = shape_name(s, pointer, "\"use\"", node, module_is_name);
    entry->place = shape_place(s, pointer, false);
  } else if (strcmp(key, "as") == 0) {
    layer_entry->has_as = true;
    entry->id = shape_name(s, pointer, "\"as\"", node, module_is_name);
    layer_entry->place_id = shape_place(s, pointer, false);
  } else if (strcmp(key, "with") == 0) {
    if (shape_is_object(s, pointer, "\"with\"", node))
      shape_members(s, pointer, node, NULL, take_setting, entry);
  } else if (strcmp(key, "enabled") == 0) {
    layer_entry->has_enabled = shape_bool(s, pointer, "\"enabled\"", node, &entry->enabled);
  } else if (strcmp(key, "optional") == 0) {
    layer_entry->has_optional = shape_bool(s, pointer, "\"optional\"", node, &entry->optional);
  } else if (strcmp(key, "after") == 0) {
    layer_entry->after = take_anchor(s, pointer, "\"after\"", node, layer_entry);
  } else {
    layer_entry->before = take_anchor(s, pointer, "\"before\"", node, layer_entry);
  }
}

static void check_anchors(Shape *s, const char *pointer, const LayerEntry *entry)
{
  if (entry->after && entry->before)
    shape_complain(s, "PRF-07", pointer, false,
                   g_strdup("an entry has either \"after\" or \"before\", not both"));
  else if (entry->place_anchor && !s->layer->inherits)
    shape_complain(
        s, "PRF-07", pointer, false,
        g_strdup("\"after\" and \"before\" need \"inherits\": this list is complete and in order"));
}

static void take_entry(Shape *s, const char *pointer, const JsonValue *node)
{
  if (!shape_is_object(s, pointer, "an entry of \"stages\"", node)) return;
  LayerEntry *layer_entry = g_new0(LayerEntry, 1);
  ProfileEntry *entry = layer_entry->entry = entry_new();
  entry->enabled_origin = shape_origin(s, pointer);
  shape_members(s, pointer, node, entry_keys, take_entry_member, layer_entry);
  if (!json_member(node, "use"))
    shape_complain(s, "PRF-05", pointer, false, g_strdup("an entry of \"stages\" has no \"use\""));
  check_anchors(s, pointer, layer_entry);
  if (!entry->use || (layer_entry->has_as && !entry->id)) return layer_entry_free(layer_entry);
  if (!entry->id) entry->id = g_strdup(entry->use);
  if (!layer_entry->place_id) layer_entry->place_id = g_strdup(entry->place);
  g_ptr_array_add(s->layer->entries, layer_entry);
}

/* {"STAGE": true}: so the AIU trace analyser lists stages. */
static bool is_switch(const JsonValue *node)
{
  if (!json_holds(node, JSON_OBJECT) || json_count(node) != 1) return false;
  const JsonValue *value = json_item(node, 0);
  return (json_is_truth(value) || value->kind == JSON_NUMBER) &&
         !g_strv_contains(entry_keys, value->key);
}

static void take_stages(Shape *s, const char *pointer, const JsonValue *node)
{
  const JsonValue *list = json_as(node, JSON_ARRAY);
  guint n = json_count(list), n_switches = 0;
  for (guint i = 0; i < n; i++) n_switches += is_switch(json_item(list, i));
  if (n == 0 || n_switches < n) return shape_items(s, pointer, "\"stages\"", node, take_entry);
  Error *e =
      shape_complain(s, "PRF-05", pointer, false,
                     g_strdup("\"stages\" is a list of the AIU trace analyser, as its -P reads"));
  error_why(e, "there an entry is {\"STAGE\": true}, here it is {\"use\": \"STAGE\"}");
  error_help(e, "docs/parity/aiu.md lists the corresponding stages; leave out those that are "
                "false");
}

static void take_format(Shape *s, const char *pointer, const JsonValue *node)
{
  GPtrArray *formats = s->layer->formats;
  char *name = shape_name(s, pointer, "a format", node, module_is_name);
  if (!name) return;
  if (g_ptr_array_find_with_equal_func(formats, name, g_str_equal, NULL))
    shape_complain(s, "PRF-05", pointer, false,
                   g_strdup_printf("the format \"%s\" is duplicated", name));
  g_ptr_array_add(formats, name);
}

static void take_input(Shape *s, const char *pointer, const JsonValue *node)
{
  char *path = shape_text(s, pointer, "an input", node);
  if (path) g_ptr_array_add(s->layer->inputs, path);
}

/* ---- for */

static void take_for_member(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                            gpointer data)
{
  ProfileFor *f = data;
  g_autofree char *what = g_strdup_printf("\"%s\"", key);
  if (!strcmp(key, "only-named")) return (void)shape_bool(s, pointer, what, node, &f->only_named);
  g_autofree char *text = shape_value(s, pointer, what, node);
  g_auto(GStrv) words = g_strsplit(text ? text : "", ",", -1);
  GPtrArray *list = !strcmp(key, "facts")    ? f->facts
                    : !strcmp(key, "labels") ? f->labels
                    : !strcmp(key, "unless") ? f->unless
                                             : f->dialects;
  for (char **w = words; *w; w++) g_ptr_array_add(list, g_strdup(*w));
}

static void take_for(Shape *s, const char *pointer, const JsonValue *node)
{
  if (!shape_is_object(s, pointer, "\"for\"", node)) return;
  ProfileFor *f = s->layer->made_for = made_for_new();
  shape_members(s, pointer, node, for_keys, take_for_member, f);
  if (!json_member(node, "dialect") && !json_member(node, "facts"))
    shape_complain(s, "PRF-05", pointer, false,
                   g_strdup("\"for\" has neither \"dialect\" nor \"facts\""));
}

/* ---- sinks and sources */

static void take_edge(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                      gpointer data)
{
  g_autofree char *safe = printable(key);
  if (!module_is_name(key)) {
    shape_complain(s, "PRF-05", pointer, true, g_strdup_printf("\"%s\" cannot be a name", safe));
    return;
  }
  if (!shape_is_object(s, pointer, "an object of options", node)) return;
  ProfileEntry *entry = entry_new();
  entry->id = g_strdup(key);
  entry->use = g_strdup(key);
  entry->place = shape_place(s, pointer, true);
  g_ptr_array_add(data, entry);
  shape_members(s, pointer, node, NULL, take_setting, entry);
}

/* ---- figures */

static void take_figure_member(Shape *s, const char *pointer, const char *key,
                               const JsonValue *node, gpointer data)
{
  ProfileEntry *f = data;
  if (!strcmp(key, "use")) {
    f->use = shape_name(s, pointer, "\"use\"", node, module_is_name);
    text_replace(&f->place, shape_place(s, pointer, false));
  } else if (strcmp(key, "enabled") != 0) {
    take_setting(s, pointer, key, node, f);
  } else {
    shape_bool(s, pointer, "\"enabled\"", node, &f->enabled);
  }
}

static void take_figure(Shape *s, const char *pointer, const JsonValue *node)
{
  uint32_t n;
  const FigureField *fields = figure_fields(&n);
  g_autofree const char **known = g_new0(const char *, n + 3);
  if (!shape_is_object(s, pointer, "an entry of \"figures\"", node)) return;
  ProfileEntry *f = entry_new();
  for (uint32_t i = 0; i < n; i++) known[i] = fields[i].name;
  known[n] = "use", known[n + 1] = "enabled";
  f->place = shape_place(s, pointer, false);
  shape_members(s, pointer, node, known, take_figure_member, f);
  const ProfileSetting *name = named_find(f->with, "name");
  if (f->use && name) {
    f->id = g_strdup(name->text);
    g_ptr_array_add(s->layer->figures, f);
    return;
  }
  shape_complain(s, "PRF-05", pointer, false,
                 g_strdup("a figure needs \"use\", the id of its stage, and \"name\""));
  entry_free(f);
}

/* ---- the file */

static void take_version(Shape *s, const char *pointer, const JsonValue *node)
{
  g_autofree char *text = value_text(node);
  bool number = text && node->is_whole;
  if (!number) return shape_wrong_type(s, pointer, "\"profile\"", "the number 1", node);
  if (strcmp(text, "1") == 0) return;
  char *what = g_strdup_printf("this program cannot read profiles of format %s", text);
  error_why(shape_complain(s, "PRF-05", pointer, false, what), "it reads format 1");
}

/* "name" and "inherits" are read before all others, which depend on them. */
static void take_top_member(Shape *s, const char *pointer, const char *key, const JsonValue *node,
                            gpointer data)
{
  (void)data;
  if (strcmp(key, "profile") == 0)
    take_version(s, pointer, node);
  else if (strcmp(key, "description") == 0)
    s->layer->description = shape_text(s, pointer, "\"description\"", node);
  else if (strcmp(key, "stages") == 0)
    take_stages(s, pointer, node);
  else if (strcmp(key, "formats") == 0)
    shape_items(s, pointer, "\"formats\"", node, take_format);
  else if (strcmp(key, "inputs") == 0)
    shape_items(s, pointer, "\"inputs\"", node, take_input);
  else if (strcmp(key, "rules") == 0)
    rules_take(s, pointer, node);
  else if (strcmp(key, "views") == 0)
    rules_take_views(s, pointer, node);
  else if (strcmp(key, "verdict") == 0)
    rules_take_verdict(s, pointer, node);
  else if (strcmp(key, "inputs-help") == 0)
    s->layer->inputs_help = shape_text(s, pointer, "\"inputs-help\"", node);
  else if (strcmp(key, "for") == 0)
    take_for(s, pointer, node);
  else if (strcmp(key, "figures") == 0)
    shape_items(s, pointer, "\"figures\"", node, take_figure);
  else if (strcmp(key, "join-ranks") == 0)
    s->layer->has_join = shape_bool(s, pointer, "\"join-ranks\"", node, &s->layer->join_ranks);
  else if (strcmp(key, "needs-events") == 0)
    s->layer->has_needs = shape_bool(s, pointer, "\"needs-events\"", node, &s->layer->needs_events);
  else if (strcmp(key, "sinks") == 0 && shape_is_object(s, pointer, "\"sinks\"", node))
    shape_members(s, pointer, node, NULL, take_edge, s->layer->sinks);
  else if (strcmp(key, "sources") == 0 && shape_is_object(s, pointer, "\"sources\"", node))
    shape_members(s, pointer, node, NULL, take_edge, s->layer->sources);
  else if (strcmp(key, "modules") == 0 && shape_is_object(s, pointer, "\"modules\"", node))
    shape_members(s, pointer, node, NULL, modules_take, NULL);
  else if (strcmp(key, "params") == 0 && shape_is_object(s, pointer, "\"params\"", node))
    shape_members(s, pointer, node, NULL, take_param, NULL);
}

static GPtrArray *texts_if(const JsonValue *object, const char *key)
{
  return json_member(object, key) ? g_ptr_array_new_with_free_func(g_free) : NULL;
}

static void take_name_and_parent(Shape *s, const JsonValue *root)
{
  s->layer->formats = texts_if(root, "formats");
  s->layer->inputs = texts_if(root, "inputs");
  const JsonValue *name = json_member(root, "name"), *inherits = json_member(root, "inherits");
  char *text = name ? shape_name(s, "/name", "\"name\"", name, module_is_name) : NULL;
  if (text) text_replace(&s->layer->name, text);
  if (!inherits) return;
  s->layer->inherits = shape_text(s, "/inherits", "\"inherits\"", inherits);
  s->layer->place_inherits = shape_place(s, "/inherits", false);
}

static void take_profile(Shape *s, const JsonValue *root)
{
  if (!shape_is_object(s, "", "a profile", root)) return;
  take_name_and_parent(s, root);
  shape_members(s, "", root, top_keys, take_top_member, NULL);
  if (!json_member(root, "profile"))
    shape_complain(s, "PRF-05", "", false,
                   g_strdup("there is no \"profile\": 1, the version of the format"));
  if (!json_member(root, "stages") && !json_member(root, "inherits"))
    shape_complain(s, "PRF-05", "", false, g_strdup("there is no list of \"stages\""));
}

Layer *layer_read(const char *file, const char *text, size_t len, Problems *problems)
{
  JsonPlace place = { 0, 0 };
  g_autofree char *why = NULL, *safe = printable(file);
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  if (!doc) {
    Error *e = error_new(EXIT_PROFILE, "PRF-02", "the profile is not valid JSON");
    error_at(e, "at %s:%u:%u", safe, place.line, place.column);
    problems_add(problems, error_why(e, "%s", why));
    return NULL;
  }
  Layer *layer = g_new0(Layer, 1);
  layer->file = g_strdup(file);
  layer->name = profile_stem(safe);
  layer->params = g_ptr_array_new_with_free_func((GDestroyNotify)param_free);
  layer->entries = g_ptr_array_new_with_free_func((GDestroyNotify)layer_entry_free);
  layer->sinks = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->figures = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->verdict = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->views = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->rules = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->sources = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
  layer->modules = g_ptr_array_new_with_free_func((GDestroyNotify)setting_free);
  Shape shape = { safe, doc, problems, layer };
  take_profile(&shape, json_doc_root(doc));
  json_doc_free(doc);
  return layer;
}
