/* The rules of a gate; see rules.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/rules.h"

#include <math.h>
#include <string.h>

#include "base/json-value.h"
#include "base/noise.h"
#include "base/num.h"
#include "model/printable.h"

#define MOST_RULES 10000u

typedef struct Reading {
  const char *file; /* fit to be shown */
  JsonDoc *doc;
  Error *errors;
} Reading;

static const char *const top_keys[] = { "$schema", "schema_version", "rules", NULL };
static const char *const rule_keys[] = { "metric",   "worse", "max_change", "ignore_below",
                                         "max",      "min",   "min_runs",   "confidence",
                                         "optional", "where", "finding",    "max_share",
                                         NULL };
/* Those of a rule about a finding. */
static const char *const finding_keys[] = { "finding", "max_share", NULL };

/* ------------------------------------------------------------------ limits */

static const struct {
  const char *name;
  double ns;
} times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

static bool time_limit(const char *text, size_t len, const char *unit, double *out)
{
  int64_t ns;
  for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
    if (strcmp(times[i].name, unit)) continue;
    if (!num_duration(text, len, &ns)) return false;
    *out = (double)ns / times[i].ns;
    return true;
  }
  return false;
}

bool rules_limit(const char *text, const char *unit, double *out)
{
  size_t len = strlen(text);
  int64_t bytes;
  if (num_real(text, len, out)) return true;
  if (len && text[len - 1] == '%') return !strcmp(unit, "percent") && num_real(text, len - 1, out);
  if (time_limit(text, len, unit, out)) return true;
  if (strcmp(unit, "bytes") || !num_size(text, len, &bytes)) return false;
  *out = (double)bytes;
  return true;
}

static bool is_some_limit(const char *text)
{
  static const char *const units[] = { "ns", "bytes", "percent" };
  double value;
  for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
    if (rules_limit(text, units[i], &value)) return true;
  return false;
}

/* ------------------------------------------------------------------ places */

static char *place_of(const Reading *r, const char *pointer, bool of_key)
{
  g_autofree char *asked = g_strconcat(pointer, of_key ? "#key" : "", NULL);
  g_autofree char *safe = printable(pointer);
  JsonPlace place = json_doc_place(r->doc, asked);
  return g_strdup_printf("%s:%u:%u  (%s)", r->file, place.line, place.column, *safe ? safe : "/");
}

static char *pointer_to(const char *parent, const char *key)
{
  g_autoptr(GString) step = g_string_new(key);
  g_string_replace(step, "~", "~0", 0);
  g_string_replace(step, "/", "~1", 0);
  return g_strconcat(parent, "/", step->str, NULL);
}

/* Takes the text. */
static Error *complain(Reading *r, const char *code, const char *pointer, bool of_key, char *what)
{
  g_autofree char *place = place_of(r, pointer, of_key);
  Error *e = error_new(EXIT_PROFILE, code, "%s", what);
  error_at(e, "at %s", place);
  g_free(what);
  r->errors = error_join(r->errors, e);
  return e;
}

static void expected(Reading *r, const char *pointer, const char *key, const char *what)
{
  complain(r, "PRF-32", pointer, false, g_strdup_printf("\"%s\" must be %s", key, what));
}

static void unknown_key(Reading *r, const char *pointer, const char *key, const char *const *known)
{
  g_autofree char *safe = printable(key), *all = g_strjoinv(", ", (char **)known);
  Error *e = complain(r, "PRF-31", pointer, true, g_strdup_printf("unknown key \"%s\"", safe));
  error_suggest(e, key, known);
  error_help(e, "known here: %s; comments go under \"//\"", all);
}

/* ------------------------------------------------------------------ values */

static bool number_of(const JsonValue *node, double *out)
{
  if (node->kind != JSON_NUMBER) return false;
  *out = node->real;
  return true;
}

static void take_metric(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  const char *text = json_text(node);
  if (!text || !*text) return expected(r, pointer, "metric", "the name of a metric: \"ttft.p99\"");
  rule->metric = g_strdup(text);
  g_free(rule->place);
  rule->place = place_of(r, pointer, false);
}

static void take_finding(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  const char *text = json_text(node);
  if (!text || !*text)
    return expected(r, pointer, "finding", "the name of a rule that finds: \"straggler\"");
  rule->finding = g_strdup(text);
  g_free(rule->place);
  rule->place = place_of(r, pointer, false);
}

static void take_max_share(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  char buffer[NUM_BUF];
  double percent;
  if (!number_of(node, &percent) || percent < 0)
    return expected(r, pointer, "max_share", "a percentage, as a number from 0: 10");
  num_format_real(buffer, percent);
  rule->max.text = g_strdup(buffer);
  rule->max.place = place_of(r, pointer, false);
}

/* One that is broken has been told: what goes on to look at the metric asks for none. */
static void take_worse(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  static const char *const words[] = { "lower", "higher", NULL };
  const char *text = json_text(node);
  if (text && g_strv_contains(words, text)) {
    rule->worse = strcmp(text, "lower") ? MILL_HIGHER : MILL_LOWER;
    return;
  }
  rule->worse = MILL_LOWER;
  Error *e =
      complain(r, "PRF-32", pointer, false, g_strdup("\"worse\" must be \"lower\" or \"higher\""));
  if (text) error_suggest(e, text, words);
}

static void take_max_change(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  const char *text = json_text(node);
  size_t len = text ? strlen(text) : 0;
  double percent;
  if (len && text[len - 1] == '%' && num_real(text, len - 1, &percent) && percent >= 0)
    rule->max_change = percent / 100;
  else
    expected(r, pointer, "max_change", "a percentage from 0: \"5%\"");
}

static void take_limit(Reading *r, const char *pointer, const char *key, const JsonValue *node,
                       RuleLimit *limit)
{
  char buffer[NUM_BUF];
  const char *text = json_text(node);
  double number;
  if (number_of(node, &number)) {
    num_format_real(buffer, number);
    text = buffer;
  }
  if (!text || !is_some_limit(text))
    return expected(r, pointer, key, "a number, or one with a unit: 1.3, \"2ms\", \"4KiB\"");
  if (!strcmp(key, "ignore_below") && *text == '-')
    return expected(r, pointer, key, "a size of change, not below 0");
  g_free(limit->text);
  g_free(limit->place);
  limit->text = g_strdup(text);
  limit->place = place_of(r, pointer, false);
}

static void take_min_runs(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  int64_t n = node->is_whole ? node->whole : 0;
  if (n < 1 || n > 1000000) return expected(r, pointer, "min_runs", "a whole number from 1");
  rule->min_runs = (uint32_t)n;
}

static void take_confidence(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  double part;
  if (number_of(node, &part) && part > 0 && part < 1)
    rule->confidence = part;
  else
    expected(r, pointer, "confidence", "a number between 0 and 1: 0.95");
}

static void take_optional(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  if (json_is_truth(node))
    rule->optional = node->kind == JSON_TRUE;
  else
    expected(r, pointer, "optional", "true or false");
}

static void take_where(Reading *r, const char *pointer, const JsonValue *node, GateRule *rule)
{
  if (!json_holds(node, JSON_OBJECT))
    return expected(r, pointer, "where", "an object of tags: {\"mode\": \"fast\"}");
  for (guint i = 0; i < json_count(node); i++) {
    const JsonValue *value = json_item(node, i);
    g_autofree char *at = pointer_to(pointer, value->key);
    const char *text = json_text(value);
    if (!text) {
      expected(r, at, value->key, "a text: the value of the tag");
      continue;
    }
    RuleTag tag = { g_strdup(value->key), g_strdup(text) };
    g_array_append_val(rule->where, tag);
  }
}

static void take_member(Reading *r, const char *at, const JsonValue *node, GateRule *rule)
{
  const char *key = node->key;
  if (!strcmp(key, "metric"))
    take_metric(r, at, node, rule);
  else if (!strcmp(key, "worse"))
    take_worse(r, at, node, rule);
  else if (!strcmp(key, "max_change"))
    take_max_change(r, at, node, rule);
  else if (!strcmp(key, "min_runs"))
    take_min_runs(r, at, node, rule);
  else if (!strcmp(key, "confidence"))
    take_confidence(r, at, node, rule);
  else if (!strcmp(key, "optional"))
    take_optional(r, at, node, rule);
  else if (!strcmp(key, "where"))
    take_where(r, at, node, rule);
  else if (!strcmp(key, "finding"))
    take_finding(r, at, node, rule);
  else if (!strcmp(key, "max_share"))
    take_max_share(r, at, node, rule);
  else
    take_limit(r, at, key, node,
               !strcmp(key, "max")   ? &rule->max
               : !strcmp(key, "min") ? &rule->min
                                     : &rule->ignore_below);
}

/* ------------------------------------------------------------------- shape */

static void tag_clear(gpointer data)
{
  g_free(((RuleTag *)data)->name);
  g_free(((RuleTag *)data)->value);
}

static GateRule *rule_new(char *place)
{
  GateRule *rule = g_new0(GateRule, 1);
  rule->place = place;
  rule->max_change = -1;
  rule->min_runs = 1;
  rule->confidence = NOISE_CONFIDENCE;
  rule->where = g_array_new(FALSE, FALSE, sizeof(RuleTag));
  g_array_set_clear_func(rule->where, tag_clear);
  return rule;
}

static void rule_free(gpointer data)
{
  GateRule *rule = data;
  RuleLimit *limits[] = { &rule->ignore_below, &rule->max, &rule->min };
  for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
    g_free(limits[i]->text);
    g_free(limits[i]->place);
  }
  g_free(rule->metric);
  g_free(rule->finding);
  g_free(rule->place);
  g_array_unref(rule->where);
  g_free(rule);
}

/* It has no use for the members of a rule about a metric. */
static void check_finding_rule(Reading *r, const char *pointer, const JsonValue *object)
{
  if (!json_member(object, "max_share"))
    complain(r, "PRF-32", pointer, false, g_strdup("a rule for a finding has no \"max_share\""));
  for (guint i = 0; i < json_count(object); i++) {
    const char *key = json_item(object, i)->key;
    if (!g_strv_contains(rule_keys, key) || g_strv_contains(finding_keys, key)) continue;
    g_autofree char *at = pointer_to(pointer, key);
    complain(r, "PRF-32", at, true,
             g_strdup_printf("a rule for a finding has no use for \"%s\"", key));
  }
}

static void check_rule(Reading *r, const char *pointer, const JsonValue *object)
{
  if (json_member(object, "finding")) return check_finding_rule(r, pointer, object);
  if (json_member(object, "max_share"))
    complain(r, "PRF-32", pointer, false, g_strdup("\"max_share\" needs a \"finding\""));
  if (!json_member(object, "metric"))
    complain(r, "PRF-32", pointer, false,
             g_strdup("a rule has neither \"metric\" nor \"finding\""));
  bool limits = json_member(object, "max") || json_member(object, "min");
  bool change = json_member(object, "max_change");
  if (!limits && !change)
    complain(r, "PRF-32", pointer, false,
             g_strdup("a rule has none of \"max_change\", \"max\" and \"min\""));
  if (!change && json_member(object, "ignore_below"))
    complain(r, "PRF-32", pointer, false, g_strdup("\"ignore_below\" needs a \"max_change\""));
}

static void take_rule(Reading *r, const char *pointer, const JsonValue *node, Rules *rules)
{
  if (!json_holds(node, JSON_OBJECT)) {
    complain(r, "PRF-32", pointer, false, g_strdup("a rule must be an object"));
    return;
  }
  GateRule *rule = rule_new(place_of(r, pointer, false));
  for (guint i = 0; i < json_count(node); i++) {
    const JsonValue *value = json_item(node, i);
    const char *key = value->key;
    g_autofree char *at = pointer_to(pointer, key);
    if (g_str_has_prefix(key, "//")) continue;
    if (g_strv_contains(rule_keys, key))
      take_member(r, at, value, rule);
    else
      unknown_key(r, at, key, rule_keys);
  }
  check_rule(r, pointer, node);
  if (rule->metric || rule->finding)
    g_ptr_array_add(rules->list, rule);
  else
    rule_free(rule);
}

static void take_rules(Reading *r, const JsonValue *node, Rules *rules)
{
  const JsonValue *list = json_as(node, JSON_ARRAY);
  guint n = json_count(list);
  if (!n || n > MOST_RULES) return expected(r, "/rules", "rules", "a list of at least one rule");
  for (guint i = 0; i < n; i++) {
    g_autofree char *at = g_strdup_printf("/rules/%u", i);
    take_rule(r, at, json_item(list, i), rules);
  }
}

static void take_version(Reading *r, const JsonValue *node)
{
  const char *text = json_text(node);
  if (text && (!strcmp(text, "1") || g_str_has_prefix(text, "1."))) return;
  expected(r, "/schema_version", "schema_version", "\"1\", the version that this program reads");
}

static void take_file(Reading *r, const JsonValue *root, Rules *rules)
{
  if (!json_holds(root, JSON_OBJECT)) {
    complain(r, "PRF-32", "", false, g_strdup("rules must be an object with a list of \"rules\""));
    return;
  }
  for (guint i = 0; i < json_count(root); i++) {
    const JsonValue *value = json_item(root, i);
    const char *key = value->key;
    g_autofree char *at = pointer_to("", key);
    if (!strcmp(key, "rules"))
      take_rules(r, value, rules);
    else if (!strcmp(key, "schema_version"))
      take_version(r, value);
    else if (strcmp(key, "$schema") && !g_str_has_prefix(key, "//"))
      unknown_key(r, at, key, top_keys);
  }
  if (!json_member(root, "schema_version"))
    complain(r, "PRF-32", "", false, g_strdup("there is no \"schema_version\": \"1\""));
  if (!json_member(root, "rules"))
    complain(r, "PRF-32", "", false, g_strdup("there is no list of \"rules\""));
}

/* ------------------------------------------------------------------- whole */

Error *rules_parse(const char *path, const char *text, size_t len, Rules **out)
{
  JsonPlace place = { 0, 0 };
  g_autofree char *why = NULL, *safe = printable(path);
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  *out = NULL;
  if (!doc) {
    Error *e = error_new(EXIT_PROFILE, "PRF-30", "the rules are not valid JSON");
    error_at(e, "at %s:%u:%u", safe, place.line, place.column);
    return error_why(e, "%s", why);
  }
  Rules *rules = g_new0(Rules, 1);
  rules->list = g_ptr_array_new_with_free_func(rule_free);
  Reading r = { safe, doc, NULL };
  take_file(&r, json_doc_root(doc), rules);
  json_doc_free(doc);
  *out = rules;
  return r.errors;
}

Error *rules_unreadable(const char *path, const GError *why)
{
  bool missing = g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_PROFILE, "PRF-30", "%s cannot be read", safe);
  error_of_read(e, why);
  return error_why(e, "%s", missing ? "there is no such file" : why->message);
}

Error *rules_load(const char *path, Rules **out)
{
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  gsize len;
  *out = NULL;
  if (!g_file_get_contents(path, &text, &len, &error)) return rules_unreadable(path, error);
  return rules_parse(path, text, len, out);
}

void rules_free(Rules *rules)
{
  if (!rules) return;
  g_ptr_array_unref(rules->list);
  g_free(rules);
}

bool rules_are(const char *text, size_t len)
{
  JsonPlace place;
  g_autofree char *why = NULL;
  JsonDoc *doc = json_doc_parse(text, len, &place, &why);
  if (!doc) return false;
  const JsonValue *object = json_as(json_doc_root(doc), JSON_OBJECT);
  bool are = object && json_member(object, "rules") && !json_member(object, "profile") &&
             !json_member(object, "stages");
  json_doc_free(doc);
  return are;
}

Error *rules_unknown_metric(const GateRule *rule, const char *const *words)
{
  g_autofree char *safe = printable(rule->metric);
  Error *e = error_new(EXIT_PROFILE, "PRF-33", "unknown metric \"%s\"", safe);
  error_at(e, "at %s", rule->place);
  error_suggest(e, rule->metric, words);
  return error_help(e, "stagemill list metrics    lists those of all stages");
}

Error *rules_unknown_finding(const GateRule *rule, const char *const *words)
{
  g_autofree char *safe = printable(rule->finding);
  Error *e = error_new(EXIT_PROFILE, "PRF-33", "unknown finding \"%s\"", safe);
  error_at(e, "at %s", rule->place);
  error_suggest(e, rule->finding, words);
  return error_help(e, "stagemill list rules    lists the rules that find");
}

Error *rules_wrong_unit(const RuleLimit *limit, const char *unit)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-32", "\"%s\" is not a limit in %s", limit->text,
                       *unit ? unit : "the unit of the metric, which has none");
  return error_at(e, "at %s", limit->place);
}
